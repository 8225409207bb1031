"""Page Errors: show the distribution of the error over many runs."""
