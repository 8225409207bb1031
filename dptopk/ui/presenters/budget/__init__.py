"""Page Budget: compare the noise that a privacy budget needs by each method of composition."""
