"""Draw exact releases for publication, from random bits of the operating system."""
