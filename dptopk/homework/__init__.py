"""Exercise sheets for classes: exercises, their documents, and the grading of answers."""
