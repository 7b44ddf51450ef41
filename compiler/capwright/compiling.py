"""The whole way from loaded files to a document, for whoever holds a plan: command line, tests, editors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from capwright import __version__
from capwright.base.diagnostic import Diagnostic, Missing
from capwright.base.frames import with_room
from capwright.base.source import Source, Span
from capwright.check.collect import closure
from capwright.check.program import check
from capwright.check.report import Report
from capwright.document.brief import Origin, brief
from capwright.document.diagnostic_docs import diagnostic_docs
from capwright.document.judged import Judged, judge
from capwright.document.outcome import FINDINGS
from capwright.document.plandoc import MeasurementDoc, PlanDoc, VerdictDoc
from capwright.graph.builtins import FUNCTIONS
from capwright.graph.context import MAX_NESTING, Override
from capwright.graph.expansion import Expansion, expand
from capwright.kernel.registry import CONSTRUCTORS, PRIMITIVES, TYPES
from capwright.loading.library import STD
from capwright.loading.library_listing import WHOLE
from capwright.loading.loaded import Loaded
from capwright.syntax import tree
from capwright.syntax.parse import parse

if TYPE_CHECKING:
    from capwright.document.diffdoc import Unjudged

COMMAND_LINE = "--set"


class Compiled(Struct, frozen=True, dict=True):
    """A compiled plan: what is wrong with it, its verdicts, and its document, which is written when asked for."""

    judged: Judged
    origin: Origin
    diagnostics: tuple[Diagnostic, ...]
    sources: dict[str, Source]
    is_read: bool
    """Whether every statement of its files could be read, whatever is wrong with them then."""

    @property
    def failed(self) -> bool:
        """Whether the plan has errors that leave nothing to trust. A contradicted measurement is none: it is a
        finding, and the report shows both derivations."""
        return any(d.severity == "error" and d.code not in FINDINGS for d in self.diagnostics)

    @property
    def verdicts(self) -> tuple[VerdictDoc, ...]:
        """The verdicts of the plan's requirements and expectations, in order."""
        return self.judged.verdicts

    @property
    def measurements(self) -> tuple[MeasurementDoc, ...]:
        """The plan's measurements against what was derived."""
        return self.judged.measurements

    @cached_property
    def sound(self) -> PlanDoc:
        """What could be worked out, errors or not."""
        from capwright.document.writing import write  # which a check does not ask for

        return write(self.judged, self.origin, diagnostic_docs(self.diagnostics, self.sources))

    @cached_property
    def unjudged(self) -> Unjudged:
        """What the plan asks and has no verdict on, for its errors."""
        from capwright.document.unjudged import unjudged  # which only a comparison asks for

        return unjudged(self.judged.expansion, self.judged.verdicts, complete=self.is_read)

    @cached_property
    def brief(self) -> PlanDoc:
        """Verdicts and measurements, and the caveats that stand on them: a document of what was asked."""
        return brief(self.judged, self.origin)

    @property
    def document(self) -> PlanDoc | None:
        """The document; None where errors left nothing that can be trusted."""
        return None if self.failed else self.sound


@with_room
def compile_plan(
    loaded: Loaded,
    overrides: tuple[tuple[str, str], ...] = (),
    *,
    tool_sha256: str = "",
    verify_library: bool = False,
    options: Collection[str] | None = None,
) -> Compiled:
    """Check, expand, evaluate and judge a loaded plan. User mistakes are diagnostics; nothing is raised.

    With `options`, of the plan's options only these are worked out, by address (`prod@two`), and what needs them.
    """
    sources = dict(loaded.sources)
    found = list(loaded.diagnostics)
    is_read = not any(one.severity == "error" for one in found)
    set_values = _overrides(overrides, sources, found)
    program, report = check(
        loaded.main,
        loaded.modules,
        loaded.uses,
        loaded.library,
        TYPES,
        _Forgotten(loaded),
        functions={*CONSTRUCTORS, *PRIMITIVES, *FUNCTIONS},
        verify_library=verify_library,
    )
    expansion = expand(
        program,
        report,
        sources,
        loaded.imports,
        loaded.lengths,
        tuple(set_values),
        readers=_Readers(),
        statements=_length(loaded.modules.values()),
        verify_library=verify_library,
        options=options,
    )
    judged = judge(expansion)
    found += _in_order(report, sources)
    if not any(one.severity == "error" for one in found):
        found += _unanswered(expansion)
    origin = Origin(
        _title(loaded.main), loaded.main, __version__, tool_sha256, loaded.library_sha256, loaded.inputs
    )
    return Compiled(judged, origin, tuple(found), sources, is_read)


def _unanswered(expansion: Expansion) -> Iterator[Diagnostic]:
    """Requirements that came to nothing though nothing is said to be wrong: a plan is never clean for want of a question."""
    asked = {one.statement.span for one in expansion.asked}
    for statement in expansion.ctx.program.orders.requirements:
        if statement.span not in asked:
            yield Diagnostic(
                "CW0719",
                statement.span,
                f"this `{statement.verb}` came to nothing, and no mistake was found that would explain it",
                "that is a mistake of the compiler: please report it with the plan",
            )


_STATEMENTS_A_WHOLE: Final = 150
"""What is made of other things, and an option or a copy of such, is worked out from end to end: it may cost as much as this
many statements."""
_PARTS: Final = 3
"""As many fields of a whole, or more, are given other things: a deployment has a model, a cache, a device, a workload."""


def _length(modules: Iterable[tree.Module]) -> int:
    """The statements of modules, as far as their budget goes."""
    statements = [statement for module in modules for statement in module.statements]
    things = {one.name: one for one in statements if isinstance(one, tree.Instance)}
    wholes = sum(_is_of_whole(one, things) for one in statements if isinstance(one, tree.OptionDecl))
    wholes += sum(_is_whole(one, things) for one in things.values())
    return len(statements) + (_STATEMENTS_A_WHOLE - 1) * wholes


def _is_of_whole(option: tree.OptionDecl, things: Mapping[str, tree.Instance]) -> bool:
    """Whether what an option is one of is made of others, as far as that is known."""
    known = _copied(option.base, things)
    return known is None or _is_whole(known, things)


def _copied(base: tree.Expr | None, things: Mapping[str, tree.Instance]) -> tree.Instance | None:
    """The thing that a copy or an option is one of, where it is one by name; of an option, what that is one of."""
    return things.get(base.name.partition("@")[0]) if isinstance(base, tree.Name | tree.Attribute) else None


def _is_whole(thing: tree.Instance, things: Mapping[str, tree.Instance]) -> bool:
    """Whether a thing is made of others, itself or as a copy of one that is."""
    for _ in range(MAX_NESTING):
        given = (member.value for member in thing.body if isinstance(member, tree.Binding))
        if (
            sum(isinstance(value, tree.Name | tree.Attribute | tree.Call | tree.Derive) for value in given)
            >= _PARTS
        ):
            return True
        copied = _copied(thing.base, things)
        if copied is None:
            return False
        thing = copied
    return False


class _Readers(AbstractSet[str]):
    """The names of calls that read files. Few plans ask for them, and the importers take a while to import."""

    def __contains__(self, name: object) -> bool:
        return name in self._known()

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def _known(self) -> Mapping[str, object]:
        from capwright.importers import READERS

        return READERS


class _Forgotten:
    """What the library declares, for the files of a plan that do not use it."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded

    def __call__(self, sort: Missing, name: str, file: str) -> str | None:
        """As `Elsewhere`. What stands in no file, such as a word of the command line, speaks of the plan itself."""
        loaded = self.loaded
        start = file if file in loaded.modules else loaded.main
        if start in loaded.library:
            return None
        if name in loaded.offered.get(sort, ()) and WHOLE not in closure(start, loaded.modules, loaded.uses):
            return f"the library declares it: write `use {STD}` at the top of `{start}`"
        return self._apart(name, start) if sort == "value" else None

    def _apart(self, name: str, start: str) -> str | None:
        """Where the library has a thing in a file of its own, which `use std` does not read: such a file is called by it."""
        meant = [f'`use "{key}"`' for key in self.loaded.unread(name)]
        if not meant:
            return None
        many = f"one of {', '.join(meant)}" if len(meant) > 1 else meant[0]
        return f"the library has it in a file of its own: write {many} at the top of `{start}`"


def _title(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".plan").replace("_", " ")


def _in_order(report: Report, sources: dict[str, Source]) -> Iterable[Diagnostic]:
    """By file and place, so that the order never depends on how the graph was walked."""
    order = {path: i for i, path in enumerate(sources)}
    found = sorted(report.found, key=lambda d: (order.get(d.span.file, len(order)), d.span.start))
    if report.hidden:
        last = found[-1]
        found[-1] = replace(
            last, severity="error", help=f"{last.help} ({report.hidden:,} further mistakes are not shown)"
        )
    return found


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
            if any(earlier.path == statement.path for earlier in result):
                message = f"`{'.'.join(statement.path)}` is set twice"
                found.append(Diagnostic("CW0700", statement.path_span, message, "set each address once"))
                continue
            result.append(Override(statement.path, statement.value, statement.path_span))
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
