"""Draw the controls of settings, in step with the address."""
