"""Comparisons of two plans or of two options, whole or for others."""

from __future__ import annotations

from msgspec import Struct

from capwright.commands.refusal import CannotRun
from capwright.commands.sides import Side, document_of
from capwright.document.diffdoc import DiffDoc


class Named(Struct, frozen=True):
    """A comparison by its plan in the folders compared, if any. `told` is what of it others may not see."""

    plan: str
    diff: DiffDoc
    told: tuple[str, ...]


def plans_compared(before: Side, after: Side, plan: str, *, public: bool) -> Named:
    """One plan of two folders, or two plans; raises `CannotRun`."""
    from capwright.comparison.compare import compare
    from capwright.comparison.confided import confided, told
    from capwright.document.withholding import withheld

    one, two = document_of(before, plan), document_of(after, plan)
    names, failed = (one.name, two.name), (one.failed, two.failed)
    if not public:
        diff = compare(one.document, two.document, names, failed=failed)
        return Named(plan, diff, told(diff, one.document, two.document))
    shown = withheld(one.document), withheld(two.document)
    hidden = confided(one.document, two.document)
    return Named(plan, compare(*shown, names, failed=failed, hidden=hidden), ())


def options_compared(side: Side, before: str, after: str, *, public: bool) -> Named:
    """Two options of one plan; raises `CannotRun`."""
    from capwright.comparison.confided import told
    from capwright.comparison.options import alternatives, bases_of, compare_options
    from capwright.document.withholding import withheld

    document = document_of(side, options=(before, after)).document
    ours, theirs = bases_of(document, before), bases_of(document, after)
    for option, bases in ((before, ours), (after, theirs)):
        if not bases:
            known = [address for o in document.options for address in (o.base, o.address)]
            raise CannotRun(
                "CW0755",
                f"`{side.word}` has no option `{option}`",
                f"it has {', '.join(dict.fromkeys(known))}"
                if known
                else "it has no options; declare some with `option NAME of BASE { … }`",
            )
    common = next((base for base in ours if base in theirs), None)
    if common is None:
        raise CannotRun(
            "CW0756",
            f"`{before}` and `{after}` are options of different things",
            f"compare options of `{ours[0]}`, or options of `{theirs[0]}`",
        )
    shown = withheld(document) if public else document
    diff = compare_options(alternatives(shown), common, before, after)
    return Named("", diff, () if public else told(diff, document))
