"""Page Release: compare one release of each mechanism with the true top k."""
