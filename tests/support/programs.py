"""Plans compiled from text, without files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from capwright.compiling import Compiled, compile_plan
from capwright.loading import load

ROOT = Path(__file__).parent / "no such folder"


def compiled(
    text: str, files: Mapping[str, str] | None = None, root: Path = ROOT, **options: object
) -> Compiled:
    """`text` compiled as `case.plan` in the folder `root`, beside `files` by their paths."""
    loaded = load(str(root / "case.plan"), root=str(root), texts={"case.plan": text, **(files or {})})
    return compile_plan(loaded, **options)  # type: ignore[arg-type]


def codes(found: Compiled) -> list[str]:
    """The codes of all diagnostics, in order."""
    return [diagnostic.code for diagnostic in found.diagnostics]
