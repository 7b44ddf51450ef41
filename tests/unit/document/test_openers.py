"""What opens a verdict is told by the name of the thing that the requirement speaks of, and as what a plan can measure."""

from __future__ import annotations

from tests.support.compared import document

PLAN = """
unit second, seconds symbol s
kind wait : s
entity line { wait : s kind wait >= 0 s; wide : s = most(wait) }
formula most(x: s) : s <= 9 s
line a { }
line b { }
require b.wait <= 4 s "b"
require a.wait <= 4 s "a"
require b.wide >= 3 s "wide"
"""


def test_the_opener_is_of_the_thing_that_is_asked_for():
    found = {verdict.label: verdict for verdict in document(PLAN, "p.plan").verdicts}
    assert found["a"].opened_by == "a.wait"
    assert found["b"].opened_by == "b.wait"
    assert found["b"].closed_by is not None
    assert found["b"].closed_by.startswith("a measurement of `b.wait`")


def test_what_would_close_it_is_a_quantity_that_a_plan_can_measure():
    wide = next(v for v in document(PLAN, "p.plan").verdicts if v.label == "wide")
    assert wide.closed_by is not None
    assert wide.closed_by.startswith("a measurement of `b.wide`")
