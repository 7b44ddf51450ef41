"""What a document says of ranges that were not tightened."""

from __future__ import annotations

from tests.support.compared import document

CALLS = """\
formula back(x: number) : number = x + (10 - x)
formula along(x: number) : number = x + 2 * x
formula left(x: number) : number = mod(x, 4)
assume u = 5 in 4 .. 6 because "a log"
a : number = back(u) + 1
b : number = along(u) + 1
c : number = left(u) + 1
report a, b, c
"""


def test_a_call_says_where_its_range_may_be_wider_than_need_be():
    """Only what has a name is tightened: a call has the ends of plain arithmetic, which may be the right ones."""
    found = {q.address: (q.low, q.high, q.loose) for q in document(CALLS, "calls.plan").quantities}
    assert found["a"] == ("11", "11", False)
    assert found["a/back"] == ("8", "12", True)
    assert found["b"] == ("13", "19", False)
    assert found["b/along"] == ("12", "18", False)
    assert found["c/left"] == ("0", "4", True)
