"""Present the page privacy."""
