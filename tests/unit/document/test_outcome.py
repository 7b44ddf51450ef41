"""What is a finding, which verdict needs attention first, and which measurements count."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from capwright.compiling import compile_plan
from capwright.document.outcome import (
    UNWISHED,
    became_better,
    became_worse,
    findings_of,
    is_counted,
    lapsed,
    tally,
)
from capwright.document.plandoc import STATUSES
from capwright.loading import load
from tests.support.compared import document

PLAN = """\
use std
speed : 1/s = 50 / 1 s
time : s >= 1 / speed
measure time = 31.9 ms as night { }
unknown : s >= 1 ms
{more}
report time
"""


def outcome(more: str, *, strict: bool = False) -> tuple[list[str], list[str]]:
    text = PLAN.replace("{more}", more)
    doc = compile_plan(load("m.plan", root=".", texts={"m.plan": text})).sound
    found = findings_of(doc.verdicts, doc.measurements, strict=strict)
    assert bool(found) == bool(found.verdicts or found.measurements)
    return [one.label for one in found.verdicts], [one.address for one in found.measurements]


def test_requirements_that_fail_and_measurements_that_contradict_are_findings():
    assert outcome('require time <= 1 s "slow enough"') == ([], [])
    assert outcome('require speed <= 1 / 1 s "slow"\nexpect speed <= 1 / 1 s "dear"') == (["slow"], [])
    assert outcome('require unknown <= 1 s "open"') == ([], [])
    assert outcome('require unknown <= 1 s "open"', strict=True) == (["open"], [])


def test_a_measurement_that_contradicts_is_a_finding_whatever_holds():
    more = 'other : s = 1 s\nmeasure other = 3 s as day { }\nrequire speed >= 1 / 1 s "fast"'
    assert outcome(more) == ([], ["other!day"])


def test_what_needs_attention_first_is_counted_first():
    assert list(tally(reversed(STATUSES))) == list(STATUSES)
    assert tally(["holds", "violated", "holds"]) == {"violated": 1, "holds": 2}
    assert set(STATUSES[:4]) == UNWISHED


@pytest.mark.parametrize(
    ("comparison", "counts"),
    [("agreement", True), ("not independent", True), ("gap closed", True), ("contradiction", False), ("does not count", False)],
)  # fmt: skip
def test_which_measurements_count(comparison, counts):
    from msgspec.structs import replace

    [measured] = document(PLAN.replace("{more}", ""), "m.plan").measurements
    assert is_counted(replace(measured, comparison=comparison)) is counts


@pytest.mark.parametrize("before", STATUSES)
@pytest.mark.parametrize("after", STATUSES)
def test_a_verdict_that_changed_is_worse_or_better_or_no_longer_shown_and_never_two_of_these(before, after):
    verdict = compile_plan(
        load("m.plan", root=".", texts={"m.plan": PLAN.replace("{more}", 'require speed >= 1 / 1 s "fast"')})
    ).sound.verdicts[0]
    was, now = (replace(verdict, status=status) for status in (before, after))
    said = [became_worse(was, now), became_better(before, after), bool(lapsed(before, after))]
    assert sum(said) == (before != after)
    if said[1]:
        assert after in ("holds", "expected")
    if after in ("holds", "expected") and before not in ("holds", "expected"):
        assert said[1]


def test_what_nobody_asked_before_is_better_only_where_it_is_as_wished():
    assert became_better(None, "holds")
    assert became_better(None, "expected")
    assert not became_better(None, "not established")
    assert not became_better(None, "violated")


def test_a_violation_that_nothing_shows_any_more_is_said_in_words():
    assert lapsed("violated", "not established") == "no longer shown to be violated"
    assert lapsed("not established", "violated") == lapsed("violated", "holds") == ""
