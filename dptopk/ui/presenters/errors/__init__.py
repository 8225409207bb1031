"""Present the page errors."""
