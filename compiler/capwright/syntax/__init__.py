"""Text to tree and back: parsing, the tree, formatting. Lark stays in this room."""
