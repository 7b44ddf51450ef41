"""Two documents to one of what changed, and of which declarations changed it."""
