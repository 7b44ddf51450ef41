"""Tests of `weave`: regions of somebody's own Markdown, filled from plans."""
