"""Which starter plan a model and a count get: the first, from the plainest on, that compiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from capwright.importers.starter import NODE, Layout, Refused, Rests, layouts_of

if TYPE_CHECKING:
    from capwright.compiling import Compiled

ALONE: Final = Layout(1, 1)
"""One device, whose share of a model nothing has to divide by: what is wrong with its plan is wrong with that of any count."""


class Starters:
    """The starter plans of one model on one device, each compiled at most once."""

    def __init__(self, compiled: Callable[[Layout], Compiled]) -> None:
        self._compile = compiled
        self._compiled: dict[Layout, Compiled] = {}

    def compiled(self, layout: Layout) -> Compiled:
        """The plan of a layout, compiled."""
        if layout not in self._compiled:
            self._compiled[layout] = self._compile(layout)
        return self._compiled[layout]

    def chosen(self, count: int) -> tuple[Layout | None, list[Refused]]:
        """The first layout of a count that holds together, None where none does, and those before it."""
        refused: list[Refused] = []
        for layout in self._layouts(count):
            why = self._why_not(layout)
            if why is None:
                return layout, refused
            refused.append(Refused(layout, why))
        return None, refused

    def counts(self) -> Sequence[int]:
        """The counts within a node that hold together."""
        return [count for count in range(1, NODE + 1) if self.chosen(count)[0] is not None]

    def copies(self, count: int) -> Layout | None:
        """A layout of whole copies within a node, each on as many devices as hold together and divide `count`: what the
        reader may have meant where one copy does not spread over all of them."""
        for each in range(min(NODE, count), 0, -1):
            found = self.chosen(each)[0] if count % each == 0 else None
            if found is not None:
                layout = replace(found, replicas=count // each)
                return layout if self._why_not(layout) is None else None
        return None

    def _layouts(self, count: int) -> Iterator[Layout]:
        """The ways to use a count that have a meaning for this model: a way that does not hold together on one device has none."""
        for layout in layouts_of(count):
            if self._why_not(layout.on_one()) is None:
                yield layout

    def _why_not(self, layout: Layout) -> str | None:
        """The first mistake of a layout; None where it holds together."""
        compiled = self.compiled(layout)
        errors = (each.message for each in compiled.diagnostics if each.severity == "error")
        return next(errors) if compiled.failed else None


def rests_of(compiled: Compiled) -> Rests:
    """What the verdicts of a plan rest on and no one measured: ranges by address, and caveats that something discharges."""
    document = compiled.brief
    ranges = sorted({address for verdict in document.verdicts for address in verdict.leans_on})
    return Rests(ranges, {each.name: each.text for each in document.caveats if not each.permanent})
