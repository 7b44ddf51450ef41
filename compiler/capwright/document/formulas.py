"""The formulas of a plan, as a document has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from capwright.base.source import Span
from capwright.document.plandoc import FormulaDoc
from capwright.graph.context import Context
from capwright.syntax import tree

_BETWEEN: Final = re.compile(r'("(?:[^"\\\n]|\\.)*")|(?:\s|#[^\n]*)+')
"""A text in quotes, as the grammar has it, or what may stand between two words: blanks, breaks of lines, comments."""


def formula_docs(ctx: Context, place: Callable[[Span], str]) -> tuple[FormulaDoc, ...]:
    """The plan's own formulas, and those of the library that were called, in the order of names and places. Comments and
    the breaks of lines do not count."""
    own = (o for family in ctx.program.main.families.values() for o in family.overloads if not o.library)
    known = {o.decl.span: o.decl for o in own if o.decl.body is not None} | ctx.used
    found = [_formula(ctx, decl, place) for decl in known.values() if decl.span.file in ctx.sources]
    return tuple(sorted(found, key=lambda each: (each.name, each.place)))


def _formula(ctx: Context, decl: tree.FormulaDecl, place: Callable[[Span], str]) -> FormulaDoc:
    whole, split = decl.span, decl.type.span.start
    head = ctx.text(Span(whole.file, whole.start, split))
    text = ctx.text(Span(whole.file, split, whole.end))
    return FormulaDoc(decl.name, _bare(head), _bare(text), place(whole), decl.clauses.confidential)


def _bare(text: str) -> str:
    """Text without comments, its words one blank apart. A text in quotes stays as it is written."""
    return _BETWEEN.sub(lambda found: found[1] or " ", text).strip()
