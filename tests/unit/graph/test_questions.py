"""Questions of the dependency graph."""

import subprocess
import sys

import pytest

from capwright.graph import questions

EDGES = {
    "fit": ["pool", "demand"],
    "pool": ["total", "weights"],
    "demand": ["per_token", "tokens"],
    "per_token": ["layers"],
    "weights": ["layers"],
    "tokens": [],
}


@pytest.fixture
def graph():
    return questions.digraph(EDGES)


def test_a_path_leads_from_user_to_used(graph):
    assert questions.path_between(graph, "fit", "layers") in (
        ("fit", "pool", "weights", "layers"),
        ("fit", "demand", "per_token", "layers"),
    )
    assert questions.path_between(graph, "layers", "fit") is None


def test_importing_the_module_does_not_import_networkx():
    code = "import sys, capwright.graph.questions; sys.exit('networkx' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": "compiler"}, check=False).returncode
        == 0
    )
