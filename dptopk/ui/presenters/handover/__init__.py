"""Present the page handover."""
