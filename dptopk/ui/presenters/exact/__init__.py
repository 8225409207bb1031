"""Present the page exact."""
