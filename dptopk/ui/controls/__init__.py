"""Draw the controls of settings, synchronized with the address of the page."""
