"""Turn results into sentences, tiles and alternative texts."""
