"""Page Compare: compare mechanisms side by side, or on a map of k and ε."""
