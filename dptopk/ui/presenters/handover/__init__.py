"""Page Hand over: prepare the report, the script, the record and the checklist of a release."""
