"""A document that somebody edited is refused with a reason, or compared: no formula in it makes the compiler fail."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.comparison.compare import compare
from capwright.document.codec import from_json, to_json
from capwright.document.retape import evaluated, retape
from capwright.render.diff_markdown import diff_markdown
from tests.support.sample import sample

DOC = sample()
RAW = json.loads(to_json(DOC))
OPS = (
    *("const", "ref", "var", "neg", "not", "sqrt", "log2", "exp", "sub", "div", "mod", "divides", "lt", "le", "eq", "ne"),
    *("effective", "if", "add", "mul", "min", "max", "and", "or", "pow", "ceil", "floor", "kernel", "assume", "search"),
)  # fmt: skip
JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, "", "1/2", "x", "-1", "9" * 2_000, [], {}, [[]], [1], ["a"], {"is": "causal"}, {"op": "add"},
)  # fmt: skip


def const(text: str) -> dict[str, Any]:
    return {"op": "const", "value": text}


def called(function: str, *args: str, **static: Any) -> dict[str, Any]:
    return {
        "op": "kernel",
        "function": function,
        "static": [{"text": "x", **static}],
        "args": [const(each) for each in args],
    }


WIDE = {
    "sort": "lengths",
    "is": "lognormal",
    "median": "1",
    "p95": f"1{'0' * 2_000}",
    "at_most": None,
    "at_least": "1/3",
}
CAUSAL = {"sort": "mask", "text": "causal", "is": "causal", "with": {}}
WINDOW = {"sort": "mask", "text": "window", "is": "window", "with": {"size": 4_096}}
TREES = (
    {"op": "lt", "args": [const("1"), const("2")]},
    const("0"),
    const("-7/3"),
    const("9" * 2_000),
    {"op": "var", "name": "n"},
    {"op": "ref", "address": "nowhere"},
    called("quantile", "1/3", **WIDE),
    called("variance", **WIDE),
    called("mean", sort="lengths", **{"is": "empirical", "counts": [[3, 4], [5, 6]]}),
    called("longest", sort="lengths", **{"is": "uniform", "low": 3, "high": 9}),
    called("pairs", "10", "20", sort="mask", **{"is": "and", "of": [CAUSAL, WINDOW]}),
    {
        "op": "search",
        "which": "largest",
        "variable": "n",
        "low": const("0"),
        "high": const("100"),
        "condition": {"op": "le", "args": [{"op": "var", "name": "n"}, const("50")]},
        "step": "1",
    },
    {"op": "assume", "args": [const("1")], "source": "s", "low": const("5"), "high": None},
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Where formulas stand in a document, however deep."""
    if isinstance(value, dict):
        if "op" in value:
            yield path
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from places(item, (*path, at))


def at(raw: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        raw = raw[key]
    return raw


PLACES = list(places(RAW))
FORMULAS = st.sampled_from([*TREES, *(at(RAW, path) for path in PLACES[:: len(PLACES) // 40])]).map(
    lambda tree: json.loads(json.dumps(tree))
)


def within(draw: Any, value: Any) -> None:
    """Change one thing somewhere in what a primitive is given."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw(st.sampled_from(keys))
    if isinstance(value[key], dict | list) and value[key] and draw(st.booleans()):
        within(draw, value[key])
    else:
        value[key] = draw(st.sampled_from(JUNK))


@st.composite
def edited(draw: Any) -> str:
    raw = json.loads(json.dumps(RAW))
    path = draw(st.sampled_from(PLACES))
    tree = at(raw, path)
    deed = draw(st.sampled_from(["exchange", "op", "member", "drop", "more", "fewer", "wrap", "within"]))
    if deed == "exchange":
        tree = draw(FORMULAS)
    elif deed == "op":
        tree["op"] = draw(st.sampled_from(OPS))
    elif deed == "member":
        tree[draw(st.sampled_from(sorted(tree)))] = draw(st.sampled_from(JUNK))
    elif deed == "drop":
        del tree[draw(st.sampled_from(sorted(tree)))]
    elif deed == "more" and "args" in tree:
        tree["args"].append(draw(FORMULAS))
    elif deed == "fewer" and tree.get("args"):
        tree["args"].pop()
    elif deed == "wrap":
        more = draw(
            st.sampled_from([{}, {"exponent": -3}, {"exponent": 10**9}, {"step": "0"}, {"step": "-1/3"}])
        )
        tree = {
            "op": draw(st.sampled_from(OPS)),
            "args": [tree, *draw(st.lists(FORMULAS, max_size=2))],
            **more,
        }
    elif deed == "within":
        tree = draw(FORMULAS.filter(lambda one: one["op"] == "kernel"))
        within(draw, tree["static"])
    at(raw, path[:-1])[path[-1]] = tree
    return json.dumps(raw)


@settings(max_examples=120, deadline=None)
@given(edited())
def test_an_edited_formula_is_refused_or_compared(text: str) -> None:
    document, found = from_json(text)
    if document is None:
        assert [one.code for one in found] == ["CW0724"]
        return
    evaluated(retape(document))
    diff_markdown(compare(document, DOC))
    diff_markdown(compare(DOC, document))
