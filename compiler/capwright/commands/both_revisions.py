"""A plan on both sides of a change, as others may see it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Source, Span
from capwright.commands.affected_plans import Affected
from capwright.commands.base_revision import Change
from capwright.commands.lacking_catalogues import State, lacking
from capwright.commands.opened_plan import Opened
from capwright.commands.verdict_messages import findings
from capwright.commands.withheld_messages import Public, public, secretive
from capwright.compiling import Compiled, compile_plan
from capwright.document.diagnostic_docs import diagnostic_docs
from capwright.document.plandoc import PlanDoc, VerdictDoc
from capwright.document.withholding import withheld
from capwright.loading import Loaded, load, tool_sha256
from capwright.render.plan_change import PlanChange


class Examined(Struct, frozen=True):
    """What became of a plan: for the comment, and for annotations; `code` is the exit code of its check."""

    change: PlanChange
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]
    code: int


def examine(since: Change, revision: str, strict: bool, one: Affected) -> Examined:
    """Compile both sides and compare them, without confidential numbers, but for what `lacking` tells."""
    from capwright.comparison.compare import compare
    from capwright.comparison.confided import confided

    root, base = since.root, since.base
    before = _compiled(base, one.before)
    after = _compiled(root, one.after)
    both = [side[0].sources for side in (before, after) if side is not None]
    secret = frozenset(path for sources in both for path in secretive(sources))
    old, new = _document(before, secret), _document(after, secret)
    diff, reason = None, ""
    if old is not None and new is not None and before is not None and after is not None:
        lack = lacking(State(before[0], base, lambda: since.kept), State(after[0], root, lambda: since.kept))
        if lack is None:
            failed = (before[1].failed, after[1].failed)
            hidden = confided(before[1].sound, after[1].sound, failed)
            unjudged = before[1].unjudged, after[1].unjudged
            names = (f"{revision}:{one.before}", one.path)
            diff = compare(old, new, names, failed=failed, hidden=hidden, unjudged=unjudged)
        elif not lack.side:
            reason = Public(secret, old).diagnostics([lack.message], before[0].sources)[0].message
    if one.after is None or after is None:
        unread = _unread(root, one)
        return Examined(
            PlanChange(
                one.path,
                one.how,
                one.before,
                None,
                None,
                (),
                one.why,
                unasked=_unasked(one, old, since.judged),
            ),
            unread[0],
            unread[1],
            unread[2],
        )
    loaded, compiled = after
    open_ = public(compiled.sound, loaded.sources, secret)
    shown = open_.diagnostics(compiled.diagnostics, compiled.sources)
    asked = (
        ()
        if compiled.failed
        else tuple(findings(open_.verdicts(compiled.brief), one.path, loaded.sources, strict=strict))
    )
    messages = open_.messages(diagnostic_docs(compiled.diagnostics, compiled.sources))
    change = PlanChange(one.path, one.how, one.before, new, diff, messages, one.why, strict, reason)
    document = None if compiled.failed else compiled.brief
    code = Opened(one.path, document, compiled.diagnostics, compiled.sources).exit_code(strict=strict)
    found = (*shown, *asked)
    return Examined(
        change,
        found,
        {one.span.file: loaded.sources[one.span.file] for one in found if one.span.file in loaded.sources},
        code,
    )


def _compiled(root: Path, path: str | None) -> tuple[Loaded, Compiled] | None:
    if path is None:
        return None
    loaded = load(str(root / path), root=str(root))
    return (loaded, compile_plan(loaded, tool_sha256=tool_sha256())) if loaded.main else None


def _document(side: tuple[Loaded, Compiled] | None, secret: frozenset[str]) -> PlanDoc | None:
    """The document for others; one with errors holds what is sound. `secret` are the files that may hold confidential
    numbers, on either side: what became confidential is still worth keeping."""
    if side is None:
        return None
    document = withheld(side[1].sound)
    return replace(document, diagnostics=Public(secret, document).messages(document.diagnostics))


def _unasked(one: Affected, old: PlanDoc | None, judged: frozenset[str]) -> tuple[VerdictDoc, ...]:
    """The requirements that a deleted plan takes along: those of files that no plan judges any more. Of what is used
    under a name only numbers are read."""
    if one.after is not None or old is None:
        return ()
    return tuple(verdict for verdict in old.verdicts if verdict.place.rpartition(":")[0] not in judged)


def _unread(root: Path, one: Affected) -> tuple[tuple[Diagnostic, ...], Mapping[str, Source], int]:
    """What there is to say of a plan that is deleted, or cannot be read."""
    if one.after is None:
        return (), {}, 0
    loaded = load(str(root / one.after), root=str(root))
    return loaded.diagnostics, loaded.sources, 1


def below(prefix: str, found: Examined) -> Examined:
    """The messages with their files' paths from the top of the repository, as annotations need them."""
    if not prefix:
        return found
    sources = {
        f"{prefix}/{path}": Source(f"{prefix}/{path}", one.text) for path, one in found.sources.items()
    }
    moved = tuple(
        replace(one, span=Span(f"{prefix}/{one.span.file}", one.span.start, one.span.end), notes=())
        if one.span.file in found.sources
        else one
        for one in found.diagnostics
    )
    return replace(found, diagnostics=moved, sources=sources)
