"""Present the page gaps."""
