"""A law of messages: one mistake of syntax, wherever it is, gives one message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from capwright.base.source import Source
from capwright.compiling import compile_plan
from capwright.loading import load
from capwright.syntax.parse import parse

PLAN = """\
unit byte, bytes symbol B prefixes decimal binary
unit second, seconds symbol s
unit layer, layers counting
unit hour, hours = 3_600 s
kind demand : byte for capacity meets pool "asked for"
kind pool : byte for capacity "given"
kind wait : s for time context engine, load "waiting"
entity store { block : byte default 16 bytes; size : byte kind demand = 3 * block }
entity paged : store { pages : whole number; spare : byte = block * pages }
entity part { layers : whole layer; wide : byte = 2 bytes }
entity model { parts : list of part named part; mode : one of slow, fast default slow; hidden : number }
entity plan_of {
  cache : store
  model : model
  share : number in 0 .. 1 default 0.5
  memory "memory" { pool : byte kind pool default 1 MB; used : byte kind demand = need(cache, model) }
  time : s kind wait >= 3 s
  absent speed because "nothing says it"
  check share <= 0.9 "some is left"
}
formula weight(p: part) : byte over layer = p.layers * p.wide caveat rough for capacity "a guess"
formula need(c: store, m: model) : byte kind demand
formula need(c: paged, m: model) : byte kind demand = c.block + sum(weight(p) for p in m.parts) excludes weight
assume ratio : number = 0.8 in 0.7 .. 0.9 because "seen" from measure night
paged small { pages = 3 }
paged large from small { pages = 6; block = 32 bytes }
model tiny { hidden = 8; mode = fast; part full { layers = 2 layers }; part local { layers = 3 layers } }
plan_of prod { cache = small; model = tiny; memory.pool = 2 kB; share = ratio }
option big of prod { cache = large }
prod.memory.slack : byte = prod.memory.pool - 1 byte
half = 0.5 * prod.memory.slack
wide = tiny.parts.full.wide + tiny.parts.local.wide
late = prod.time + 1 hour + wide / 1 byte * 1 s
measure prod.time = 4 s as night { engine = "a"; load = "b" }
evidence shown of prod.time { engine = "a"; load = "b" } discharges rough
require prod.memory.used <= prod.memory.pool "it fits"
require prod@big.memory.used <= prod@big.memory.pool "the option fits"
expect half <= 3 kB
view bars of prod "sizes" : prod.memory.pool, half
report prod.memory, half, wide, late
moved prod.memory.free to prod.memory.slack
"""
BREAKS = [
    ("a sign too many", re.compile(r"(?<= )(?:=|:)(?= )"), lambda sign: f"{sign} {sign}"),
    ("a word lost", re.compile(r"\b\w+\b"), lambda word: ""),
    ("a sign lost", re.compile(r"[=:]"), lambda sign: ""),
    ("a number spoilt", re.compile(r"\b[0-9][0-9._]*\b"), lambda number: f"{number} * +"),
    ("a strange character", re.compile(r"(?<= )[a-z]"), lambda letter: f"?{letter}"),
    ("a semicolon lost", re.compile(r";(?= )"), lambda sign: ""),
    ("a brace lost", re.compile(r"[{}]"), lambda sign: ""),
    ("a string without an end", re.compile(r'"(?=[\s;:])'), lambda quote: ""),
]


def _told(folder: Path, text: str) -> list[str]:
    path = folder / "one.plan"
    path.write_text(text)
    return [f"{found.code}: {found.message}" for found in compile_plan(load(str(path))).diagnostics]


def test_the_plan_is_clean(tmp_path):
    assert _told(tmp_path, PLAN) == []


@pytest.mark.parametrize(("at", "spoil"), [each[1:] for each in BREAKS], ids=[each[0] for each in BREAKS])
def test_what_does_not_parse_is_said_once_however_it_is_used(at, spoil, tmp_path):
    """Where a spoilt text has one mistake of syntax, the plan has that one mistake and no other."""
    spoilt = 0
    for match in at.finditer(PLAN):
        text = PLAN[: match.start()] + spoil(match[0]) + PLAN[match.end() :]
        if len(parse(Source("one.plan", text))[1]) == 1:
            spoilt += 1
            told = _told(tmp_path, text)
            assert len(told) == 1, (PLAN[: match.end()].rpartition("\n")[2], told)
    assert spoilt > 5


@pytest.mark.parametrize("statement", [line for line in PLAN.splitlines() if re.match(r"\w", line)])
def test_a_misspelt_name_elsewhere_is_still_told(statement, tmp_path):
    """Whatever statement is broken behind its name."""
    broken = statement.replace(" = ", " = = ", 1).replace(" : ", " : : ", 1)
    text = PLAN.replace(statement, broken) + "other = misspelt + 1\n"
    found = parse(Source("one.plan", text))[1]
    told = _told(tmp_path, text)
    assert [line for line in told if "`misspelt`" in line], told
    assert len(told) == len(found) + 1, told
