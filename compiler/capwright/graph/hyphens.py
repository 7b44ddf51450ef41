"""Names as they are written elsewhere, with hyphens, which a plan reads as subtractions."""

from __future__ import annotations

import re
from typing import Final

from capwright.base.diagnostic import nearest, offered
from capwright.graph.context import Context
from capwright.graph.values import Env, Value
from capwright.syntax import tree

_HYPHENATED: Final = re.compile(r"(?:\w+\.)*(?P<name>[^\W\d]\w*(?:-\w+)+)")


def hyphenated(ctx: Context, expr: tree.Binary, env: Env) -> Value | None:
    """What is said of a difference that is meant for one name, `big-box`: without blanks, of what begins with no name, and
    near to a name with `_` for the hyphens. None of any other."""
    if expr.right.span.start != expr.left.span.end + 1:
        return None
    text = ctx.text(expr.span)
    found = _HYPHENATED.fullmatch(text)
    if found is None:
        return None
    path, scope = text[: found.start("name")], env.scope
    for part in path.split(".")[:-1]:
        if part not in scope.spaces:
            return None
        scope = scope.spaces[part]
    names = set(scope.values) if path else set(env.known())
    first, *others = found["name"].split("-")
    if first in names or scope.unsaid(first):
        return None
    joined = "_".join([first, *others])
    meant = (joined,) if joined in names else () if names & set(others) else nearest(joined, names)
    if not meant:
        return None
    return ctx.say(
        "CW0203",
        expr.span,
        f"there is nothing called `{text}`, nor has any name a hyphen",
        offered([path + name for name in meant]),
    )
