"""Changed declarations, and what a changed reference puts in the place of what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from capwright.document.deciders import ANY
from capwright.document.plandoc import FormulaDoc, MeasurementDoc, Quantity, SettingDoc

Sort = Literal["setting", "value", "formula", "measurement", "requirement", "tool"]


Said = SettingDoc | Quantity | MeasurementDoc | FormulaDoc
"""What a declaration is on one side."""


class Blamed(Struct, frozen=True):
    """A changed declaration. `tops` are the two things a rebound field refers to."""

    address: str
    sort: Sort
    before: Said | None
    after: Said | None
    tops: tuple[str | None, str | None] = (None, None)


class Rebinding(Struct, frozen=True):
    """Things below a changed setting that take each other's place with it: a cache's element type, say."""

    before: str
    after: str
    blamed: Blamed
    path: str = ""
    """The fields that lead there from what the setting refers to."""


def patterns(address: str) -> Iterator[str]:
    """An address as it stands among deciders: itself, and with any of its names standing for every element."""
    yield address
    steps = address.split(".")
    for at in range(1, len(steps)):
        yield ".".join([*steps[:at], ANY, *steps[at + 1 :]])
