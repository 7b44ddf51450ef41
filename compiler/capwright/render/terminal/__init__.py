"""What the command line prints of a document."""

from capwright.render.terminal.explain import dependants, explain
from capwright.render.terminal.show import selected, show_csv, show_json, show_table
from capwright.render.terminal.style import COLOURED, PLAIN, Style
from capwright.render.terminal.summary import summary

__all__ = [
    "COLOURED",
    "PLAIN",
    "Style",
    "dependants",
    "explain",
    "selected",
    "show_csv",
    "show_json",
    "show_table",
    "summary",
]
