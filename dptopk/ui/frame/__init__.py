"""Draw the frame of every page: navigation, sidebar, choice of data, presentation mode."""
