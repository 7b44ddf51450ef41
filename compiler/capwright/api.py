"""Plans from Python: load, check, compile, compare, and read values by address.

```python
from capwright import api

plan = api.load("plans/fleet.plan", {"prod.sharding.tensor": "8 devices"})
for message in plan.messages:
    print(message.code, message.place, message.message)

made = api.compile(plan)                     # raises api.PlanError where the plan has errors
for verdict in made.verdicts:
    print(verdict.status, verdict.label)     # holds, violated, not established, …
pool = made["prod.memory.pool"]
pool.exact, pool.float, pool.unit            # Fraction(…), 34.1, "GiB/device"
frame = pandas.DataFrame(made.rows("prod.memory"))
kept = api.read_report("reports/fleet.json") # what `capwright build` wrote, with the same numbers
```

A mistake in a plan is a value in `messages`; only asking for what is not there raises. Numbers are in the unit that
`unit` names. Nothing here prints, and nothing writes a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Literal, Protocol, TypedDict, TypeVar

from msgspec import Struct

from capwright.base.counting import counted
from capwright.base.diagnostic import Diagnostic, near_or
from capwright.base.exact import Number, from_text, nearest_float
from capwright.base.source import Span, place_text
from capwright.compiling import Compiled, compile_plan
from capwright.document.codec import diff_from_json, from_json, to_json
from capwright.document.diagnostic_docs import diagnostic_docs
from capwright.document.diffdoc import DiffDoc
from capwright.document.outcome import findings_of
from capwright.document.plandoc import DiagnosticDoc, PlanDoc, Quantity, VerdictDoc
from capwright.document.sizes import symbol_of
from capwright.loading import ReadProblem, read_typed, tool_sha256
from capwright.loading import load as _load
from capwright.loading.files import DATA_CAP
from capwright.render.scaling import readable

__all__ = [
    "DiffDoc",
    "Message",
    "Plan",
    "PlanDoc",
    "PlanError",
    "Report",
    "Row",
    "Value",
    "Verdict",
    "check",
    "compile",
    "diff",
    "load",
    "read_diff",
    "read_report",
]

T = TypeVar("T")


def __dir__() -> list[str]:
    """What is meant for use; the rest is how it is made."""
    return list(__all__)


Message = DiagnosticDoc
Verdict = VerdictDoc


class PathLike(Protocol):
    """A path, such as a `pathlib.Path`."""

    def __fspath__(self) -> str: ...


class PlanError(Exception):
    """A plan that cannot be compiled, or a document that cannot be read; `messages` say why."""

    def __init__(self, path: str, messages: tuple[Message, ...]) -> None:
        first = next((one for one in messages if one.severity == "error"), None)
        told = f": {first.code} {first.place}: {first.message}" if first is not None else ""
        super().__init__(f"{path} has errors{told}")
        self.path = path
        self.messages = messages


class Row(TypedDict):
    """One quantity as a plain row, for a table or a data frame, None where there is no number.

    `low`, `nominal` and `high` are the nearest floats, `exact_low` and its like the same numbers unrounded, as text; all
    are in `unit`. The columns of these names that `capwright show` writes as JSON and CSV mean the same.
    """

    address: str
    label: str | None
    unit: str
    kind: str | None
    relation: str
    low: float | None
    nominal: float | None
    high: float | None
    exact_low: str | None
    exact_nominal: str | None
    exact_high: str | None
    approximate: bool
    source: str
    place: str
    caveats: tuple[str, ...]


class Value(Struct, frozen=True):
    """A quantity: its numbers in the unit `unit`, and all else that its document says of it, in `quantity`.

    `low` and `high` are what is established, None where that end is open; `exact` is the nominal value, None for a
    bound, which has none.
    """

    quantity: Quantity

    @property
    def address(self) -> str:
        return self.quantity.address

    @property
    def unit(self) -> str:
        """The symbol of the unit that the numbers are in; "" for a pure number."""
        return symbol_of(self.quantity.unit)

    @property
    def low(self) -> Fraction | None:
        return self._in_unit(self.quantity.low)

    @property
    def exact(self) -> Fraction | None:
        """The nominal value, unrounded."""
        return self._in_unit(self.quantity.nominal)

    @property
    def high(self) -> Fraction | None:
        return self._in_unit(self.quantity.high)

    @property
    def float(self) -> float:
        """The nominal value as the nearest float; raises `ValueError` where there is none."""
        if self.exact is None:
            raise ValueError(f"`{self.address}` has no nominal value: see its `low` and `high`")
        return nearest_float(self.exact)

    @property
    def truth(self) -> bool | None:
        """For a truth: whether it holds; None for a number, and where it is not established."""
        return self.quantity.truth

    @property
    def caveats(self) -> tuple[str, ...]:
        """The names of the caveats that stand on it."""
        return (*self.quantity.caveats_here, *self.quantity.caveats_inherited)

    def __repr__(self) -> str:
        ends = f"established {_end(self.low)} .. {_end(self.high)}"
        if self.truth is not None:
            said = str(self.truth).lower()
        elif self.low is not None and self.low == self.high:
            said = f"{_end(self.low)} {self.unit}".rstrip()
        else:
            said = " ".join(filter(None, (None if self.exact is None else _end(self.exact), ends, self.unit)))
        return f"Value({self.address!r}, {said})"

    def row(self) -> Row:
        """The value as a plain row."""
        q = self.quantity
        low, exact, high = self.low, self.exact, self.high
        return {
            "address": q.address, "label": q.label, "unit": self.unit, "kind": q.kind, "relation": q.relation,
            "low": None if low is None else nearest_float(low),
            "nominal": None if exact is None else nearest_float(exact),
            "high": None if high is None else nearest_float(high),
            "exact_low": None if low is None else str(low),
            "exact_nominal": None if exact is None else str(exact),
            "exact_high": None if high is None else str(high),
            "approximate": q.approximate, "source": q.provenance.text, "place": place_text(q.provenance.place),
            "caveats": self.caveats,
        }  # fmt: skip

    def _in_unit(self, text: str | None) -> Fraction | None:
        if text is None:
            return None
        value: Number = from_text(text)
        return Fraction(value) / Fraction(self.quantity.unit.factor)


def _end(value: Fraction | None) -> str:
    """A number for a glance, and `open` for an end that is not established."""
    return "open" if value is None else f"{nearest_float(value):.6g}"


class Plan(Struct, frozen=True):
    """A plan that was read and worked out. `messages` are what is wrong with it, `verdicts` what it requires."""

    path: str
    compiled: Compiled | None
    messages: tuple[Message, ...]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return self.compiled.verdicts if self.compiled is not None else ()

    @property
    def failed(self) -> bool:
        """Whether it has errors."""
        return self.compiled is None or self.compiled.failed

    def __repr__(self) -> str:
        return f"Plan({self.path!r}, {counted(len(self.messages), 'message')})"


class Report(Struct, frozen=True):
    """A plan without errors, with all its numbers; `verdicts` are what it requires. `document` is what `capwright build` writes
    as JSON."""

    document: PlanDoc
    _quantities: Mapping[str, Quantity]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return self.document.verdicts

    def __getitem__(self, address: str) -> Value:
        """The value at an address or alias; `KeyError`, with the nearest spelling, where there is none."""
        found = self._quantities.get(address)
        if found is None:
            known = [name for name, one in self._quantities.items() if not one.internal]
            raise KeyError(
                f"the plan has no quantity `{address}`: {near_or(address, known, 'its addresses are `list(report)`')}"
            )
        return Value(found)

    def __contains__(self, address: object) -> bool:
        return address in self._quantities

    def __iter__(self) -> Iterator[str]:
        """The addresses, in the order of the plan, without those of formula calls inside others."""
        return (one.address for one in self.document.quantities if not one.internal)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def rows(self, *prefixes: str) -> list[Row]:
        """The values at or below some addresses, all where none is given, as plain rows.

        `KeyError`, with the nearest spelling, for an address that nothing stands at or below.
        """
        known = list(self)
        wanted = set() if prefixes else set(known)
        for prefix in prefixes:
            below = [one for one in known if one == prefix or one.startswith((f"{prefix}.", f"{prefix}@"))]
            wanted.update(below or [self[prefix].address])
        return [
            self[address].row() for address in dict.fromkeys((*known, *sorted(wanted))) if address in wanted
        ]

    def json(self) -> str:
        """The document as JSON text."""
        return to_json(self.document)

    def __repr__(self) -> str:
        return f"Report({self.document.path!r}, {counted(len(self), 'quantity', 'quantities')})"


def _demand(given: object, sort: type[Plan | Report], made_by: str) -> None:
    """Raise `TypeError` for what is not what another function here gives."""
    if not isinstance(given, sort):
        raise TypeError(f"it takes a {sort.__name__}, which `{made_by}` gives, and no {type(given).__name__}")


def load(path: str | PathLike, overrides: Mapping[str, str] | None = None) -> Plan:
    """Read the plan at `path` with all that it uses, and work it out.

    `overrides` are values at addresses, written as in a plan (`{"prod.sharding.tensor": "8 devices"}`). What is
    wrong is in the result's `messages`; nothing is raised for a mistake in a plan, nor for a file that is not there, which
    `failed` tells, and `compile` by raising. Raises `TypeError` for what is no
    path, and for overrides that are no texts.
    """
    shown = _path(path)
    _demand_texts(overrides)
    loaded = _load(shown)
    if not loaded.main:
        return Plan(shown, None, diagnostic_docs(loaded.diagnostics, loaded.sources))
    made = compile_plan(loaded, tuple((overrides or {}).items()), tool_sha256=tool_sha256())
    return Plan(shown, made, diagnostic_docs(made.diagnostics, made.sources))


def _path(path: object) -> str:
    shown = path.__fspath__() if hasattr(path, "__fspath__") else path
    if not isinstance(shown, str):
        raise TypeError(
            f"a plan's path is a text or a path such as `pathlib.Path`, and no {type(shown).__name__}"
        )
    return shown


def _demand_texts(overrides: Mapping[str, str] | None) -> None:
    if overrides is None:
        return
    if not isinstance(overrides, Mapping):
        raise TypeError(f"`overrides` is a mapping of addresses to values, and no {type(overrides).__name__}")
    for address, value in overrides.items():
        if not (isinstance(address, str) and isinstance(value, str)):
            raise TypeError(
                f'an override is text, as a plan has it ("8 devices"): `{address}` is set to {value!r}'
            )


def check(plan: Plan, *, strict: bool = False) -> Literal["clean", "findings"]:
    """What `capwright check` would say of it: findings are errors, violated requirements and contradictions; with
    `strict`, requirements that are not established too. Raises `TypeError` for what `load` did not give."""
    _demand(plan, Plan, "load(path)")
    if plan.compiled is None or plan.failed:
        return "findings"
    found = findings_of(plan.verdicts, plan.compiled.measurements, strict=strict)
    return "findings" if found else "clean"


def compile(plan: Plan) -> Report:
    """The plan with all its numbers; raises `PlanError` where it has errors, `TypeError` for what `load` did not give."""
    _demand(plan, Plan, "load(path)")
    if plan.compiled is None or plan.failed:
        raise PlanError(plan.path, plan.messages)
    return _report(plan.compiled.sound)


def _report(document: PlanDoc) -> Report:
    shown = readable(document)
    quantities = {alias: one for one in shown.quantities for alias in one.aliases}
    quantities.update((one.address, one) for one in shown.quantities)
    return Report(document, quantities)


def read_report(path: str | PathLike) -> Report:
    """A report that `capwright build` or `Report.json` wrote; raises `PlanError` for what is none.

    An older minor version is read with its defaults; of a newer one the additions are left out.
    """
    return _report(_document(path, from_json))


def read_diff(path: str | PathLike) -> DiffDoc:
    """A comparison that `capwright diff --format json` wrote, read as `read_report` reads a report."""
    return _document(path, diff_from_json)


def _document(
    path: str | PathLike, decode: Callable[[str, str], tuple[T | None, tuple[Diagnostic, ...]]]
) -> T:
    shown = path if isinstance(path, str) else path.__fspath__()
    try:
        text = read_typed(shown, DATA_CAP)[1].decode("utf-8", "replace")
    except ReadProblem as problem:
        found = Diagnostic(problem.code, Span(shown, 0, 0), problem.message, problem.help)
        raise PlanError(shown, diagnostic_docs((found,), {})) from None
    document, problems = decode(text, shown)
    if document is None:
        raise PlanError(shown, diagnostic_docs(problems, {}))
    return document


def diff(before: Report, after: Report, names: tuple[str, str] = ("before", "after")) -> DiffDoc:
    """What changed between two plans, and which declarations changed it. Raises `TypeError` for what is no report."""
    for report in (before, after):
        _demand(report, Report, "compile(load(path))")
    from capwright.comparison.compare import compare

    return compare(before.document, after.document, names)
