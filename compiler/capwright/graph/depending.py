"""Which of the plan's names, and which of its requirements, may be another where a thing of the plan is another.

It is told from what is written: from the names in a value, and in the formulas of the plan that it calls. A thing's
fields are not looked into, since a field speaks of what it names, whoever asks for it. More may be found than is
another, and never less: what is not found need not be worked out again for any option.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from capwright.base.source import Span
from capwright.syntax import tree

User = str | int
"""Who mentions something and may be asked for: a name, or a requirement by its number."""


class _Formula(Struct, frozen=True):
    """A formula, which may be called like a value."""

    name: str


_Mention = str | int | _Formula


class Dependents(Struct):
    """Who mentions each name and each formula, and so on from there."""

    users: dict[_Mention, list[_Mention]] = field(default_factory=dict)
    place: dict[User, int] = field(default_factory=dict)
    found: dict[tuple[str, ...], tuple[User, ...]] = field(default_factory=dict)

    def add(self, user: User, written: object) -> None:
        """Note what is written of a name or a requirement."""
        self.place[user] = len(self.place)
        self._note(user, written)

    def add_formula(self, name: str, written: object) -> None:
        """Note what is written of a formula, of which there may be several by one name."""
        self._note(_Formula(name), written)

    def of(self, names: tuple[str, ...]) -> tuple[User, ...]:
        """Those who mention one of `names`, themselves or by way of others, in the order in which they were added."""
        if names not in self.found:
            reached: set[_Mention] = set()
            waiting: list[_Mention] = list(names)
            while waiting:
                for user in self.users.get(waiting.pop(), ()):
                    if user not in reached:
                        reached.add(user)
                        waiting.append(user)
            asked = [user for user in reached if not isinstance(user, _Formula)]
            self.found[names] = tuple(sorted(asked, key=self.place.__getitem__))
        return self.found[names]

    def _note(self, user: _Mention, written: object) -> None:
        for mentioned in dict.fromkeys(_mentioned(written)):
            self.users.setdefault(mentioned, []).append(user)


def _mentioned(written: object) -> Iterator[_Mention]:
    waiting = [written]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Span):
            continue
        if isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, Struct):
            if isinstance(one, tree.Name):
                yield one.name
            elif isinstance(one, tree.Call):
                yield _Formula(one.function)
            waiting.extend(getattr(one, name) for name in one.__struct_fields__)
