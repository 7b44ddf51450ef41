"""What an entry of a measurement's context says of counts, names and words: all of it, or nothing that agrees."""

from __future__ import annotations

import pytest

from capwright.compiling import compile_plan
from capwright.loading import load as load_plan
from capwright.render.stated import stated
from tests.unit.library.answers import compiled

PLAN = """
unit token, tokens counting
unit device, devices counting
unit second, seconds symbol s
kind wait : s for time
  context length = rack.length, place = rack.name or rack.also or rack and devices, program = program, load = "alone" or "one by one" or "in turn, alone"
entity rack {{ name : text; also : text; length : whole token }}
entity service {{ rack : rack; program : text; devices : whole device; wait : s kind wait >= 2 s }}
rack r {{ name = "Big Box"; also = "BB200, Maker BB200"; length = 2_000 tokens }}
service prod {{ rack = r; program = "{named}"; devices = {devices} devices }}
measure prod.wait = 3 s as m {{ length = {length}; place = "{place}"; program = "{program}"; load = "{load}" }}
"""


def measured(tmp_path, **given):
    said = {
        "length": '"2,000 tokens"',
        "place": "16 big box",
        "program": "Fast@2.0.1",
        "named": "Fast@2.0.1",
        "load": "alone",
        "devices": 16,
    }
    compiled_ = compiled(PLAN.format(**{**said, **given}), tmp_path)
    return compiled_.measurements[0]


def counts(tmp_path, **given) -> bool:
    return measured(tmp_path, **given).comparison != "does not count"


@pytest.mark.parametrize(
    "length",
    [
        '"2,000 tokens"',
        '"2_000"',
        '"2k tokens"',
        '"2.0k"',
        '" 2000  tokens "',
        "2_000 tokens",
        "2_000",
        "1_000 tokens * 2",
    ],
)
def test_a_length_that_is_the_plans(tmp_path, length):
    assert counts(tmp_path, length=length)


@pytest.mark.parametrize(
    "named",
    [
        "Fast@2.0.1+cu128",
        "Fast@2.0.1.dev5+gabc123",
        "maker/Fast-3.1-8B+tools",
        "C++ @2",
        "Fast~2",
        "R&D #4",
        "50% Fast!",
    ],
)
def test_a_name_counts_as_it_is_whatever_signs_it_has(tmp_path, named):
    assert counts(tmp_path, named=named, program=named)
    assert not counts(tmp_path, named=named, program=named.removesuffix(named[-2:]))
    assert not counts(tmp_path, named=named, program=f"{named}+more")


@pytest.mark.parametrize(
    "length", ['"2,001 tokens"', '"20k"', '"none"', "2_001 tokens", "2_001", '"1000 x 3"']
)
def test_a_length_that_is_not(tmp_path, length):
    assert not counts(tmp_path, length=length)


@pytest.mark.parametrize(
    "length",
    [
        '"the mix"',
        '"1,000 to 3,000 tokens"',
        '"lognormal, median 5,000"',
        '"3 s"',
        "3 s",
        '"x"',
        '"١٢ tokens"',
        '"about 2,000 tokens"',
        '"~2000"',
        '"-2,000"',
        '"2,000 tokens, mostly"',
        '"2,000 x"',
        '"x 2,000"',
    ],
)
def test_a_length_that_cannot_be_read_is_not_the_plans(tmp_path, length):
    assert not counts(tmp_path, length=length)


@pytest.mark.parametrize(
    "place",
    [
        "16 big box",
        "2 x 8 Big Box",
        "2x8 BIG BOX",
        "16x Big Box",
        "box, big, 16",
        "Big Box x 16",
        "Big Box ×16",
        "BB200x16",
        "16 x BB200",
        "16xBB200",
        "Maker BB200 x 16",
        "16 r",
        "16 devices (big-box)",
        "Big Box x 2 x 8",
    ],
)
def test_a_place_that_is_the_plans(tmp_path, place):
    assert counts(tmp_path, place=place)


@pytest.mark.parametrize(
    "place",
    [
        "16 big boxes",
        "16 bigbox",
        "8 big box",
        "2 x 9 big box",
        "2 x 8",
        "small box",
        "Big Box",
        "Big Box x 4",
        "16 Maker",
        "16 BB20",
        "16 big box and a switch",
        "box, big, of 16",
        "16 tokens big box",
        "about 16 big box",
    ],
)
def test_a_place_that_is_not(tmp_path, place):
    assert not counts(tmp_path, place=place)


@pytest.mark.parametrize("place", ["Big Box", "BB200", "1 x Big Box", "one", "r"])
def test_a_name_alone_is_of_one(tmp_path, place):
    assert counts(tmp_path, place=place, devices=1) == (place != "one")


@pytest.mark.parametrize(
    ("program", "agrees"),
    [
        ("fast@2.0.1", True),
        ("Fast v2.0.1", True),
        ("FAST 2.0.1", True),
        ("fast==2.0.1", True),
        ("fast (2.0.1)", True),
        ("Fast", False),
        ("2.0.1", False),
        ("Fast v2.0.10", False),
        ("Fast 2.0.1rc1", False),
        ("Fast@2.0.1, our build", False),
        ("not Fast@2.0.1", False),
    ],
)
def test_a_program_and_its_version(tmp_path, program, agrees):
    assert counts(tmp_path, program=program) == agrees


@pytest.mark.parametrize(
    ("load", "agrees"),
    [
        ("alone", True),
        ("Alone", True),
        ("one  by one", True),
        ("in turn, alone", True),
        ("alone; one by one", True),
        ("in turn", False),
        ("alone, 64 at once", False),
        ("alone; Poisson 5/s", False),
        ("not alone", False),
        ("alone or not", False),
    ],
)
def test_words(tmp_path, load, agrees):
    assert counts(tmp_path, load=load) == agrees


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"place": "4 Big Box"}, "place is 4 Big Box, and the plan has 16 devices"),
        (
            {"place": "4 small"},
            "place is 4 small, and the plan has Big Box (also called BB200, Maker BB200, r)",
        ),
        ({"place": "some Big Box"}, "place is some Big Box, which is not read as a whole: `16 x Big Box` is"),
        ({"length": '"some"'}, "length is some, which is not read as a whole: `2,000 tokens` is"),
        ({"program": "my Fast 2.0.1"}, "`Fast@2.0.1` is, and remarks are entries of their own"),
        ({"load": "busy"}, "load is busy, and this quantity is of alone or one by one"),
    ],
)
def test_what_would_agree_is_told(tmp_path, given, words):
    said = {
        "length": '"2,000 tokens"',
        "place": "16 big box",
        "program": "Fast@2.0.1",
        "named": "Fast@2.0.1",
        "load": "alone",
        "devices": 16,
    }
    (tmp_path / "a.plan").write_text(PLAN.format(**{**said, **given}), encoding="utf-8")
    found = compile_plan(load_plan(str(tmp_path / "a.plan"))).diagnostics
    assert [words in each.message for each in found if each.code == "CW0511"] == [True], found


ASIDE = """
unit second, seconds symbol s
kind wait : s for time
  context clock, place = rack.name, optional share = rack.share, optional wide = rack.wide, optional loose = rack.loose, optional extra
entity rack { name : text; share : number; wide : bool; loose : number }
entity service { rack : rack; wait : s kind wait >= 2 s; bare : s = 2 s }
assume spread = 1.5 in 1 .. 2 because "a guess"
rack r { name = "Big Box"; share = 0.5; wide = true; loose = spread }
service prod { rack = r }
measure prod.wait = 3 s as m { clock = "wall"; place = "big box"; SAID }
measure prod.bare = 2 s as n { place = "elsewhere" }
require prod.wait <= 4 s "in time"
"""


@pytest.mark.parametrize(
    ("said", "idle", "within", "unstated"),
    [
        ('build = "our own"', ("build",), {}, ("share", "wide")),
        ('share = 0.5; wide = "yes"; sahre = 0.9', ("sahre",), {}, ()),
        ('share = "50%"; loose = 1.5; extra = "x"', (), {"loose": "1 .. 2"}, ("wide",)),
        ('share = "50%"; wide = "yes"; loose = "some"', ("loose",), {}, ()),
    ],
)
def test_what_nothing_or_a_range_is_compared_with_is_told(tmp_path, said, idle, within, unstated):
    kinded, bare = compiled(ASIDE.replace("SAID", said), tmp_path).measurements
    assert (kinded.idle, kinded.within, kinded.unstated) == (idle, within, unstated)
    assert (bare.idle, bare.unstated) == (("place",), ())
    assert {f"r.{name}" for name in unstated}.isdisjoint(kinded.compared)
    assert ("r.share" in kinded.compared) == ("share" in kinded.context)
    told = dict(stated(kinded))
    assert all(told[name].endswith(" (compared with nothing)") for name in idle)
    assert all(told[name].endswith(f" (within what the plan has: {held})") for name, held in within.items())
    assert told.get("not stated, and so not compared", "") == ", ".join(unstated)
