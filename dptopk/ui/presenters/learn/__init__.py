"""Present the page learn: one module a lesson, and what all of them share."""
