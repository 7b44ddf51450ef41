"""A report says nothing twice, and no more than anybody would read."""

from __future__ import annotations

from capwright.base.diagnostic import Spelling
from capwright.base.source import Span
from capwright.check.report import MAX_MESSAGES, Report
from tests.support.programs import codes, compiled


def at(place: int) -> Span:
    return Span("p.plan", place, place + 1)


def test_one_place_has_one_message_of_a_code() -> None:
    report = Report()
    report.say("CW0203", at(1), "one", "way out")
    report.say("CW0203", at(1), "the same again", "way out")
    report.say("CW0204", at(1), "another code", "way out")
    report.say("CW0203", at(2), "another place", "way out")
    report.say("CW0203", at(1), "another matter", "way out", about="other")
    assert [d.message for d in report.found] == ["one", "another code", "another place", "another matter"]


def test_warnings_are_no_failure() -> None:
    report = Report()
    report.say("CW0240", at(1), "a warning", "", severity="warning")
    assert not report.failed
    report.say("CW0203", at(1), "an error", "way out")
    assert report.failed


def test_beyond_its_limit_it_counts() -> None:
    report = Report()
    looked: list[str] = []

    def names() -> list[str]:
        looked.append("looked")
        return ["width"]

    class Known:
        def __iter__(self):
            return iter(names())

    for place in range(MAX_MESSAGES + 20):
        report.say("CW0203", at(place), "unknown", Spelling("widht", Known()))
    assert len(report.found) == MAX_MESSAGES
    assert report.hidden == 20
    assert len(looked) == MAX_MESSAGES
    assert report.found[0].help == "did you mean `width`?"


def test_a_spoilt_plan_says_how_many_more_there_are() -> None:
    found = compiled("".join(f"a{n} = nothing_{n}\n" for n in range(MAX_MESSAGES + 5)))
    assert codes(found) == ["CW0203"] * MAX_MESSAGES
    assert "(5 further mistakes are not shown)" in found.diagnostics[-1].help


def test_errors_behind_a_hundred_warnings_still_fail() -> None:
    report = Report()
    for place in range(MAX_MESSAGES):
        report.say("CW0240", at(place), "a warning", "", severity="warning")
    report.say("CW0203", at(MAX_MESSAGES), "an error", "way out")
    assert report.failed
