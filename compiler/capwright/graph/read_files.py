"""What readers made of files, by the calls that name them."""

from __future__ import annotations

from capwright.syntax import tree


def read_key(call: tree.Call) -> tuple[str, ...]:
    """The key of a call among what was read: the file it stands in, the path it names ("" for none), its columns."""
    words = [(each.name, each.value.value) for each in call.arguments if isinstance(each.value, tree.Text)]
    path = next((value for name, value in words if name is None), "")
    return (call.span.file, path, *sorted(f"{name}={value}" for name, value in words if name is not None))
