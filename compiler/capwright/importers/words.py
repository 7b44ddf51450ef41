"""Text from a stranger's file, made fit for a message or for a plan."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_SHOWN: Final = 60


def quoted(value: object) -> str:
    """A value from a file as a message shows it: in backticks, short, without control characters."""
    text = "".join(
        each if each.isprintable() and each != "`" else "\ufffd" for each in str(value)[: _SHOWN + 1]
    )
    return f"`{text[:_SHOWN]}…`" if len(text) > _SHOWN else f"`{text}`"


def string(text: str) -> str:
    """`text` as a string literal of a plan; what a literal cannot hold is replaced."""
    clean = "".join(each if each.isprintable() else "\ufffd" for each in text)
    return '"' + clean.replace("\\", "\\\\").replace('"', '\\"') + '"'


def identifier(text: str, taken: Collection[str] = ()) -> str:
    """A name for a plan made of `text`: lower case, letters, digits and `_`, not beginning with a digit, and none of those
    that are `taken`, in which letters of either case are alike."""
    name = re.sub(r"[^0-9a-z_]+", "_", text.lower()).strip("_")[:_SHOWN]
    name = name if name[:1].isalpha() else f"m_{name}".rstrip("_")
    known = {each.lower() for each in taken}
    while name in known:
        name = f"my_{name}"
    return name
