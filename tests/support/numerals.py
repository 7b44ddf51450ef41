"""Every number a report prints has an address, and its text is a correct rounding of the exact value.

The check reads the finished page, not the renderer: it walks every text node, and each digit must stand in a
numeral (an address that resolves in the document, to whose value the text rounds), in quoted text, in a
literal with its source line, or on an axis. The last three are exempt, and counted.

In Markdown, where deeper derivations are folded, a numeral may have its address as a title alone; but not one
whose derivation is on the page, unless it is the summary of a fold, which is a control itself.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

from capwright.base.dimension import dimension
from capwright.base.exact import Number
from capwright.base.latest import Latest
from capwright.base.rounding import Direction, read
from capwright.comparison.matrix import matrices
from capwright.document.plandoc import PlanDoc, UnitText
from capwright.render.markup import anchor

VOID = {"meta", "link", "br", "wbr", "hr", "img", "input", "path", "rect", "line", "circle"}
UNREAD = {"style", "script", "title"}
QUOTED = {"code", "pre"}
DIRECTION: Any = {"low": "down", "nominal": "nearest", "high": "up"}
TITLE = re.compile(
    r"(?:(.*) )?(\S*(?:low|nominal|high|\.count)|verdicts\.\S+|difference|ratio|causes\.\S+)(?: in (\S+))?",
    re.DOTALL,
)
DIGIT = re.compile(r"\d")
ESCAPED = re.compile(r"-([0-9a-f]+)-")


def addressed(identity: str) -> str:
    """The address whose `anchor` is `identity`."""
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), identity.removeprefix("d-"))


def rounds_to(text: str, exact: Number, direction: Direction = "nearest") -> bool:
    """Whether `text` is a correct rounding of `exact`, in `direction`; a text without decimals must equal it."""
    said = read(text)
    mantissa, _, exponent = text.partition("e")
    if "/" in text or ("." not in mantissa and not exponent):
        return said == exact
    decimals = len(mantissa.partition(".")[2])
    step = Fraction(10) ** (int(exponent or 0) - decimals)
    if direction == "down":
        return 0 <= exact - said < step
    if direction == "up":
        return 0 <= said - exact < step
    return abs(Fraction(said) - Fraction(exact)) * 2 <= step


@dataclass
class Numerals:
    """What was found: how many numerals were checked, how many texts were exempt and why, and the mistakes."""

    checked: int = 0
    titled: set[str] = field(default_factory=set)
    """Addresses that numerals have as a title alone."""
    exempt: Counter[str] = field(default_factory=Counter)
    mistakes: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)

    def dead_links(self) -> set[str]:
        """Links within the page that lead nowhere."""
        return self.targets - self.ids

    def unlinked(self) -> set[str]:
        """Addresses that numerals do not lead to, though the page has the place."""
        return {address for address in self.titled if anchor(address) in self.ids}

    def __str__(self) -> str:
        exempt = ", ".join(f"{count} {name}" for name, count in sorted(self.exempt.items()))
        return f"{self.checked} numerals checked; exempt: {exempt or 'none'}; {len(self.mistakes)} mistakes"


def of_html(page: str, doc: PlanDoc) -> Numerals:
    """The numerals of an HTML page."""
    return _walked(page, doc, titles=False)


def of_markdown(text: str, doc: PlanDoc) -> Numerals:
    """The numerals of a Markdown report, as a forge renders it."""
    return _walked(rendered(text), doc, titles=True)


def _walked(page: str, doc: PlanDoc, *, titles: bool) -> Numerals:
    walker = _Walker(doc, titles=titles)
    walker.feed(page)
    walker.close()
    found = walker.found
    found.mistakes += [f"{address!r} is derived on the page, and a numeral does not lead there"
                       for address in sorted(found.unlinked())]  # fmt: skip
    return found


def rendered(text: str) -> str:
    """GitHub-flavoured Markdown as HTML, raw HTML kept and links made of bare addresses, as a forge does."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text))


def exact(doc: PlanDoc, address: str, part: str, unit: str) -> Fraction:
    """The exact value of one part of one thing, in `unit`. `KeyError` where there is none."""
    prefix, _, name = address.partition(":")
    if part.endswith(".count"):
        return Fraction(_count(doc, address, part.removesuffix(".count")))
    if prefix == "difference":
        return _difference(doc, name, part, unit)
    if address == "document":
        status = part.removeprefix("verdicts.").replace("_", " ")
        return Fraction(sum(verdict.status == status for verdict in doc.verdicts))
    if prefix == "verdict":
        verdict = next(v for v in doc.verdicts if v.id == name)
        side, _, end = part.partition(".")
        held = getattr(verdict, f"margin_{end}") if side == "margin" else getattr(getattr(verdict, side), end)
        return Fraction(held) / size(doc, verdict.unit, unit)
    holder: Any = _holder(doc, address)
    return Fraction(getattr(holder, part)) / size(doc, holder.unit, unit)


def _difference(doc: PlanDoc, name: str, part: str, unit: str) -> Fraction:
    """A difference between an option and its base, without its sign: `OPTION:ADDRESS` and which number of it."""
    option, _, address = name.partition(":")
    columns = {column.address: column.diff for matrix in matrices(doc) for column in matrix.columns}
    change = next(c for c in columns[option].quantities if c.address == address)  # type: ignore[union-attr]
    if part == "ratio":
        return Fraction(change.change.ratio)  # type: ignore[arg-type]
    number, _, what = part.removeprefix("causes.").partition(".")
    held = getattr(change.change.causes[int(number)], what) if what else change.change.difference
    return abs(Fraction(held)) / size(doc, change.unit, unit)


def size(doc: PlanDoc, own: UnitText, symbol: str) -> Fraction:
    """How many base units `symbol` is: a thing's own unit, its base unit, or one of the document's sizes."""
    if symbol == own.symbol:
        return Fraction(own.factor)
    others = (q.unit for q in doc.quantities if q.unit.dimension == own.dimension)
    for other in others:  # a chart has one unit for all that it draws
        if other.symbol == symbol:
            return Fraction(other.factor)
    if dimension(own.dimension).text() in {symbol, "1"}:
        return Fraction(1)
    head, rest = re.fullmatch(r"(\w+)(.*)", symbol).groups()  # type: ignore[union-attr]
    own_head = re.match(r"\w+", own.symbol)[0]  # type: ignore[index]
    assert own.symbol == own_head + rest, f"{symbol} is no size of {own.symbol}"
    return next(Fraction(size.factor) for size in doc.scales[own_head] if size.symbol == head)


def _holder(doc: PlanDoc, address: str) -> Any:
    prefix, _, name = address.partition(":")
    tables: dict[str, list[Any]] = {
        "source": [source for source in doc.sources if source.id == name],
        "measurement": [measured for measured in doc.measurements if measured.address == name],
        "option": [option for option in doc.options if option.address == name],
        "caveat": [caveat for caveat in doc.caveats if caveat.name == name],
    }
    found = tables.get(prefix) or [q for q in doc.quantities if q.address == address]
    if not found:
        raise KeyError(address)
    return found[0]


def _count(doc: PlanDoc, address: str, part: str) -> int:
    if address.startswith("exclusion:"):
        name = address.removeprefix("exclusion:")
        return sum(name in q.exclusions for q in doc.quantities if not q.internal)
    if address.startswith("options:"):
        return _alike(doc, address.removeprefix("options:"), part)
    holder = _holder(doc, address)
    if part == "used_by" and not hasattr(holder, "used_by"):
        users = _USERS.get(doc, lambda: _users(doc))
        return len(set[int]().union(*(users.get(name, ()) for name in (address, *holder.aliases))))
    return len(_deciding(_origins(doc), holder) if part == "decided_by" else getattr(holder, part))


_USERS = Latest[PlanDoc, dict[str, set[int]]]()


def _users(doc: PlanDoc) -> dict[str, set[int]]:
    """Which quantities, by their place in the document, refer to a name or were decided by it."""
    origins = _origins(doc)
    found: dict[str, set[int]] = {}
    for place, q in enumerate(doc.quantities):
        for name in (*_references(q.formula), *_deciding(origins, q)):
            found.setdefault(name, set()).add(place)
    return found


def _origins(doc: PlanDoc) -> dict[str, Any]:
    return {name: q for q in doc.quantities for name in (q.address, *q.aliases)}


def _deciding(origins: dict[str, Any], quantity: Any) -> set[str]:
    """The derived numbers that decided a formula which does not refer to them."""
    named = set(_references(quantity.formula))
    return {
        name
        for name in quantity.decided_by
        if (q := origins.get(name)) is not None
        and q.provenance.sort == "derived"
        and not named & {name, q.address}
    }


def _alike(doc: PlanDoc, base: str, what: str) -> int:
    """How many verdicts, or reported quantities, are in every option as in its base."""
    first, *others = next(matrix.columns for matrix in matrices(doc) if matrix.base == base)
    if what == "verdicts":
        asked = [{v.id: v.status for v in column.verdicts} for column in others]
        return sum(all(a.get(v.id) == v.status for a in asked) for v in first.verdicts)
    differing = {c.address for column in others if column.diff for c in column.diff.quantities}
    missing = {
        c.address for column in others if column.diff for c in (*column.diff.removed, *column.diff.added)
    }
    shown = {a for section in doc.sections for a in section.addresses if a.startswith(f"{base}.")}
    return len(shown - differing - missing)


def _references(tree: Any) -> list[str]:
    if isinstance(tree, dict):
        own = [tree["address"]] if tree.get("op") == "ref" else []
        return own + [name for value in tree.values() for name in _references(value)]
    return [name for item in tree for name in _references(item)] if isinstance(tree, list) else []


class _Walker(HTMLParser):
    def __init__(self, doc: PlanDoc, *, titles: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.titles = titles
        self.doc = doc
        self.found = Numerals()
        self.open: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            if given["id"] in self.found.ids:
                self.found.mistakes.append(f"two elements have the id {given['id']!r}")
            self.found.ids.add(given["id"])
        if given.get("href", "").startswith("#"):
            self.found.targets.add(given["href"][1:])
        if tag not in VOID:
            self.open.append((tag, given))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open:
            if self.open.pop()[0] == tag:
                return

    def handle_data(self, data: str) -> None:
        if not DIGIT.search(data) or any(tag in UNREAD for tag, _ in self.open):
            return None
        for tag, given in reversed(self.open):
            if "data-address" in given:
                return self._check(data, given["data-address"], given["data-part"], given["data-unit"])
            if tag == "a" and given.get("title") and given.get("href", "").startswith("#d-"):
                named = TITLE.fullmatch(given["title"])
                address, part, unit = named.groups("") if named else (given["title"], "", "")
                return self._check(data, address or addressed(given["href"][1:]), part, unit)
            if self.titles and tag == "span" and "title" in given:
                named = TITLE.fullmatch(given["title"])
                address, part, unit = named.groups("") if named else ("", "", "")
                if not any(name == "summary" for name, _ in self.open):
                    self.found.titled.add(address)
                return self._check(data, address, part, unit)
            for mark, name in (("data-quoted", "quoted"), ("data-literal", "literal"), ("data-axis", "axis")):
                if mark in given:
                    self.found.exempt[name] += 1
                    return None
            if tag in QUOTED:
                self.found.exempt["quoted"] += 1
                return None
        self.found.mistakes.append(f"no address: {data.strip()!r}")
        return None

    def _check(self, text: str, address: str, part: str, unit: str) -> None:
        self.found.checked += 1
        direction = DIRECTION.get(part.rpartition(".")[2], "nearest")
        try:
            value = exact(self.doc, address, part, unit)
            right = rounds_to(text.removeprefix("+"), value, direction)
        except (KeyError, StopIteration, AttributeError, TypeError, ValueError, AssertionError) as mistake:
            self.found.mistakes.append(f"{text!r} at {address} {part}: {mistake!r}")
            return
        if not right:
            self.found.mistakes.append(f"{text!r} is no rounding of {value} ({address} {part})")
