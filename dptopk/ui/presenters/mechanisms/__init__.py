"""Present the page mechanisms."""
