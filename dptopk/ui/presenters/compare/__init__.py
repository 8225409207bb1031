"""Present the page compare."""
