"""What a text in a measurement's context says of a count and of a name, and when it says nothing."""

from __future__ import annotations

import pytest

from tests.unit.library.answers import compiled

PLAN = """
unit token, tokens counting
unit device, devices counting
unit second, seconds symbol s
kind wait : s for time context length = rack.length, place = rack.name and devices
entity rack {{ name : text; length : whole token }}
entity service {{ rack : rack; devices : whole device; wait : s kind wait >= 2 s }}
rack r {{ name = "Big Box"; length = 2_000 tokens }}
service prod {{ rack = r; devices = 16 devices }}
measure prod.wait = 3 s as m {{ length = {length}; place = "{place}" }}
"""


def counts(tmp_path, length: str = '"2,000 tokens"', place: str = "16 big box") -> bool:
    (measured,) = compiled(PLAN.format(length=length, place=place), tmp_path).measurements
    return measured.comparison != "does not count"


@pytest.mark.parametrize(
    "length",
    [
        '"2,000 tokens"',
        '"2_000"',
        '"2k tokens"',
        '"2.0k"',
        '" 2000  tokens "',
        "2_000 tokens",
        "1_000 tokens * 2",
    ],
)
def test_a_length_that_is_the_plans(tmp_path, length):
    assert counts(tmp_path, length)


@pytest.mark.parametrize("length", ['"2,001 tokens"', '"20k"', '"none"', "2_001 tokens", '"1000 x 3"'])
def test_a_length_that_is_not(tmp_path, length):
    assert not counts(tmp_path, length)


@pytest.mark.parametrize(
    "length",
    ['"the mix"', '"1,000 to 3,000 tokens"', '"lognormal, median 5,000"', '"3 s"', '"x"', '"١٢ tokens"'],
)
def test_a_length_that_cannot_be_read_is_not_compared(tmp_path, length):
    assert counts(tmp_path, length)


@pytest.mark.parametrize(
    "place", ["16 big box", "2 x 8 Big Box", "2x8 BIG BOX", "16x Big Box", "box, big, of 16"]
)
def test_a_place_that_is_the_plans(tmp_path, place):
    assert counts(tmp_path, place=place)


@pytest.mark.parametrize(
    "place", ["16 big boxes", "16 bigbox", "8 big box", "2 x 9 big box", "2 x 8", "small box"]
)
def test_a_place_that_is_not(tmp_path, place):
    assert not counts(tmp_path, place=place)
