"""Read uploaded files: the dialog, its controls, and the data stored in a session."""
