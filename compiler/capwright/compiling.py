"""The whole way from loaded files to a document, for whoever holds a plan: command line, tests, editors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from capwright import __version__
from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source, Span
from capwright.check.program import check
from capwright.check.report import Report
from capwright.document.build import Origin, build, diagnostic_docs
from capwright.document.plandoc import PlanDoc
from capwright.graph.context import Override
from capwright.graph.expansion import Expansion, expand
from capwright.kernel.registry import TYPES
from capwright.loading import Loaded
from capwright.syntax import tree
from capwright.syntax.parse import parse

COMMAND_LINE = "--set"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled plan. `document` is None where errors left nothing that can be trusted; `sound` is what
    could be worked out all the same."""

    document: PlanDoc | None
    sound: PlanDoc
    diagnostics: tuple[Diagnostic, ...]
    expansion: Expansion
    sources: dict[str, Source]


def compile_plan(
    loaded: Loaded,
    overrides: tuple[tuple[str, str], ...] = (),
    *,
    tool_sha256: str = "",
    verify_library: bool = False,
) -> Compiled:
    """Check, expand, evaluate and judge a loaded plan. User mistakes are diagnostics; nothing is raised."""
    sources = dict(loaded.sources)
    found = list(loaded.diagnostics)
    set_values = _overrides(overrides, sources, found)
    program, report = check(loaded.main, loaded.modules, loaded.uses, loaded.library, TYPES)
    expansion = expand(
        program,
        report,
        sources,
        loaded.imports,
        loaded.lengths,
        tuple(set_values),
        verify_library=verify_library,
    )
    origin = Origin(
        _title(loaded.main), loaded.main, __version__, tool_sha256, loaded.library_sha256, loaded.inputs
    )
    document = build(expansion, origin)
    found += _in_order(report, sources)
    document = replace(document, diagnostics=diagnostic_docs(found, sources))
    failed = any(d.severity == "error" for d in found)
    return Compiled(None if failed else document, document, tuple(found), expansion, sources)


def _title(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".plan").replace("_", " ")


def _in_order(report: Report, sources: dict[str, Source]) -> Iterable[Diagnostic]:
    """By file and place, so that the order never depends on how the graph was walked."""
    order = {path: i for i, path in enumerate(sources)}
    return sorted(report.found, key=lambda d: (order.get(d.span.file, len(order)), d.span.start))


def _overrides(
    pairs: tuple[tuple[str, str], ...], sources: dict[str, Source], found: list[Diagnostic]
) -> list[Override]:
    """`--set` pairs, their values parsed as a plan would write them."""
    result: list[Override] = []
    for number, (address, text) in enumerate(pairs, start=1):
        path = COMMAND_LINE if len(pairs) == 1 else f"{COMMAND_LINE} {number}"
        source = Source(path, f"{address} = {text}\n")
        sources[path] = source
        module, problems = parse(source)
        found += problems
        statement = module.statements[0] if len(module.statements) == 1 else None
        if isinstance(statement, tree.Binding):
            result.append(Override(statement.path, statement.value))
        elif not problems:
            found.append(
                Diagnostic(
                    "CW0700",
                    Span(path, 0, len(source.text) - 1),
                    f"`{address}={text}` sets no address to a value",
                    "write ADDRESS=VALUE, for one `prod.sharding.tensor=8 devices`",
                )
            )
    return result
