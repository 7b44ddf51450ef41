"""Where a report draws which picture."""

from __future__ import annotations

import pytest

from capwright.render.index import drawn, printed
from capwright.render.markdown import markdown
from tests.support.compared import document

PLAN = """\
use std
entity part { a : byte; b : byte = 2 * a; view bars of both "Both" : a, b }
entity whole { name : text; piece { size : byte default 3 GiB; twice : byte = 2 * size; view bars of sizes "Sizes" : size, twice } }
part one { a = 3 GiB }
part two { a = 1 GiB; view bars of own "Its own" : a, b }
whole all { name = "x" }
"""
MINE = 'view bars of mine "Mine" : one.a, two.b\n'


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("report one, two", {"one": ["Both"], "two": ["Both", "Its own"]}),
        ("report two", {"two": ["Both", "Its own"]}),
        ("report all", {"all": ["Sizes"]}),
        ("report all, all.piece", {"all.piece": ["Sizes"]}),
        ("report one.a", {}),
        (f"{MINE}report one.a", {"": ["Mine"]}),
        (MINE, {"": ["Mine"]}),
    ],
)
def test_a_picture_stands_in_the_innermost_section_that_it_is_of(told, expected):
    doc = document(PLAN + told)
    assert {path: [view.title for view in views] for path, views in drawn(doc).items()} == expected
    page = markdown(doc)
    assert [line for line in page.splitlines() if line in ("Both", "Its own", "Sizes", "Mine")] == [
        title for titles in expected.values() for title in titles
    ]
    assert ("two.b" in printed(doc)) == ("Mine" in page or "two" in expected)
