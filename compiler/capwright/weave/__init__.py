"""Marked regions of Markdown files, and what fills them."""
