"""Page Learn: one module for each lesson, and their common parts."""
