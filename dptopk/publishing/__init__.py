"""Draw releases that may be published, exactly and from the operating system's random bits."""
