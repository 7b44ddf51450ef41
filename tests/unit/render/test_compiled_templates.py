"""Templates are compiled when the package is built, and never used where they were made of something else."""

from __future__ import annotations

import jinja2
import pytest
from jinja2 import DictLoader, Environment

from capwright.render import compiled_templates, templates
from capwright.render.compiled_templates import CompiledTemplates


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A `_built` folder of one's own."""
    monkeypatch.setattr(compiled_templates, "BUILT", tmp_path / "_built" / "plan.tables")
    return tmp_path / "_built" / "templates"


def reading(text: str, *, leaving: bool = False) -> Environment:
    cache = CompiledTemplates(escaping=True, leaving=leaving)
    return Environment(loader=DictLoader({"a.html": text}), bytecode_cache=cache, autoescape=True)


def test_every_template_has_its_code(built):
    templates.compile_templates()
    left = {path.name.removesuffix(f"-{jinja2.__version__}") for path in built.rglob("*") if path.is_file()}
    assert left == {path.name for path in templates.folder().iterdir() if path.suffix in {".html", ".md"}}


def test_a_template_that_has_its_code_is_not_compiled(built, monkeypatch):
    reading("{{ 1 + 1 }}", leaving=True).get_template("a.html")
    monkeypatch.setattr(Environment, "compile", None)
    assert reading("{{ 1 + 1 }}").get_template("a.html").render() == "2"


def test_code_of_another_text_is_left_alone(built):
    reading("{{ 1 + 1 }}", leaving=True).get_template("a.html")
    assert reading("{{ 1 + 2 }}").get_template("a.html").render() == "3"


@pytest.mark.parametrize("damage", [b"", b"j2", b"nothing of the kind"])
def test_damaged_code_is_left_alone(built, damage):
    reading("{{ 1 + 1 }}", leaving=True).get_template("a.html")
    [left] = (built / "escaping").iterdir()
    left.write_bytes(damage)
    assert reading("{{ 1 + 1 }}").get_template("a.html").render() == "2"


def test_a_run_leaves_nothing_in_the_package(built):
    reading("{{ 1 + 1 }}").get_template("a.html")
    assert not built.exists()
