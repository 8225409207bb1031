"""Page Choose ε: find the smallest ε that reaches a target."""
