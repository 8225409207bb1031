"""Present the page release."""
