"""Plans compiled from text, without files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from capwright.check.declared import Scope
from capwright.compiling import Compiled, compile_plan
from capwright.loading import load
from capwright.syntax.tree import Instance

ROOT = Path(__file__).parent / "no such folder"


def compiled(
    text: str, files: Mapping[str, str] | None = None, root: Path = ROOT, **options: object
) -> Compiled:
    """`text` compiled as `case.plan` in the folder `root`, beside `files` by their paths."""
    loaded = load(str(root / "case.plan"), root=str(root), texts={"case.plan": text, **(files or {})})
    return compile_plan(loaded, **options)  # type: ignore[arg-type]


def library() -> Scope:
    """What a plan has from `use std`."""
    return compiled("use std\n").judged.expansion.ctx.program.main


def things(entity: str) -> list[str]:
    """The things of one entity that the library declares, as a plan names them: `nvidia.l4` stands in a catalogue."""
    std = library()
    scopes = {"": std, **{f"{name}.": scope for name, scope in std.spaces.items()}}
    return sorted(
        prefix + name
        for prefix, scope in scopes.items()
        for name, named in scope.values.items()
        if name not in scope.homes
        and isinstance(named.statement, Instance)
        and named.statement.type_name == entity
    )


def codes(found: Compiled) -> list[str]:
    """The codes of all diagnostics, in order."""
    return [diagnostic.code for diagnostic in found.diagnostics]
