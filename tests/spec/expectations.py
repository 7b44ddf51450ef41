"""The lines of an `expect` block: each is a pattern and the assertion it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from capwright.base.exact import parse_number
from tests.spec.cases import marked
from tests.spec.compiled import PLAN, Outcome, exact

Check = Callable[[Outcome, "re.Match[str]"], None]

ADDRESS: Final = r"(?P<address>[\w.@/\[\]#!]+)"
NUMBER: Final = r"-?[\d_]+(?:\.\d+)?(?:e-?\d+)?[kM]?(?:/\d+)?"
VALUE: Final = rf"(?P<value>{NUMBER})(?P<unit>.*)"
RANGE: Final = rf"(?P<low>open|{NUMBER}) \.\. (?P<high>open|{NUMBER})(?P<unit>.*)"
DIAGNOSTIC: Final = re.compile(
    r'(?P<severity>error|warning|hint) (?P<code>CW\d{4})(?: at (?P<at>[\w./ ()-]*:?\d+))?(?: "(?P<words>.*)")?'
)


def judge(outcome: Outcome, expect: str) -> None:
    """Raise `AssertionError` for the first line of `expect` that is not so."""
    lines = [line.strip() for line in expect.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    told = [line for line in lines if DIAGNOSTIC.fullmatch(line)]
    _judge_diagnostics(outcome, told, clean="clean" in lines)
    for line in lines:
        if line not in told and line != "clean":
            _judge_line(outcome, line)


def judge_marks(outcome: Outcome, plan: str) -> None:
    """A plan without an `expect` block gives the codes of its `#!` comments, on their lines, and no other."""
    places = sorted(
        (int(place.rpartition(":")[2]), d.code)
        for d in outcome.diagnostics
        for place in [outcome.place(d)]
        if d.severity == "error" or marked(plan)
    )
    assert places == sorted(marked(plan)), outcome.told()


def _judge_diagnostics(outcome: Outcome, told: list[str], *, clean: bool) -> None:
    if clean:
        assert not outcome.diagnostics, outcome.told()
    elif not told:
        assert all(d.severity != "error" for d in outcome.diagnostics), outcome.told()
    else:
        wanted = [f"{m['severity']} {m['code']}" for m in map(DIAGNOSTIC.fullmatch, told) if m]
        found = [f"{d.severity} {d.code}" for d in outcome.diagnostics]
        assert found == wanted, f"expected {wanted}, found:\n{outcome.told()}"
    for line, diagnostic in zip(told, outcome.diagnostics, strict=False):
        match = DIAGNOSTIC.fullmatch(line)
        assert match is not None
        if match["at"]:
            at = match["at"] if ":" in match["at"] else f"{PLAN}:{match['at']}"
            assert outcome.place(diagnostic) == at, outcome.told()
        if match["words"]:
            text = " ".join([diagnostic.message, diagnostic.help, *(note.text for note in diagnostic.notes)])
            assert match["words"] in text, outcome.told()


def _judge_line(outcome: Outcome, line: str) -> None:
    for pattern, check in CHECKS:
        match = pattern.fullmatch(line)
        if match is not None:
            try:
                check(outcome, match)
            except AssertionError as error:
                raise AssertionError(f"{line}\n{error}") from None
            return
    raise AssertionError(f"not a line of an expect block: {line}")


def _number(text: str) -> Fraction:
    above, _, below = text.partition("/")
    return Fraction(parse_number(above)) / int(below or 1)


def _base(outcome: Outcome, match: re.Match[str], part: str) -> Fraction | None:
    """One number of a line in base units; its unit must have the quantity's dimension."""
    if match[part] == "open":
        return None
    unit = outcome.unit(match["unit"].strip())
    dimension = outcome.quantity(match["address"]).unit.dimension
    assert dict(unit.dim.powers) == dimension, f"its dimension is {dimension}"
    return _number(match[part]) * Fraction(unit.factor)


def _ends(outcome: Outcome, match: re.Match[str]) -> tuple[Fraction | None, Fraction | None, Fraction | None]:
    quantity = outcome.quantity(match["address"])
    return exact(quantity.low), exact(quantity.nominal), exact(quantity.high)


def _is_point(outcome: Outcome, match: re.Match[str]) -> None:
    wanted = _base(outcome, match, "value")
    ends = _ends(outcome, match)
    assert ends == (wanted, wanted, wanted), _shown(outcome, match)


def _is_nominal(outcome: Outcome, match: re.Match[str]) -> None:
    assert _ends(outcome, match)[1] == _base(outcome, match, "value"), _shown(outcome, match)


def _is_range(outcome: Outcome, match: re.Match[str]) -> None:
    low, _, high = _ends(outcome, match)
    wanted = _base(outcome, match, "low"), _base(outcome, match, "high")
    assert (low, high) == wanted, _shown(outcome, match)


def _is_within(outcome: Outcome, match: re.Match[str]) -> None:
    low, _, high = _ends(outcome, match)
    least, most = _base(outcome, match, "low"), _base(outcome, match, "high")
    assert least is None or (low is not None and least <= low), _shown(outcome, match)
    assert most is None or (high is not None and high <= most), _shown(outcome, match)


def _is_low_bound(outcome: Outcome, match: re.Match[str]) -> None:
    assert _ends(outcome, match) == (_base(outcome, match, "value"), None, None), _shown(outcome, match)


def _is_high_bound(outcome: Outcome, match: re.Match[str]) -> None:
    assert _ends(outcome, match)[1:] == (None, _base(outcome, match, "value")), _shown(outcome, match)


def _is_truth(outcome: Outcome, match: re.Match[str]) -> None:
    assert outcome.quantity(match["address"]).truth is (match["truth"] == "true")


def _has_kind(outcome: Outcome, match: re.Match[str]) -> None:
    assert (outcome.quantity(match["address"]).kind or "none") == match["kind"]


def _carries(outcome: Outcome, match: re.Match[str]) -> None:
    quantity = outcome.quantity(match["address"])
    held = {
        "caveat": {*quantity.caveats_here, *quantity.caveats_inherited},
        "excludes": set(quantity.exclusions),
        "leans": set(quantity.sources),
    }[match["what"]]
    assert (match["name"] in held) is (match["no"] is None), f"it has {sorted(held)}"


def _is_absent(outcome: Outcome, match: re.Match[str]) -> None:
    assert outcome.document is not None, outcome.told()
    assert match["address"] not in {quantity.address for quantity in outcome.document.quantities}


def _verdict(outcome: Outcome, match: re.Match[str]) -> None:
    assert outcome.document is not None, outcome.told()
    found = {verdict.label: verdict for verdict in outcome.document.verdicts}
    assert match["label"] in found, f"verdicts: {sorted(found)}"
    verdict = found[match["label"]]
    if match["mark"]:
        marks = {"caveat": verdict.caveats, "excludes": verdict.exclusions, "leans": verdict.leans_on}
        held = marks[match["what"]]
        assert (match["mark"] in held) is (match["no"] is None), f"it has {held}"
    else:
        margin = f"margin {verdict.margin_low} .. {verdict.margin_high}, leans on {verdict.leans_on}"
        assert verdict.status == match["status"], f"it is {verdict.status}; {margin}"


def _measured(outcome: Outcome, match: re.Match[str]) -> None:
    assert outcome.document is not None, outcome.told()
    found = {m.address: m.comparison for m in outcome.document.measurements}
    assert found.get(match["address"]) == match["status"], str(found)


def _evidence(outcome: Outcome, match: re.Match[str]) -> None:
    assert outcome.document is not None, outcome.told()
    found = {e.name: e for e in outcome.document.evidence}
    assert match["name"] in found, f"evidence: {sorted(found)}"
    assert found[match["name"]].counts is (match["counts"] == "counts"), found[match["name"]].reason


def _shown(outcome: Outcome, match: re.Match[str]) -> str:
    quantity = outcome.quantity(match["address"])
    factor = Fraction(quantity.unit.factor)
    ends = [exact(end) for end in (quantity.low, quantity.nominal, quantity.high)]
    low, nominal, high = ("none" if end is None else str(end / factor) for end in ends)
    return f"found low {low}, nominal {nominal}, high {high} in {quantity.unit.symbol or '1'}"


CHECKS: Final[list[tuple[re.Pattern[str], Check]]] = [
    (re.compile(rf"kind {ADDRESS} (?P<kind>\w+)"), _has_kind),
    (re.compile(rf"(?P<no>no )?(?P<what>caveat|excludes|leans) {ADDRESS} (?P<name>\S.*)"), _carries),
    (re.compile(rf"absent {ADDRESS}"), _is_absent),
    (
        re.compile(
            r'verdict "(?P<label>[^"]*)" (?:'
            r"(?P<no>no )?(?P<what>caveat|excludes|leans) (?P<mark>\S.*)|"
            r"(?P<status>holds|violated|not established|expected|not expected|contradicted))"
        ),
        _verdict,
    ),
    (
        re.compile(
            rf"measured {ADDRESS} (?P<status>agreement|contradiction|not independent|gap closed|does not count)"
        ),
        _measured,
    ),
    (re.compile(r"evidence (?P<name>\w+) (?P<counts>counts|does not count)"), _evidence),
    (re.compile(rf"{ADDRESS} is (?P<truth>true|false)"), _is_truth),
    (re.compile(rf"{ADDRESS} = {VALUE}"), _is_point),
    (re.compile(rf"{ADDRESS} ~ {VALUE}"), _is_nominal),
    (re.compile(rf"{ADDRESS} in {RANGE}"), _is_range),
    (re.compile(rf"{ADDRESS} within {RANGE}"), _is_within),
    (re.compile(rf"{ADDRESS} >= {VALUE}"), _is_low_bound),
    (re.compile(rf"{ADDRESS} <= {VALUE}"), _is_high_bound),
]
