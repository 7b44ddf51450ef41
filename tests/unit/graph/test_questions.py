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


def test_dependencies_come_nearest_first_and_stop_at_the_depth(graph):
    assert questions.dependencies(graph, "fit", 1) == ("pool", "demand")
    assert set(questions.dependencies(graph, "fit", 2)) == {
        "pool",
        "demand",
        "total",
        "weights",
        "per_token",
        "tokens",
    }
    assert questions.dependencies(graph, "fit")[-1] == "layers"
    assert questions.dependencies(graph, "tokens") == ()


def test_dependents_are_what_a_change_may_change(graph):
    assert questions.dependents(graph, "layers") == ("per_token", "weights", "demand", "pool", "fit")
    assert questions.dependents(graph, "layers", 1) == ("per_token", "weights")
    assert questions.dependents(graph, "fit") == ()


def test_a_slice_keeps_the_nearest_and_counts_the_rest(graph):
    part = questions.sliced(graph, ["fit"], 4)
    assert part.addresses == ("fit", "pool", "demand", "total")
    assert part.edges == (("fit", "pool"), ("fit", "demand"), ("pool", "total"))
    assert part.left_out == 4
    assert questions.sliced(graph, ["tokens", "tokens"], 9).addresses == ("tokens",)
    assert questions.sliced(graph, ["fit"], 99).left_out == 0


def test_a_path_leads_from_user_to_used(graph):
    assert questions.path_between(graph, "fit", "layers") in (
        ("fit", "pool", "weights", "layers"),
        ("fit", "demand", "per_token", "layers"),
    )
    assert questions.path_between(graph, "layers", "fit") is None


def test_every_knot_gives_one_cycle(graph):
    assert questions.cycles(graph) == ()
    knotted = questions.digraph({**EDGES, "layers": ["pool"], "x": ["x"], "b": ["c"], "c": ["b"]})
    assert questions.cycles(knotted) == (("b", "c"), ("layers", "pool", "weights"), ("x",))


def test_importing_the_module_does_not_import_networkx():
    code = "import sys, capwright.graph.questions; sys.exit('networkx' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": "compiler"}, check=False).returncode
        == 0
    )
