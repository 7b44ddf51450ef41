"""Why two states of a plan are not compared: a private catalogue that one of them cannot read."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from capwright.base.diagnostic import Diagnostic
from capwright.document.outcome import is_unread
from capwright.loading import Loaded, read_project


class State(Struct, frozen=True):
    """One side of a comparison: a plan of the project at `root`. `kept` tells the files that git has of it, then or
    now, by path from there; it is asked only where a catalogue cannot be read."""

    loaded: Loaded
    root: Path
    kept: Callable[[], frozenset[str]]


class Lacking(Struct, frozen=True):
    """What cannot be read of a private catalogue, and on which side: 0 before, 1 after."""

    message: Diagnostic
    side: int


def lacking(before: State, after: State) -> Lacking | None:
    """Why two states are not compared, in whatever order they are given; None where they are.

    What derives from a catalogue that git does not keep is unknown without it, and did not change. Any other file that
    cannot be read is a mistake in one of the states, like others: what is sound is compared.
    """
    found = [
        (path, named, message, side)
        for side, state in ((1, after), (0, before))
        for path, named, message in _unread(state)
    ]
    if not found:
        return None
    kept = before.kept() | after.kept()
    return next(
        (
            Lacking(message, side)
            for path, named, message, side in found
            if path not in kept and (named or message.span.file not in kept)
        ),
        None,
    )


def _unread(state: State) -> Iterator[tuple[str, bool, Diagnostic]]:
    """What of catalogues cannot be read, by path from the root of the project, and whether capwright.toml names it
    itself."""
    messages = [one for one in state.loaded.diagnostics if is_unread(one)]
    if not messages:
        return
    catalogues = read_project(state.root).catalogues
    inside = {one.path for one in state.loaded.inputs if one.role == "catalogue"}
    for one in messages:
        source = state.loaded.sources.get(one.span.file)
        word = "" if source is None else source.text[one.span.start : one.span.end]
        if word in catalogues:
            yield posixpath.normpath(catalogues[word]), True, one
        elif one.span.file in inside:
            folder = posixpath.dirname(one.span.file)
            yield posixpath.normpath(posixpath.join(folder, word.strip('"'))), False, one


def below(kept: frozenset[str], folder: str) -> frozenset[str]:
    """The paths that lie in a folder, from there."""
    lead = "" if folder == os.curdir else f"{folder}/"
    return frozenset(path.removeprefix(lead) for path in kept if path.startswith(lead))
