"""Which starter plan a model and a count get: the first, from the plainest on, that compiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from capwright.importers.starter import NODE, USUAL, Guess, Layout, Refused, Rests, layouts_of

if TYPE_CHECKING:
    from capwright.compiling import Compiled

ALONE: Final = Layout(1, 1)
"""One device, whose share of a model nothing has to divide by."""


class Starters:
    """The starter plans of one model on one device, with one of `caches`, each compiled at most once."""

    def __init__(self, compiled: Callable[[Guess], Compiled], caches: Sequence[str]) -> None:
        self._compile = compiled
        self._caches = caches
        self._compiled: dict[Guess, Compiled] = {}

    def compiled(self, guess: Guess) -> Compiled:
        """The plan of a guess, compiled."""
        if guess not in self._compiled:
            self._compiled[guess] = self._compile(guess)
        return self._compiled[guess]

    def cache(self) -> tuple[str | None, list[Refused]]:
        """The first cache that the engine keeps of this model on a device alone, and those before it. None where no cache
        makes a plan, so that no count does either."""
        refused: list[Refused] = []
        for cache in self._caches:
            why = self._why_not(Guess(ALONE, cache))
            if why is None:
                return cache, refused
            refused.append(Refused(cache, why))
        return None, refused

    def nothing(self) -> Compiled:
        """The plainest plan there is, compiled: what is wrong with it is wrong whatever is guessed."""
        return self.compiled(Guess(ALONE, USUAL))

    def chosen(self, count: int, cache: str) -> tuple[Layout | None, list[Refused]]:
        """The first layout of a count that holds together, None where none does, and those before it."""
        refused: list[Refused] = []
        for layout in self._layouts(count, cache):
            why = self._why_not(Guess(layout, cache))
            if why is None:
                return layout, refused
            refused.append(Refused(layout.text(), why))
        return None, refused

    def counts(self, cache: str) -> Sequence[int]:
        """The counts within a node that hold together."""
        return [count for count in range(1, NODE + 1) if self.chosen(count, cache)[0] is not None]

    def copies(self, count: int, cache: str) -> Layout | None:
        """A layout of whole copies within a node, each on as many devices as hold together and divide `count`: what the
        reader may have meant where one copy does not spread over all of them."""
        for each in range(min(NODE, count), 0, -1):
            found = self.chosen(each, cache)[0] if count % each == 0 else None
            if found is not None:
                layout = replace(found, replicas=count // each)
                return layout if self._why_not(Guess(layout, cache)) is None else None
        return None

    def _layouts(self, count: int, cache: str) -> Iterator[Layout]:
        """The ways to use a count that have a meaning for this model: a way that does not hold together on one device has none."""
        for layout in layouts_of(count):
            if self._why_not(Guess(layout.on_one(), cache)) is None:
                yield layout

    def _why_not(self, guess: Guess) -> str | None:
        """The first mistake of a guess; None where it holds together."""
        compiled = self.compiled(guess)
        errors = (each.message for each in compiled.diagnostics if each.severity == "error")
        return next(errors) if compiled.failed else None


def rests_of(compiled: Compiled) -> Rests:
    """What the verdicts of a plan rest on and no one measured: ranges by address, and caveats that something discharges."""
    document = compiled.brief
    ranges = sorted({address for verdict in document.verdicts for address in verdict.leans_on})
    return Rests(ranges, {each.name: each.text for each in document.caveats if not each.permanent})
