"""What no compiled plan says, though it has the shape of a document: a range that holds nothing, a nominal value outside
its range, one name for two things."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from capwright.base.exact import number
from capwright.document.plandoc import PlanDoc


class Impossible(ValueError):
    """A document says what cannot be; the text names the place."""


_RANGES: Final = (
    ("low", "nominal", "high"),
    ("margin_low", "margin_nominal", "margin_high"),
    ("domain_low", "", "domain_high"),
)


def ranges_of(names: Iterable[str]) -> list[tuple[str, str, str]]:
    """The ranges that a record of these fields has: its low end, nominal value and high end."""
    known = set(names)
    return [each for each in _RANGES if each[0] in known and each[2] in known]


def check_range(record: Struct, ends: tuple[str, str, str]) -> None:
    """Nothing for a range that holds its nominal value. Raises `Impossible`."""
    texts = [getattr(record, end, None) for end in ends]
    low, nominal, high = map(number, texts)
    for below, above, words in (
        (low, high, f"`{ends[0]}` is above its `{ends[2]}`"),
        (low, nominal, f"`{ends[1]}` is below its `{ends[0]}`"),
        (nominal, high, f"`{ends[1]}` is above its `{ends[2]}`"),
    ):
        if below is not None and above is not None and below > above:
            name = next((getattr(record, key) for key in ("address", "id") if getattr(record, key, None)), "")
            raise Impossible(f"of {f'`{name[:80]}`' if name else f'a {type(record).__name__}'} {words}")


def check_names(doc: PlanDoc) -> None:
    """Nothing for a document in which every name is of one thing. Raises `Impossible`.

    A plan with errors may itself have given a name twice.
    """
    if any(each.severity == "error" for each in doc.diagnostics):
        return
    named: dict[str, Iterable[str]] = {
        "quantities": (name for q in doc.quantities for name in (q.address, *q.aliases)),
        "sources": (source.id for source in doc.sources),
        "verdicts": (verdict.id for verdict in doc.verdicts),
        "measurements": (measurement.address for measurement in doc.measurements),
        "evidence": (evidence.name for evidence in doc.evidence),
        "options": (option.address for option in doc.options),
        "caveats": (caveat.name for caveat in doc.caveats),
    }
    for holder, names in named.items():
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise Impossible(f"two of its `{holder}` are called `{name[:80]}`")
            seen.add(name)
