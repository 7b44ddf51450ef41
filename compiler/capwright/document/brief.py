"""The document of a judged plan without its quantities: what was asked, and what came of it."""

from __future__ import annotations

from msgspec import Struct

from capwright.document.caveat_docs import caveat_doc, possible_caveats
from capwright.document.judged import Judged
from capwright.document.plandoc import InputDoc, PlanDoc
from capwright.document.scales import scale_docs


class Origin(Struct, frozen=True):
    """What a document says of where it comes from."""

    title: str
    path: str
    tool_version: str
    tool_sha256: str
    library_sha256: str
    inputs: tuple[InputDoc, ...]


def brief(judged: Judged, origin: Origin) -> PlanDoc:
    """A document of verdicts and measurements alone, for whoever does not look at quantities."""
    told = {name for verdict in judged.verdicts for name in verdict.caveats}
    caveats = tuple(caveat_doc(judged.marks, name, ()) for name in sorted(told))
    main = judged.expansion.ctx.program
    return PlanDoc(
        origin.title, origin.path, origin.tool_version, origin.tool_sha256, origin.library_sha256, origin.inputs,
        (), (), caveats, judged.verdicts, judged.measurements, (), (), (), (), (), (), {}, scale_docs(main.units),
        (), judged.answers, possible_caveats=possible_caveats(judged.marks, (), judged.all_verdicts, caveats),
    )  # fmt: skip
