"""Literate cases: a plan and what must come of it."""
