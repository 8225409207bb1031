"""Page Learn: one module for each lesson, and the parts that lessons share."""
