"""Named nodes to the quantities of a document."""

from __future__ import annotations

from msgspec.structs import replace

from capwright.base.dimension import UnitTable, UnknownUnit
from capwright.base.exact import Number, to_text
from capwright.base.interval import Range, Value, as_range
from capwright.base.source import IMPORTED, Source, Span
from capwright.document.deciders import Deciding
from capwright.document.marks import Marks
from capwright.document.naming import Names
from capwright.document.plandoc import Provenance, Quantity, QuantityMarks, UnitText
from capwright.document.trees import Trees
from capwright.graph.context import Bound, Context
from capwright.graph.tape import BindInfo, CallInfo, is_confidential
from capwright.syntax import tree


def _marks(marks: Marks, node: int, kind: str | None) -> QuantityMarks:
    """What stands on a node as on a quantity of this kind."""
    shown = marks.shown(node, kind)
    here = marks.entering(node) & shown
    return QuantityMarks(
        tuple(sorted(here)),
        tuple(sorted(shown - here)),
        tuple(sorted(name for at, name in marks.discharged if at == node)),
        tuple(sorted(marks.excluded[node])),
    )


def end(value: Number | None) -> str | None:
    """An exact end as text."""
    return None if value is None else to_text(value)


def unit_text(units: UnitTable, spelling: str, node_dim: dict[str, int]) -> UnitText:
    """How a quantity is printed."""
    try:
        unit = units.read(spelling)
    except UnknownUnit:
        return UnitText(spelling, "1", node_dim)
    return UnitText(
        "" if not unit.dim.powers and unit.factor == 1 else spelling, to_text(unit.factor), node_dim
    )


class Quantities:
    """Writes quantities. `values` are the evaluated values by node, `tight` the tightened ones."""

    def __init__(
        self,
        ctx: Context,
        names: Names,
        marks: Marks,
        trees: Trees,
        values: list[Value | None],
        tight: dict[int, tuple[Range, bool]],
        leaning: dict[int, tuple[str, ...]],
    ) -> None:
        self.ctx = ctx
        self.names = names
        self.marks = marks
        self.trees = trees
        self.values = values
        self.tight = tight
        self.leaning = leaning
        self.deciding = Deciding(ctx, names)

    def bound(self, address: str) -> Quantity | None:
        """The quantity at a binding's address; None where it could not be computed."""
        held = self.names.bound[address]
        node = held.value.node
        info = self.ctx.tape.data[node]
        assert isinstance(info, BindInfo)
        provenance = replace(self._provenance(held), flag=_flag(held), declared=self._declared(held))
        relation = "assume" if isinstance(held.statement, tree.Assume) else info.relation
        return self._quantity(
            node, address, self._label(held, info), info.kind, relation, info.whole, provenance,
            self.ctx.text(held.expr.span) + counting_clauses(held.statement.clauses), info.unit, internal=bool(held.inside),
        )  # fmt: skip

    def inside(self, address: str) -> Quantity | None:
        """The quantity of what belongs to a binding: a formula call, or a field of a copy that has no name."""
        return self.bound(address) if address in self.names.bound else self._call(address)

    def _call(self, address: str) -> Quantity | None:
        node = self.names.node_of[address]
        info = self.ctx.tape.data[node]
        assert isinstance(info, CallInfo)
        root = self.ctx.tape.args[node][0]
        provenance = self._at("derived", "", None, info.site)
        written = self.ctx.text(self._body(root, info)) + counting_clauses(info.clauses)
        arguments = ", ".join(a or p for a, p in zip(info.static, info.parameters, strict=True))
        label = info.clauses.label or f"{info.formula}({arguments})"
        return self._quantity(
            node,
            address,
            label,
            info.kind,
            info.relation,
            info.whole,
            provenance,
            written,
            info.unit,
            internal=True,
        )

    def _body(self, root: int, info: CallInfo) -> Span:
        """Where the body is written that a call took. One that hands on what it was given comes to a node that is written
        elsewhere: what is written there is not its own to tell."""
        site, found = info.site, self.ctx.tape.spans[root]
        decl = self.ctx.used.get(site)
        own = found.file == site.file and site.start <= found.start and found.end <= site.end
        return found if own or decl is None or decl.body is None else decl.body.span

    def _quantity(
        self,
        node: int,
        address: str,
        label: str | None,
        kind: str | None,
        relation: str,
        whole: bool,
        provenance: Provenance,
        written: str,
        unit: str,
        *,
        internal: bool,
    ) -> Quantity | None:
        value = self.values[node]
        if value is None:
            return None
        tape = self.ctx.tape
        held, loose = self.tight.get(node, (as_range(value), False))
        told = _marks(self.marks, node, kind)
        truth = self._truth(node, held)
        decided_by, through = self.deciding.of(node)
        return Quantity(
            address,
            label,
            unit_text(self.ctx.program.units, unit, dict(tape.dims[node].powers)),
            kind,
            relation,  # type: ignore[arg-type]  # the language has no other relation
            end(held.low),
            end(held.nominal),
            end(held.high),
            held.approximate,
            loose,
            whole,
            truth,
            provenance,
            self.trees.of(node),
            written,
            self.leaning.get(node, ()),
            told.caveats_here,
            told.caveats_inherited,
            told.discharged,
            told.exclusions,
            internal,
            tuple(self.names.aliases.get(address, ())),
            self._binding_argument(node),
            *self._domain(node),
            is_confidential(tape, node) or self.trees.hides(node),
            decided_by,
            through,
            self.deciding.given(node),
            self._possible(node, kind),
        )

    def _possible(self, node: int, kind: str | None) -> QuantityMarks | None:
        """What may stand, where that is not what does."""
        possible = self.marks.possible
        if possible is self.marks:
            return None
        told = _marks(possible, node, kind)
        return None if told == _marks(self.marks, node, kind) else told

    def _domain(self, node: int) -> tuple[str | None, str | None]:
        info = self.ctx.tape.data[node]
        assert isinstance(info, BindInfo | CallInfo)
        return end(info.low), end(info.high)

    def _truth(self, node: int, held: Range) -> bool | None:
        """For a truth: whether it holds; None for a number, and for a truth that is not established."""
        tape = self.ctx.tape
        data = tape.data[node]
        root = tape.args[node][0]
        while tape.ops[root] == "call":
            root = tape.args[root][0]
        named = isinstance(data, BindInfo) and data.truth
        if not named and tape.ops[root] not in ("lt", "le", "eq", "ne", "and", "or", "not", "divides"):
            return None
        return bool(held.low) if held.low is not None and held.low == held.high else None

    def _binding_argument(self, node: int) -> str | None:
        """Which argument of a `min` or `max` binds at the nominal value."""
        tape = self.ctx.tape
        root = tape.args[node][0]
        if tape.ops[root] not in ("min", "max"):
            return None
        value = self.values[root]
        nominal = as_range(value).nominal if value is not None else None
        for arg in tape.args[root]:
            value = self.values[arg]
            if value is not None and nominal is not None and as_range(value).nominal == nominal:
                return self._spoken(arg)
        return None

    def _spoken(self, node: int) -> str | None:
        """What a reader knows a node by: the name of a quantity, or the formula that is called there."""
        name = self.names.of_node.get(node)
        info = self.ctx.tape.data[node]
        if name is None or not isinstance(info, CallInfo):
            return name
        return info.clauses.label or f"{info.formula}({f'{info.element}, …' if info.element else '…'})"

    def _label(self, held: Bound, info: BindInfo) -> str | None:
        if info.clauses.label:
            return info.clauses.label
        if held.field is not None and held.field.decl.clauses.label:
            return held.field.decl.clauses.label
        kind = self.ctx.program.main.all_kinds.get(info.kind or "")
        return kind.decl.label if kind is not None else None

    def _provenance(self, held: Bound) -> Provenance:
        statement = held.statement
        clauses = statement.clauses
        span = statement.span
        if isinstance(statement, tree.Assume):
            text = clauses.because or clauses.source or ""
            return self._at("assumption", text, clauses.review, span)
        if clauses.key is not None:
            return self._at("imported", clauses.key, clauses.review, span)
        if clauses.source is not None:
            return self._at("fact", clauses.source, clauses.review, span)
        if isinstance(statement, tree.Field) and held.field is not None and statement is held.field.decl:
            sort = "derived" if held.field.role == "derived" else "default"
            return self._at(sort, clauses.because or "", clauses.review, span)
        if not _literal(held.expr):
            return self._at("derived", clauses.because or "", clauses.review, span)
        if span.file.endswith(IMPORTED):
            sort = "imported"
        else:
            sort = "fact" if span.file in self.ctx.program.library else "choice"
        return self._at(sort, clauses.because or "", clauses.review, span)

    def _declared(self, held: Bound) -> str | None:
        if held.field is None or held.statement is held.field.decl:
            return None
        span = held.field.decl.span
        source = self.ctx.sources.get(span.file)
        return None if source is None else source.place(span.start)

    def _at(self, sort: str, text: str, review: str | None, span: Span) -> Provenance:
        source = self.ctx.sources.get(span.file)
        if source is None:
            return Provenance(sort, text, review, span.file, "")  # type: ignore[arg-type]  # callers name a sort
        return Provenance(sort, text, review, source.place(span.start), line_of(source, span))  # type: ignore[arg-type]  # callers name a sort


def _flag(held: Bound) -> str | None:
    """The launch flag that carries a field: of what sets it, else of its declaration."""
    declared = held.field.decl.clauses.flag if held.field is not None else None
    return held.statement.clauses.flag or declared


def line_of(source: Source, span: Span) -> str:
    """The line of a plan that a span starts on, without its indentation."""
    return source.line(source.line_column(span.start)[0]).strip()


def counting_clauses(clauses: tree.Clauses) -> str:
    """`over a, b  each c` as it stands beside a formula: it is a cast of counting dimensions, so it is
    shown wherever the formula is."""
    parts = [
        f"{word} {', '.join(names)}"
        for word, names in (("over", clauses.over), ("each", clauses.each))
        if names
    ]
    return "".join(f"  {part}" for part in parts)


def _literal(expr: tree.Expr) -> bool:
    """Whether a number or a truth is written here and not computed."""
    return isinstance(expr, tree.Quantity) or (isinstance(expr, tree.Name) and expr.name in ("true", "false"))
