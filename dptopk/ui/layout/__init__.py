"""Draw the frame of every page: navigation, control line, choice of data, presentation mode."""
