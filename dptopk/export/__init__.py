"""Export notebooks, scripts for OpenDP and SQL, and checklists for deploying a release."""
