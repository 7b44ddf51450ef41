"""Where the templates are, in an installed package and in a checkout, and how they are read and compiled."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from capwright.render.escape import in_quotes

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def folder() -> Path:
    """The template folder: in the package where it was installed, else at the top of the checkout."""
    packaged = Path(__file__).parents[1] / "_templates"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "reports" / "templates"


@cache
def text(name: str) -> str:
    """One file of the folder as it stands."""
    return (folder() / name).read_text(encoding="utf-8")


@cache
def style(*names: str) -> str:
    """Style sheets one after another; without names those of a page."""
    return "".join(text(f"{name}.css") for name in names or ("palette", "report", "chart"))


@cache
def environment(*, escaping: bool) -> Environment:
    """Jinja reading from the folder. An undefined name is an error, never an empty text.

    Without `escaping`, for formats that are not HTML, every printed value must have been made safe before.
    """
    return _environment(escaping=escaping)


def compile_templates() -> None:
    """Leave the code of every template in the package's `_built` folder, where `environment` finds it."""
    for path in sorted(folder().glob("*.html")) + sorted(folder().glob("*.md")):
        _environment(escaping=path.suffix == ".html", leaving=True).get_template(path.name)


def _environment(*, escaping: bool, leaving: bool = False) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from capwright.render.compiled_templates import CompiledTemplates

    made = Environment(
        loader=FileSystemLoader(folder(), encoding="utf-8"),
        bytecode_cache=CompiledTemplates(escaping=escaping, leaving=leaving),
        autoescape=escaping,  # noqa: S701 (elsewhere `_only_safe` refuses what is not escaped)
        finalize=None if escaping else _only_safe,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["in_quotes"] = in_quotes
    return made


def _only_safe(value: object) -> object:
    from markupsafe import Markup

    if not isinstance(value, Markup):
        raise TypeError(f"the template prints {value!r} unescaped")
    return value
