"""One quantity traced: down to what it derives from, or up to what depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from capwright.base.address import owner_of
from capwright.base.counting import counted
from capwright.base.source import place_text
from capwright.document.evidencing import Evidencing
from capwright.document.plandoc import PlanDoc, Quantity
from capwright.graph.questions import digraph, path_between
from capwright.render.derivations import not_established, origin
from capwright.render.escape import terminal_text
from capwright.render.figures import in_full, measurement_ends, quantity_ends
from capwright.render.folding import folded
from capwright.render.formulas import numbers_put_in, symbols, truth_or_value
from capwright.render.index import Index, deciding, index, references, users
from capwright.render.measured import MEASURED, measurement_pieces, measurements_of
from capwright.render.pieces import Name
from capwright.render.stated import stated
from capwright.render.terminal.style import PLAIN, Style, fitted, said
from capwright.render.undecided import undecided
from capwright.render.words import CONFIDENTIAL, STATUS

_CARRIERS: Final = 40
"""As many quantities are named that carry a caveat."""
_WRITTEN: Final = 3
"""For as many things evidence is written out."""

Children = Callable[[Quantity], list[Quantity]]


def explain(
    doc: PlanDoc, address: str, depth: int | None = None, style: Style = PLAIN, wide: int | None = None
) -> str:
    """The derivation of `address` as a tree, `depth` levels deep (all where None), in lines of at most `wide` columns.

    A step that only names another number is told in the line of what it is named in, and is no level. A quantity that
    was shown already is only named again, but where it stood too deep for what it comes from, which is shown
    where there is room for it. The address must be one of the document.
    """
    of = index(doc)

    def below(quantity: Quantity) -> list[Quantity]:
        formula = folded(quantity, of.quantities).body.formula
        found = (of.quantities.get(address) for address in references(formula))
        return [quantity for quantity in found if quantity is not None]

    lines = _tree(of.quantities[address], below, depth, lambda q: _derivation(q, of, style), style, wide)
    return "\n".join(lines) + "\n"


def dependants(
    doc: PlanDoc, address: str, depth: int | None = None, style: Style = PLAIN, wide: int | None = None
) -> str:
    """What depends on `address`, as a tree of users, `depth` levels up (all where None); `wide` as for `explain`."""
    of = index(doc)
    used = users(of.doc.quantities, of)
    root = of.quantities[address]
    lines = _tree(
        root, lambda q: used.get(q.address, []), depth, lambda q: [_headline(q, of, style)], style, wide
    )
    asked = [part for line in _asked(of, _reached(root, used), style) for part in fitted(line, wide)]
    nothing = [] if len(lines) > 1 or asked else [style.paint("dim", "nothing depends on it")]
    return "\n".join([*lines, *asked, *nothing]) + "\n"


def _reached(root: Quantity, used: Mapping[str, list[Quantity]]) -> set[str]:
    """The addresses of a quantity and of all that depends on it."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        quantity = waiting.pop()
        if quantity.address not in found:
            found.add(quantity.address)
            waiting += used.get(quantity.address, ())
    return found


def _asked(of: Index, reached: set[str], style: Style) -> list[str]:
    """What the plan requires or expects of any of these quantities, with what came of it."""
    lines: list[str] = []
    asked = [("", verdict) for verdict in of.doc.verdicts]
    asked += [(f" with {one.option}", one.verdict) for one in of.doc.answers if one.verdict is not None]
    for option, verdict in asked:
        sides = (verdict.left, verdict.right)
        names = {name for side in sides for name in (side.address, *references(side.formula)) if name}
        if reached.isdisjoint({of.target(name) for name in names}):
            continue
        words, tone = STATUS[verdict.status]
        label = terminal_text(f"{verdict.verb} {verdict.label}{option}")
        lines.append(f"{label}: {style.paint(tone, words)}  {style.paint('dim', verdict.place)}")
    return lines


def explain_measurement(doc: PlanDoc, address: str, style: Style = PLAIN, wide: int | None = None) -> str:
    """What was measured, of what and in which context, and how it compares with what is derived; `wide` as for
    `explain`."""
    of = index(doc)
    found = next(measured for measured in of.doc.measurements if measured.address == address)
    mark = _confidential(found.address in of.confidential.measurements, style)
    lines = [
        f"{style.paint('bold', found.address)}  {said(in_full(measurement_ends(found), word='range'))}{mark}",
        terminal_text(f"  a measurement of {found.of}: {found.comparison}"),
        *[terminal_text(f"  {key}: {text}") for key, text in stated(found)],
        style.paint("dim", f"  {found.place}"),
    ]
    return "".join(f"{part}\n" for line in lines for part in fitted(line, wide))


def explain_caveat(
    doc: PlanDoc,
    name: str,
    evidence: Evidencing | None = None,
    style: Style = PLAIN,
    wide: int | None = None,
) -> str:
    """What a caveat says, where it enters, what carries it, and what takes it off: with `evidence`, how that is written.
    `wide` as for `explain`."""
    found = next(caveat for caveat in doc.caveats if caveat.name == name)
    # A call within a quantity has no name that a reader could ask for: the quantity has.
    enters = dict.fromkeys(q.address.partition("/")[0] for q in doc.quantities if name in q.caveats_here)
    used = set(found.used_by)
    carried = [q.address for q in doc.quantities if q.address in used and not q.internal]
    named = ", ".join(dict.fromkeys(map(owner_of, carried[:_CARRIERS])))
    more = f" and {len(carried) - _CARRIERS:,} more" if len(carried) > _CARRIERS else ""
    required = [verdict.label or verdict.written for verdict in doc.verdicts if name in verdict.caveats]
    way = (
        "nothing: it is permanent"
        if found.permanent
        else "a value of your own in the place of what it enters with, or "
        f"`discharges {name}` on a measurement, on evidence that counts, or on a formula"
    )
    lines = [
        style.paint("bold", f"caveat {found.name}") + f"  for {terminal_text(found.scope)}",
        terminal_text(f"  {found.text}"),
        *([terminal_text(f"  enters with: {', '.join(enters)}")] if enters else []),
        f"  carried by: {counted(len(carried), 'quantity', 'quantities')}"
        + terminal_text(f": {named}{more}" if carried else ""),
        *(terminal_text(f"  stands on the requirement: {label}") for label in required),
        f"  taken off by: {way}",
        *_evidence(found.name, evidence, style),
    ]
    return "".join(f"{part}\n" for line in lines for part in fitted(line, wide))


def _evidence(name: str, evidence: Evidencing | None, style: Style) -> list[str]:
    """How evidence is written that takes a caveat off, and where it is told what its entries are compared with."""
    if evidence is None:
        return []
    entries = "; ".join(f"{key} = …" for key in evidence.states)
    written = [f"  evidence NAME of {of} {{ {entries} }} discharges {name}" for of in evidence.of[:_WRITTEN]]
    return [
        style.paint("bold", "evidence that takes it off, under a NAME of one's own"),
        *map(terminal_text, written),
        terminal_text(
            f"  and counts where it agrees with the plan: `explain PLAN {evidence.kind}` tells with what"
        ),
    ]


def why(
    doc: PlanDoc,
    address: str,
    cause: str,
    depth: int | None = None,
    style: Style = PLAIN,
    wide: int | None = None,
) -> str:
    """The shortest chain by which `address` comes to lean on `cause`, each step with its formula, but for those that only
    name another number; one sentence where there is none. A chain through numbers that are zero tells nothing, and is shown only where each does.
    `depth` bounds the steps that are shown; `wide` as for `explain`."""
    of = index(doc)
    graph = digraph({q.address: list(references(q.formula)) for q in doc.quantities})
    zeros = {q.address for q in doc.quantities if q.truth is None and q.low == q.high == "0"}
    chain = path_between(graph, address, cause, zeros - {cause})
    if chain is None:
        return f"`{terminal_text(address)}` does not depend on `{terminal_text(cause)}`\n"
    steps: list[str] = []
    within: set[str] = set()
    for step in chain:
        if step not in within or step == chain[-1]:
            steps.append(step)
            within = {one.address for one in folded(of.quantities[step], of.quantities).names}
    lines: list[str] = []
    for level, step in enumerate(steps[: None if depth is None else depth + 1]):
        lines += [f"{'   ' * level}{line}" for line in _derivation(of.quantities[step], of, style)]
    return "".join(f"{part}\n" for line in lines for part in fitted(line, wide))


def _headline(q: Quantity, of: Index, style: Style) -> str:
    value = said(in_full(quantity_ends(q)) if q.truth is None else truth_or_value(q))
    return f"{style.paint('bold', q.address)}  {value}{_confidential(q.address in of.confidential.quantities, style)}"


def _confidential(silent: bool, style: Style) -> str:
    return f"  {style.paint('open', CONFIDENTIAL)}" if silent else ""


def _derivation(q: Quantity, of: Index, style: Style) -> list[str]:
    lines = [_headline(q, of, style)]
    fold = folded(q, of.quantities)
    body = fold.body
    lines += [f"  = {said(fold.said())}"] if fold.names else []
    if body.formula is not None and body.formula["op"] != "const":
        names = said(symbols(body.formula, body))
        numbers = said(numbers_put_in(body.formula, body, of.quantities))
        lines.append(f"  = {names}")
        lines += [f"  = {numbers}"] if numbers and numbers != names else []
    lines += [
        f"  branch {said(not_established(condition, body))}" for condition in undecided(body, of.quantities)
    ]
    if decided := dict.fromkeys(name for one in (q, *fold.names) for name in deciding(one, of)):
        lines.append(terminal_text(f"  decided by: {', '.join(decided)}"))
    places = dict.fromkeys(place_text(one.provenance.place) for one in (q, *fold.names))
    lines.append(style.paint("dim", f"  {said(origin(q.provenance))}, {', '.join(places)}"))
    lines += [f"  {line}" for line in _marks(q, body, of, style)]
    return lines


def _marks(q: Quantity, body: Quantity, of: Index, style: Style) -> Iterable[str]:
    for one in measurements_of(q, of.measured):
        yield f"{MEASURED}{said(measurement_pieces(one, Name(one.address)))}"
    if q.kind:
        yield terminal_text(f"kind: {of.doc.kinds.get(q.kind, q.kind)}")
    for name in q.caveats_here:
        caveat = of.caveats.get(name)
        yield style.paint("open", f"caveat {name}: {caveat.text}" if caveat else f"caveat {name}")
    for title, names in (
        ("inherits", q.caveats_inherited),
        ("discharges", q.discharged),
        ("excludes", q.exclusions),
        ("bound by", (body.binds,) if body.binds else ()),
    ):
        if names:
            yield terminal_text(f"{title}: {', '.join(names)}")


def _tree(
    root: Quantity,
    below: Children,
    depth: int | None,
    describe: Callable[[Quantity], list[str]],
    style: Style,
    wide: int | None,
) -> list[str]:
    lines: list[str] = []
    shown: dict[str, bool] = {}  # by what was described, whether what is below it was left out
    waiting: list[tuple[Quantity, str, str, int]] = [(root, "", "", 0)]
    while waiting:
        quantity, lead, rest, level = waiting.pop()
        children = below(quantity)
        hidden = depth is not None and level >= depth and bool(children)
        if quantity.address in shown and (hidden or not shown[quantity.address]):
            lines += fitted(
                f"{lead}{describe(quantity)[0]} {style.paint('dim', '(above)')}", wide, f"{rest}     "
            )
            continue
        shown[quantity.address] = hidden
        own = describe(quantity)
        bar = "│" if children else " "
        lines += fitted(lead + own[0], wide, f"{rest}{bar}    ")
        for line in own[1:]:
            indent = " " * (len(line) - len(line.lstrip(" ")))
            lines += fitted(f"{rest}{bar}{line}", wide, f"{rest}{bar}{indent}  ")
        if hidden:
            lines.append(f"{rest}└─ {style.paint('dim', '… deeper: ask for more depth')}")
            continue
        for at in range(len(children) - 1, -1, -1):
            last = at == len(children) - 1
            branch, under = ("└─ ", "   ") if last else ("├─ ", "│  ")
            waiting.append((children[at], rest + branch, rest + under, level + 1))
    return lines
