"""Present the page classroom."""
