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
