"""How long it takes and how much memory: `python -m tests.bench` writes TABLE.md."""
