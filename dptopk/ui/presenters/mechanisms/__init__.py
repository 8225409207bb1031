"""Page Mechanisms: explain how a mechanism chooses, why it is private, and when to use it."""
