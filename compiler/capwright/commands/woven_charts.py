"""Charts in woven documents: bars that a forge draws from text, or any view as an SVG file beside the document."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from capwright.base.diagnostic import did_you_mean
from capwright.document.plandoc import ViewDoc
from capwright.loading.files import Folder, resolve
from capwright.render import woven
from capwright.render.charts.pictures import picture_file
from capwright.render.charts.svg import ALONE
from capwright.render.index import Index
from capwright.weave.regions import Mistake, Region

SUFFIX: Final = ".svg"


class Filled(Struct, frozen=True):
    """What fills a region, and the file that goes with it: where it stands, what it holds."""

    text: str
    picture: tuple[Path, bytes] | None = None


def chart(region: Region, of: Index, document: Path, root: Path) -> Filled | Mistake:
    """The chart that a marker asks for: `chart PLAN VIEW` or `chart PLAN VIEW FILE.svg`.

    Raises `ReadProblem` for a file outside the project.
    """
    name, *files = region.words[2:]
    found = _view(region, name, of)
    if isinstance(found, Mistake):
        return found
    if not files:
        drawn = woven.chart(found, of)
        way = f"name a file for its picture: `<!-- capwright: chart {region.words[1]} {name} {found.name.rpartition('.')[2]}.svg -->`"
        return (
            Filled(drawn) if drawn else region.mistake("CW0806", _undrawn(name, "as bars in the text"), way)
        )
    picture = picture_file(found, of)
    if not picture:
        return region.mistake("CW0806", _undrawn(name, "at all"), "weave a table of it")
    path = resolve(files[0], document.parent, Folder(root))
    if (wrong := _unwritable(files[0], path)) is not None:
        return region.mistake("CW0808", *wrong)
    return Filled(woven.pictured(found, of, quote(files[0])), (path, picture.encode()))


def _view(region: Region, name: str, of: Index) -> ViewDoc | Mistake:
    """The view of that name, or the only one of an owner, or its only one of a chart."""
    views = {view.name: view for view in of.doc.views}
    if name in views:
        return views[name]
    owned = [view for view in of.doc.views if name in {view.owner, f"{view.owner}.{view.chart}"}]
    if len(owned) == 1:
        return owned[0]
    if owned:
        names = " or ".join(f"`{view.name}`" for view in owned)
        return region.mistake("CW0806", f"`{name}` has {len(owned)} views", f"name one of them: {names}")
    return region.mistake("CW0806", f"the plan has no view `{name}`", did_you_mean(name, views))


def _undrawn(name: str, how: str) -> str:
    return f"the view `{name}` cannot be drawn {how}: its quantities have no numbers, or several dimensions"


def _unwritable(said: str, path: Path) -> tuple[str, str] | None:
    """Why no picture is written to a file, and what to name instead; None where one may be: there is nothing yet, or an
    earlier picture."""
    if not said.endswith(SUFFIX):
        return (
            f"`{said}` does not end in `{SUFFIX}`, as the file of a picture does",
            f"name a file that ends in `{SUFFIX}`",
        )
    if not os.path.isdir(path.parent):
        folder = os.path.dirname(said)
        return (
            f"there is no folder `{folder}` for the picture",
            "name a folder that there is: the path is relative to the document's folder",
        )
    if os.path.exists(path) and not (os.path.isfile(path) and path.read_bytes().startswith(ALONE.encode())):
        return (
            f"`{said}` holds something else than a picture of a plan's, and is left as it is",
            "name a new file: the path is relative to the document's folder",
        )
    return None
