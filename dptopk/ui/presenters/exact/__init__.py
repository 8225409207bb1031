"""Page Exact: list the outputs of a small case with their exact probabilities."""
