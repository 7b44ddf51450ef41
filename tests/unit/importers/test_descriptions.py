"""Descriptions of a user's own: what they can say, and what is said of mistakes in them."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from capwright.compiling import compile_plan
from capwright.importers import Beside, import_config
from capwright.importers.descriptions import described, library, merged, read_table
from capwright.loading import load

CONFIG = {
    "architectures": ["MineForCausalLM"],
    "model_type": "mine",
    "width": 64,
    "words": 100,
    "depth": 4,
    "heads": 4,
    "wide": 8,
    "inner": [32, 48, 32, 48],
    "torch_dtype": "bfloat16",
}
OWN = """
title = "Mine"
code = "modeling_mine.py"
extends = ["decoder", "grouped", "gated"]

[fields]
depth = { key = "depth" }
hidden_size = { key = "width" }
vocabulary = { key = "words" }
max_context = 4096
query_heads = { key = "heads" }
feed_forward_width = false
inner = { key = "inner", type = "list", length = "depth" }
window = { key = "wide" }

[by_layer]
inner_here = "inner[i]"

[layers]
windowed = "i % 2 == 1"

[tensors]
gate_up = { shape = ["inner_here", "hidden_size"] }
down = { shape = ["hidden_size", "inner_here"] }
"""


def imported(own: str, config: dict | None = None) -> tuple[str | None, tuple]:
    beside = Beside({"architecture": ("own.toml", own.encode())})
    return import_config(config or CONFIG, "config.json", "m", beside=beside)


def test_a_description_beside_the_plan_is_enough(tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    plan = tmp_path / "a.plan"
    plan.write_text('use std\nmodel m from config("config.json", architecture: "own.toml")\n')
    loaded = load(str(plan))
    compiled = compile_plan(loaded)
    assert not compiled.failed, compiled.diagnostics
    values = {each.address: each.nominal for each in compiled.document.quantities}
    attention, feed_forward = 4 * 64 * 64, 3 * 64
    assert int(values["m.parameters"]) == 2 * 100 * 64 + 4 * attention + feed_forward * (32 + 48) * 2 + 9 * 64
    assert {each.path for each in loaded.inputs} >= {"config.json", "own.toml"}


def test_layers_of_other_sizes_are_other_tensors():
    text, found = imported(OWN)
    assert not found
    lines = [line.strip() for line in text.splitlines()]
    assert any(
        "tensor gate_up {" in each and "32 * hidden_size" in each and "copies = 2" in each for each in lines
    )
    assert any("tensor gate_up_2 {" in each and "48 * hidden_size" in each for each in lines)


def test_the_same_config_is_refused_without_it():
    text, found = import_config(CONFIG, "config.json", "m")
    assert text is None
    assert [each.code for each in found] == ["CW0620"]
    assert "architecture:" in found[0].help


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ("[fields", "no TOML"),
        ("extends = ['gone']", "`gone`"),
        ("nonsense = 1", "`nonsense`"),
        ("[fields]\nhidden_size = { kye = 'x' }", "`kye`"),
        ("[fields]\nhidden_size = 'a +'", "`fields.hidden_size`"),
        ("[fields]\nhidden_size = { key = 'x', type = 'float' }", "`float`"),
        ("[fields]\nhidden_size = ['x']", "`fields.hidden_size`"),
        ("[groups.a]\nlayers = 'True'", "`groups.a`"),
        ("[tensors.a]\npart = 'norm'", "`tensors.a`"),
        ("[tensors.a]\npart = 'norm'\nshape = '1'\nstage = 'middle'", "`middle`"),
        ("[[refuse]]\nwhen = 'True'", "`message`"),
        ("architectures = [1]", "`architectures`"),
        ("fields = 3", "`fields`"),
        ("# " + "x" * 200_000, "characters"),
    ],
)
def test_a_mistake_in_a_description_is_a_message_in_its_file(own, words):
    text, (found,) = imported(own)
    assert text is None
    assert found.code == "CW0650"
    assert found.span.file == "own.toml"
    assert words in found.message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('head_bias = "hidden_size / 0"', "zero"),
        ('head_bias = "gone"', "`gone`"),
        ('loop = "loop"\nhead_bias = "loop"', "itself"),
        ("head_bias = \"sum(repeat([1], 1000)) == count('gone')\"", "`gone`"),
    ],
)
def test_a_description_that_does_not_fit_is_told(change, words):
    text, found = imported(OWN.replace("[by_layer]", f"{change}\n[by_layer]"))
    assert text is None
    assert [each.code for each in found] == ["CW0651"]
    assert words in found[0].message


ABSURD = [
    ("hidden_size / k", 0, "it divides by zero", "`0`"),
    ("hidden_size * k / 7", 10**30, "must be a whole number", "`1000000000000000000000000000000`"),
    ("hidden_size * k", -5, "must be a whole number", "`-5`"),
    ("hidden_size * k", "x", "`x` is no number", "`x`"),
    ("hidden_size * k", True, "`True` is no number", "`True`"),
    ("hidden_size * k", 0.3, "must be a whole number", "`0.3`"),
    ("each(k, 3)", [1], "entry 3 of a list of 1", "`[1]`"),
]


@pytest.mark.parametrize(("formula", "value", "words", "shown"), ABSURD)
def test_what_has_no_value_names_the_keys_that_it_comes_from(formula, value, words, shown):
    own = OWN.replace("[fields]", '[fields]\nk = { key = "k", type = "any" }', 1)
    own += f'\nodd = {{ part = "other", shape = ["{formula}"] }}\n'
    text, found = imported(own, {**CONFIG, "k": value})
    assert text is None
    (problem,) = found
    assert (problem.code, words in problem.message) == ("CW0651", True), problem.message
    assert f"/k is {shown}" in problem.message
    assert "`k`" in problem.help
    assert f"`{formula}`" in problem.help


def test_a_description_cannot_run_long():
    sets = "\n".join(f"s{n} = \"sum(repeat([1], 1000)) == {n} and 'a' != '{'x' * 500}'\"" for n in range(300))
    uses = "\n".join(f"g{n} = {{ part = 'other', shape = ['1'], layers = 's{n}' }}" for n in range(300))
    own = OWN.replace("[layers]", f"[layers]\n{sets}") + uses
    text, found = imported(own, {**CONFIG, "depth": 900, "inner": [32] * 900})
    assert text is None
    assert [each.code for each in found] == ["CW0651"]


def test_descriptions_that_extend_each_other_end():
    text, found = imported("extends = ['decoder', 'own']")
    assert text is None
    assert [each.code for each in found] == ["CW0650"]


README = resources.files("capwright.importers") / "architectures" / "README.md"


def test_the_example_of_the_page_is_a_description():
    text = README.read_text(encoding="utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    assert described("example", merged(read_table(example), library())).title == "Mine"


def refusals() -> list[str]:
    """A line for each refusal that a description itself makes, as the page lists them."""
    return [
        f"| {read_table(text).get('title', name)} | {each['message']} | {'told' if each.get('warning') else 'refused'} |"
        for name, text in library().items()
        for each in read_table(text).get("refuse", ())
    ]


def test_the_page_lists_what_is_refused_and_why():
    lines = README.read_text(encoding="utf-8").splitlines()
    start = lines.index("| description | what is not covered | |") + 2
    assert lines[start:] == refusals()


NEVER_LISTED = {"norm", "bias", "buffer", "vision", "audio", "embedding"}


@pytest.mark.parametrize("name", sorted(library()))
def test_each_matrix_that_may_be_quantised_has_the_names_of_its_modules(name):
    table = read_table(library()[name])
    if "title" in table:
        nameless = [
            each.name
            for each in described(name, merged(table, library())).tensors
            if len(each.shape) > 1 and each.packed and each.part not in NEVER_LISTED and not each.modules
        ]
        assert not nameless


@pytest.mark.parametrize(
    ("full", "words"),
    [
        ("False", "layer 0 of 4 would be in no group"),
        ("i != 3", "layer 1 of 4 would be in `full` and `local` at once"),
        ("i == 0", "layer 2 of 4 would be in no group"),
    ],
)
def test_each_layer_is_in_one_group(full, words):
    text, found = imported(OWN.replace("[layers]", f'[layers]\nfull = "{full}"'))
    assert text is None
    assert [each.code for each in found] == ["CW0653"]
    assert words in found[0].message


def test_copies_are_a_number_of_tensors():
    text, found = imported(f'{OWN}odd = {{ part = "other", shape = ["8"], copies = "0 - 3" }}\n')
    assert text is None
    assert [each.code for each in found] == ["CW0651"]


def test_draft_layers_are_no_more_than_layers():
    text, found = imported(f'{OWN}[draft]\ncount = "100_000 * 100_000"\nlike = "0"\n')
    assert text is None
    assert [each.code for each in found] == ["CW0651"]
    assert "1_000 layers" in found[0].message


@pytest.mark.parametrize("prefix", ["{x}.{i}.", "{0}.", "{", "drafts.{i.__class__}."])
def test_only_the_number_is_put_into_a_prefix(prefix):
    own = OWN.replace("[fields]", f"prefixes = ['{prefix}']\n[fields]", 1)
    quantised = {**CONFIG, "quantization_config": {"quant_method": "fp8"}}
    text, found = imported(f"{own}[draft]\ncount = '1'\nlike = '0'\nprefixes = ['{prefix}']\n", quantised)
    assert text is not None, found
