"""Draw what surrounds every page: navigation, sidebar, data, presentation mode."""
