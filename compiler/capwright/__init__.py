"""capwright: a declarative capacity-plan compiler for long-context LLM serving."""

__version__ = "0.1.0"
