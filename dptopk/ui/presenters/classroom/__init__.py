"""Page Class: ask students for predictions and draws, and reveal the exact distribution."""
