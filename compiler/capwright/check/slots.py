"""What a written type means: `TypeRef` to `Slot`."""

from __future__ import annotations

from typing import Final

from capwright.base.diagnostic import Missing, Spelling
from capwright.base.dimension import ONE, Dimension, Unit, UnitTable, UnknownUnit
from capwright.base.exact import Number, TooLarge, mul
from capwright.base.source import Span
from capwright.check.declared import Lost, Scope, Slot
from capwright.check.other_sorts import misplaced
from capwright.check.report import Report
from capwright.check.units import lost_unit, unit_out_of_bounds
from capwright.syntax import tree

TOO_MANY_DIGITS: Final = ("this number has too many digits", "write it with fewer, or another unit")
"""What is said of a literal that is over the budget once its unit is counted in, and the way out."""


class Slots:
    """Resolves types. `value_types` are the value types the kernel brings, such as distributions."""

    def __init__(self, units: UnitTable, value_types: tuple[str, ...], lost: Lost, report: Report) -> None:
        self.units = units
        self.value_types = value_types
        self.lost = lost
        self.report = report
        self._named: dict[tuple[object, ...], Slot] = {}
        """What types without a domain of their own mean, by how and where they are written: most are written often."""

    def read(self, ref: tree.TypeRef, kind: str | None, scope: Scope) -> Slot | None:
        """The slot of a written type, or None where the type or the kind is wrong (which is then reported)."""
        if ref.choices:
            return Slot("choice", choices=ref.choices)
        if ref.list_of:
            element = self.read(tree.TypeRef(ref.span, ref.spelling), None, scope)
            return element and Slot("list", element=element, word=ref.element_word)
        if ref.low is not None or ref.high is not None:
            return self._of_name(ref, kind, scope)
        key = (ref.spelling, ref.whole, ref.static, ref.signed, kind, scope)
        found = self._named.get(key)
        if found is None:
            slot = self._of_name(ref, kind, scope)
            if slot is None or (kind is not None and slot.kind is None):
                return slot  # a mistake is told wherever it stands
            found = self._named[key] = slot
        return found

    def _of_name(self, ref: tree.TypeRef, kind: str | None, scope: Scope) -> Slot | None:
        name = ref.spelling
        if name in ("text", "bool"):
            return Slot(name)  # type: ignore[arg-type]  # one of the two sorts
        if name in self.value_types:
            return Slot("value", name=name)
        entity = None if ref.whole else scope.entity(name)
        if entity is not None:
            return Slot("entity", name=name, entity=entity)
        return self._quantity(ref, kind, scope)

    def _quantity(self, ref: tree.TypeRef, kind: str | None, scope: Scope) -> Slot | None:
        unit = self.unit("" if ref.spelling in ("number", "") else ref.spelling, ref.span, scope)
        if unit is None:
            return None
        dim = unit.dim
        low: Number | None = None if ref.signed else 0
        high: Number | None = None
        if ref.low is not None or ref.high is not None:
            low, high = self._end(ref.low, low, dim), self._end(ref.high, None, dim)
            if low is not None and high is not None and low > high:
                self.report.say(
                    "CW0307",
                    ref.span,
                    "this domain holds no number: its low end is above its high end",
                    "swap them",
                )
                return None
        if kind is not None:
            known = scope.kind(kind)
            if known is None:
                if not scope.unsaid(kind):
                    self.report.say(
                        "CW0330",
                        ref.span,
                        misplaced(scope, kind, "a kind") or f"there is no kind `{kind}`",
                        Spelling(kind, scope.kinds, missing="kind"),
                    )
                return None
            if known.dim is not dim:
                self.report.say(
                    "CW0331",
                    ref.span,
                    f"kind `{kind}` is of {known.dim.text()}, this is {dim.text()}",
                    f"write the type `{known.decl.unit}`, or choose a kind of {dim.text()}",
                )
                return None
            kind = known.name
        return Slot("quantity", dim, unit.symbol, unit.factor, kind, ref.whole, ref.static, low, high)

    def _end(self, expr: tree.Expr | None, otherwise: Number | None, dim: Dimension) -> Number | None:
        if expr is None:
            return otherwise
        whole = expr
        sign = 1
        if isinstance(expr, tree.Unary) and expr.operator == "-":
            expr, sign = expr.operand, -1
        if isinstance(expr, tree.Quantity):
            unit = self.unit(expr.unit, expr.span, None)
            if unit is None:
                return otherwise
            if unit.dim is dim or expr.value == 0:
                try:
                    return mul(sign * expr.value, unit.factor)
                except TooLarge:
                    self.report.say("CW0402", expr.span, *TOO_MANY_DIGITS)
                    return otherwise
            self.report.say(
                "CW0301",
                whole.span,
                f"the domain is of {dim.text()}, and this end of it of {unit.dim.text()}",
                "give both ends in the unit of the quantity",
            )
            return otherwise
        self.report.say(
            "CW0307", expr.span, "the ends of a domain are literals", "write `in 0 .. 1`, for one"
        )
        return otherwise

    def unit(self, text: str, span: Span, scope: Scope | None, wanted: str = "") -> Unit | None:
        """The unit that `text` spells; an unknown one is reported with the nearest spelling, among those that measure the
        same as `wanted` where that is said."""
        if not text:
            return ONE
        try:
            return self.units.read(text)
        except UnknownUnit as unknown:
            name = str(unknown.args[0])
            if lost_unit(name, self.lost) or (scope is not None and scope.unsaid(text)):
                return None
            known = [*self.units.by_name, *(scope.entities if scope is not None else ())]
            missing: Missing = "unit" if scope is None else "type"
            help = (scope.behind(name) if scope is not None else None) or Spelling(
                name, known, missing=missing, fitting=lambda: self._alike(wanted) if name == text else ()
            )
            wrong = misplaced(scope, name, "a unit or a type") if scope is not None else None
            self.report.say("CW0303", span, wrong or f"`{name}` is neither a unit nor a type", help)
        except TooLarge:
            self.report.say("CW0308", span, *unit_out_of_bounds(text))
        return None

    def _alike(self, wanted: str) -> list[str]:
        """The names of the units that measure the same as this one, itself first, of each the word for several."""
        try:
            dim = self.units.read(wanted).dim
        except UnknownUnit:
            return []
        names = [wanted, *(name for name, unit in self.units.by_name.items() if unit.dim is dim)]
        return [] if not wanted else list(dict.fromkeys(self.units.plural.get(name, name) for name in names))
