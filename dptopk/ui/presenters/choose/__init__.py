"""Present the page choose."""
