"""What a verdict says of itself."""

from __future__ import annotations

from tests.support.compared import document


def test_what_a_measurement_cuts_short_is_closed_by_a_narrower_one():
    doc = document(
        """
unit second, seconds symbol s prefixes decimal
base : s >= 30 ms
t : s = base
measure t = 32 ms in 31 ms .. 33 ms as monday { }
require t <= 32.5 ms "fast"
require base <= 32.5 ms "derived alone"
"""
    )
    fast, alone = doc.verdicts
    assert (fast.status, fast.opened_by) == ("not established", "t!monday")
    assert fast.closed_by == "a measurement with a narrower range than `t!monday`"
    assert (alone.status, alone.opened_by) == ("not established", "base")


def test_both_sides_are_told_in_the_unit_that_the_requirement_is_written_in():
    """Beside a measurement of seconds, too, and whichever side is written out."""
    doc = document(
        """
unit second, seconds symbol s prefixes decimal
t : s >= 3 ms
measure t = 12 s in 11 s .. 13 s as slow { }
require t <= 20 ms "left"
require 20 ms >= t "right"
"""
    )
    assert [verdict.unit.symbol for verdict in doc.verdicts] == ["ms", "ms"]


SEARCH = """
unit token, tokens counting
unit byte, bytes symbol B
assume small : byte = 5 bytes in 4 bytes .. 6 bytes because "an example"
{large}
longest : token = largest n in 1 token .. 100 tokens where n * 1 byte/token <= small + large
require longest >= 100 tokens "long enough"
"""


def test_a_search_is_opened_by_the_line_that_establishes_nothing():
    verdict = document(SEARCH.format(large="large : byte ~ 95 bytes")).verdicts[0]
    assert (verdict.status, verdict.opened_by) == ("not established", "large")
    assert verdict.closed_by.startswith("a range for `large`")


def test_a_search_is_opened_by_the_widest_assumption_it_leans_on():
    wide = 'assume large : byte = 95 bytes in 50 bytes .. 98 bytes because "an example"'
    assert document(SEARCH.format(large=wide)).verdicts[0].opened_by == "large"
    narrow = 'assume large : byte = 95 bytes in 94.5 bytes .. 95.5 bytes because "an example"'
    assert document(SEARCH.format(large=narrow)).verdicts[0].opened_by == "small"


def test_a_measurement_that_is_read_twice_is_the_limit_of_both():
    doc = document(
        """
unit second, seconds symbol s prefixes decimal
base : s >= 30 ms
t : s = base
measure t = 32 ms in 31 ms .. 33 ms as monday { }
require 2 * t <= 65 ms "twice"
require t + t <= 65 ms "and again"
"""
    )
    assert [v.opened_by for v in doc.verdicts] == ["t!monday", "t!monday"]


def test_what_a_search_leans_on_is_weighed_with_what_stands_beside_it():
    plan = """
unit token, tokens counting
unit byte, bytes symbol B
assume large : byte = 95 bytes in 50 bytes .. 98 bytes because "an example"
assume extra : token = 2 tokens in 1 token .. 3 tokens because "an example"
found : token = largest n in 1 token .. 100 tokens where n * 1 byte/token <= large
require found + extra >= 95 tokens "enough"
"""
    assert document(plan).verdicts[0].opened_by == "large"


def test_an_exact_measurement_is_told_too():
    doc = document(
        """
unit second, seconds symbol s prefixes decimal
assume t : s = 32 ms in 31 ms .. 35 ms because "an example"
measure t = 33 ms as monday { }
u : s = 2 * t
require u <= 70 ms "twice"
"""
    )
    assert (doc.verdicts[0].status, doc.verdicts[0].leans_on) == ("holds", ("t!monday",))


def test_a_side_is_told_as_tight_as_the_report_tells_it():
    doc = document(
        """
assume s : number = 0.7 in 0.6 .. 0.8 because "an example"
twice : number = s * 2 / (s + 1)
require twice <= 1 "below one"
report twice
"""
    )
    [held] = [q for q in doc.quantities if q.address == "twice"]
    assert (doc.verdicts[0].left.low, doc.verdicts[0].left.high) == (held.low, held.high) == ("3/4", "8/9")
