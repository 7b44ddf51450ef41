"""A forge's API: the one comment that a pull request gets. It knows nothing of plans."""
