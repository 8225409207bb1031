"""Read uploaded files: the dialog, its controls, and what a session keeps."""
