"""Comparisons of two plans or of two options, whole or for others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from capwright.base.address import is_called, name_of
from capwright.base.diagnostic import Diagnostic, nearest, offered
from capwright.commands.addresses import behind, beside
from capwright.commands.lacking_catalogues import lacking
from capwright.commands.refusal import CannotRun
from capwright.commands.sides import Compared, Side, document_of
from capwright.commands.withheld_messages import public as for_others
from capwright.document.diffdoc import DiffDoc
from capwright.render.escape import shell_path, shell_word

_LISTED: Final = 12
"""Options that a message names; the rest are counted."""


class Named(Struct, frozen=True):
    """A comparison by its plan in the folders compared, if any. `told` is what of it others may not see."""

    plan: str
    diff: DiffDoc
    told: tuple[str, ...]


def plans_compared(before: Side, after: Side, plan: str, *, public: bool) -> Named:
    """One plan of two folders, or two plans; raises `CannotRun`, also where a side lacks a private catalogue."""
    from capwright.comparison.compare import compare
    from capwright.comparison.confided import confided, told
    from capwright.document.withholding import withheld

    one, two = document_of(before, plan), document_of(after, plan)
    names, failed = (one.name, two.name), (one.failed, two.failed)
    unjudged = one.unjudged, two.unjudged
    lack = lacking(one.state, two.state) if one.state is not None and two.state is not None else None
    if lack is not None:
        side = (one, two)[lack.side]
        reason = _shown(lack.message, side) if public else lack.message
        message = f"in {side.name} {reason.message}"
        raise CannotRun(reason.code, message, reason.help)
    if not public:
        diff = compare(one.document, two.document, names, failed=failed, unjudged=unjudged)
        return Named(plan, diff, told(diff, one.document, two.document))
    shown = withheld(one.document), withheld(two.document)
    hidden = confided(one.document, two.document, failed)
    return Named(plan, compare(*shown, names, failed=failed, hidden=hidden, unjudged=unjudged), ())


def _shown(message: Diagnostic, side: Compared) -> Diagnostic:
    """A message as others may see it."""
    sources = {} if side.state is None else side.state.loaded.sources
    return for_others(side.document, sources).diagnostics([message], sources)[0]


def _named(word: str, words: Sequence[str], compared: Compared, side: Side) -> str:
    """The address of the option that `word` names, in full or as the plan writes it, or of what has options; raises
    `CannotRun` (CW0755). `words` are all that are compared."""
    document = compared.document
    known = list(dict.fromkeys(address for one in document.options for address in (one.base, one.address)))
    found = [word] if word in known else _called(word, known)
    if len(found) == 1:
        return found[0]
    if found:
        message, help = f"`{side.word}` has several options `{word}`", f"say which: {', '.join(found)}"
    elif (there := behind(word, compared.names)) is not None and there.rest:
        message = f"`{side.word}` has no option `{word}`"
        asked = [each.removeprefix(f"{there.name}.") for each in words]
        file = shell_path(beside(there.file, side.word, document.path))
        help = f"{there.told}: compare its options there, `capwright diff {file} {' '.join(map(shell_word, asked))}`"
    else:
        message = f"`{side.word}` has no option `{word}`"
        close = nearest(name_of(word), map(name_of, known))
        meant = [address for name in close for address in _called(name, known)]
        help = f"{offered(meant)}; {_listed(known)}" if meant else _listed(known)
    raise CannotRun("CW0755", message, help)


def _called(name: str, known: Sequence[str]) -> list[str]:
    return [address for address in known if is_called(address, name)]


def _listed(known: Sequence[str]) -> str:
    """What may be named, and how."""
    if not known:
        return "it has none: `option NAME of BASE { … }` declares one"
    shown = ", ".join(f"`{address}`" for address in known[:_LISTED])
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    alone = (one for one in known if "@" in one and len(_called(name_of(one), known)) == 1)
    short = next((f"; `{name_of(one)}` is enough for `{one}`" for one in alone), "")
    return f"it has {shown}{more}{short}"


def options_compared(side: Side, before: str, after: str, *, public: bool) -> Named:
    """Two options of one plan; raises `CannotRun`."""
    from capwright.comparison.confided import told
    from capwright.comparison.options import Alternatives, bases_of, compare_options
    from capwright.document.withholding import withheld

    compared = document_of(side, options=(before, after))
    document, words = compared.document, (before, after)
    before, after = (_named(word, words, compared, side) for word in words)
    if (before, after) != words:
        # An option is worked out by its address, which a short name only leads to.
        document = document_of(side, options=(before, after)).document
    ours, theirs = bases_of(document, before), bases_of(document, after)
    common = next((base for base in ours if base in theirs), None)
    if common is None:
        raise CannotRun(
            "CW0756",
            f"`{before}` and `{after}` are options of different things",
            f"compare options of `{ours[0]}`, or options of `{theirs[0]}`",
        )
    shown = withheld(document) if public else document
    diff = compare_options(Alternatives(shown), common, before, after)
    return Named("", diff, () if public else told(diff, document))
