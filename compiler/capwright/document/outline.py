"""The outline of a report: sections, pictures, options."""

from __future__ import annotations

from capwright.base.address import option_address
from capwright.document.naming import Names
from capwright.document.plandoc import OptionDoc, SectionDoc, ViewDoc
from capwright.graph.context import Context
from capwright.graph.expansion import Expansion, belongs, by_top_name, names_of
from capwright.graph.picturing import Picture
from capwright.graph.values import Inst, Items, Q, Value
from capwright.syntax import tree


def section_docs(expansion: Expansion) -> tuple[SectionDoc, ...]:
    """The sections of a report, each with its quantities in the order of declaration."""
    ctx = expansion.ctx
    docs: list[SectionDoc] = []
    for section in expansion.sections:
        if isinstance(section.value, Q):
            addresses = [section.path] if section.path in ctx.bound else []
        else:
            addresses = _quantities(ctx, section.value)
        title = section.title or _title(section.value, section.path)
        docs.append(SectionDoc(section.path, title, tuple(addresses)))
    return tuple(docs)


def _title(value: Value, path: str) -> str:
    if isinstance(value, Inst) and value.entity.label:
        return value.entity.label
    return path


def _quantities(ctx: Context, value: Value) -> list[str]:
    """The addresses of all quantities in an instance and its parts."""
    if isinstance(value, Items):
        return [a for _, v in value.items for a in _quantities(ctx, v)]
    if not isinstance(value, Inst):
        return []
    found: list[str] = []
    for name in names_of(value):
        address = f"{value.address}.{name}"
        if address in ctx.bound:
            found.append(address)
            continue
        part = ctx.demand.get((value, name))
        if belongs(part, value):
            found += _quantities(ctx, part)
    return found


def view_docs(expansion: Expansion, names: Names) -> tuple[ViewDoc, ...]:
    """Every picture that the library or the plan declares over the plan's own instances."""
    docs = (_view(expansion.ctx, picture, names) for picture in expansion.pictures)
    return tuple(doc for doc in docs if doc is not None)


def _view(ctx: Context, picture: Picture, names: Names) -> ViewDoc | None:
    """A picture by the addresses it draws; None where one of them is no named quantity."""
    view, owner = picture.view, picture.owner
    nodes = (
        q.node if ctx.tape.ops[q.node] != "effective" else ctx.tape.args[q.node][0] for q in picture.operands
    )
    addresses = [address for node in nodes if (address := names.of_node.get(node)) is not None]
    if len(addresses) < len(picture.operands):
        return None
    name = f"{owner}.{view.name}" if owner else view.name
    return ViewDoc(view.chart, name, view.title, owner, tuple(addresses))


def option_docs(ctx: Context) -> tuple[OptionDoc, ...]:
    """The plan's options, each with the quantities that it changes."""
    by_top = by_top_name(ctx)
    docs: list[OptionDoc] = []
    for option in ctx.program.orders.options:
        if not isinstance(option.base, tree.Name):
            continue
        base, address = option.base.name, option_address(option.base.name, option.name)
        changes = [a for a in by_top.get(address, []) if _changed(ctx, a, base + a[len(address) :])]
        docs.append(OptionDoc(address, base, option.label, tuple(changes)))
    return tuple(docs)


def _changed(ctx: Context, address: str, other: str) -> bool:
    old = ctx.bound.get(other)
    own = ctx.bound[address]
    return old is not None and not own.inside and old.value.node != own.value.node
