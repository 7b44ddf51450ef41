"""Templates do no arithmetic, and what they print was made safe."""

import pytest
from jinja2 import nodes

from capwright.render.templates import environment, folder

ARITHMETIC = (nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Neg)
TEMPLATES = sorted(path.name for path in folder().iterdir() if path.suffix in {".html", ".md"})


def test_there_are_templates():
    assert {"plan.html", "plan.md"} <= set(TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_arithmetic(name):
    tree = environment(escaping=True).parse((folder() / name).read_text())
    assert not list(tree.find_all(ARITHMETIC))
    counted = {"sum", "round", "int", "float", "abs"}
    assert not [node.name for node in tree.find_all(nodes.Filter) if node.name in counted]


def test_markdown_refuses_text_that_nobody_escaped():
    template = environment(escaping=False).from_string("{{ text }}")
    with pytest.raises(TypeError, match="unescaped"):
        template.render(text="<b>")


def test_a_missing_name_is_an_error():
    with pytest.raises(Exception, match="undefined"):
        environment(escaping=True).from_string("{{ nothing }}").render()
