"""Define what all modules share: counts, privacy, outputs, errors, parameters, and their checks."""
