"""What each rule of the grammar makes: one function a rule, from children to a node of the tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from capwright.syntax.actions import clauses, declarations, expressions, members, slots, statements
from capwright.syntax.lalr import Action

ACTIONS: Final[Mapping[str, Action]] = {
    **expressions.ACTIONS,
    **clauses.ACTIONS,
    **slots.ACTIONS,
    **declarations.ACTIONS,
    **statements.ACTIONS,
    **members.ACTIONS,
}
