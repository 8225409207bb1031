"""Basic types and checks of all other packages: counts, privacy, outputs, errors, parameters."""
