"""What goes into a region: the words of its marker, looked up in the plan that they name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from capwright.base.diagnostic import Diagnostic, did_you_mean
from capwright.base.source import Source
from capwright.commands.addresses import named_at, quantity_at
from capwright.commands.refusal import CannotRun
from capwright.commands.withheld_messages import public
from capwright.commands.woven_charts import Filled, chart
from capwright.compiling import compile_plan
from capwright.document.withholding import withheld
from capwright.loading import ReadProblem, load, project_root
from capwright.loading.files import DATA_CAP, Folder, read_bytes, resolve
from capwright.render import woven
from capwright.render.escape import shell_path
from capwright.render.index import Index, index
from capwright.weave.regions import Mistake, Region

SHAPES: Final = ("value", "table", "chart", "derivation", "caveats")
CAVEATS: Final = ("caveats",)
"""The words of a region for the caveats of the values before it."""
_MOST: Final = {"table": 10_000, "chart": 4}
"""How many words a marker has; the others have three."""


class Filler(Struct):
    """Fills regions; each plan is compiled once, and shown without its confidential numbers."""

    plans: dict[Path, Index | Mistake] = field(default_factory=dict)

    def fill(self, region: Region, document: Path, told: list[str] | None = None) -> Filled | Mistake:
        """The content of a region of the Markdown file at `document`, or what is wrong with it.

        `told` gathers the caveats of values for a region that follows them; None where none does.
        """
        words = region.words
        if not words or words[0] not in SHAPES:
            return region.mistake("CW0800", "this marker does not say what to fill in", _spelling(words))
        if words[0] == "caveats" and words != CAVEATS:
            return region.mistake("CW0800", "`caveats` takes no words", "write `<!-- capwright: caveats -->`")
        if words != CAVEATS and not 3 <= len(words) <= _MOST.get(words[0], 3):
            return region.mistake("CW0800", f"`{words[0]}` takes a plan and an address", _spelling(words))
        if words[0] != "value" and region.lead is None:
            return region.mistake(
                "CW0804",
                f"`{words[0]}` needs lines of its own",
                "put the opening marker on its own line",
            )
        if words == CAVEATS:
            return Filled(woven.caveats(told or ()))
        try:
            of = self._plan(words[1], document)
            if isinstance(of, Index) and words[0] == "chart":
                return chart(region, of, document, project_root(document))
        except ReadProblem as problem:
            return _of_plan(words[1], region.mistake(problem.code, problem.message, problem.help))
        if isinstance(of, Mistake):
            return _of_plan(words[1], region.mistake(of.code, of.message, of.help))
        shaped = _shaped(region, of, told, os.path.relpath(document.parent / words[1]))
        return shaped if isinstance(shaped, Mistake) else Filled(shaped)

    def _plan(self, path: str, document: Path) -> Index | Mistake:
        root = project_root(document)
        real = resolve(path, document.parent, Folder(root))
        if real not in self.plans:
            self.plans[real] = _opened(real, root, path)
        return self.plans[real]


def _opened(real: Path, root: Path, path: str) -> Index | Mistake:
    loaded = load(str(real), root=str(root))
    if not loaded.main:
        first = loaded.diagnostics[0]
        if first.code == "CW0150":  # the path is no word of the user here: it is told what it is relative to
            read_bytes(real, path, DATA_CAP, "the document, not to the folder that you are in")
        return Mistake(first.code, 0, 0, first.message, first.help)
    compiled = compile_plan(loaded)
    if compiled.failed:
        errors = [one for one in compiled.diagnostics if one.severity == "error"]
        said = _cause(errors[0], compiled.sources) if errors else ""
        more = f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
        way = f"see `capwright check {shell_path(os.path.relpath(real))}`"
        return Mistake("CW0805", 0, 0, f"`{path}` has {'an error' if said else 'errors'}{said}{more}", way)
    return index(withheld(compiled.sound))


def _cause(error: Diagnostic, sources: Mapping[str, Source]) -> str:
    """The first error of a plan, where it is and what it says to others."""
    (told,) = public(None, sources).diagnostics((error,), sources)
    source = sources.get(error.span.file)
    place = f" at {source.place(error.span.start)}" if source is not None else ""
    return f"{place}: {told.message} ({error.code})"


def _of_plan(path: str, mistake: Mistake) -> Mistake:
    return replace(mistake, plan=path)


def _shaped(region: Region, of: Index, told: list[str] | None, path: str) -> str | Mistake:
    shape, _, *addresses = region.words
    try:
        measured = next((one for one in of.doc.measurements if one.address == addresses[0]), None)
        if shape == "value" and measured is not None:
            return woven.measured_value(measured)
        if shape == "value":
            return woven.value(of.quantities[quantity_at(addresses[0], of.doc, None, path).address], of, told)
        if shape == "derivation":
            asked = addresses[0]
            return woven.derivation(of.quantities[quantity_at(asked, of.doc, None, path).address], of, asked)
        return woven.table(named_at(addresses, of.doc, None, path), of)
    except CannotRun as refusal:
        return region.mistake(refusal.code, refusal.message, refusal.help)


def _spelling(words: tuple[str, ...]) -> str:
    known = did_you_mean(words[0], SHAPES) if words else ""
    return f"write `<!-- capwright: value PLAN ADDRESS -->`, or table, chart, derivation; or caveats alone; {known}".rstrip(
        "; "
    )
