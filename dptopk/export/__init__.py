"""Export to other formats and tools: notebooks, OpenDP scripts, registry records."""
