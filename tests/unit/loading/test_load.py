"""Reading a plan with all it uses."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from capwright.loading import Loaded, load

UNITS = "unit token, tokens counting\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "plans" / "models").mkdir(parents=True)
    (root / ".git").mkdir()
    return root


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / "plans" / f"{name}.plan").write_text(text)


def codes(loaded: Loaded) -> list[tuple[str, str]]:
    """Each diagnostic's code and the text under it."""
    return [(d.code, loaded.sources[d.span.file].text[d.span.start : d.span.end]) for d in loaded.diagnostics]


def test_modules_are_keyed_by_what_a_reader_sees(project):
    write(project, a='use "b.plan"\n', b="x = 1\n")
    loaded = load(str(project / "plans" / "a.plan"))
    assert loaded.main == "plans/a.plan"
    assert set(loaded.modules) == {"plans/a.plan", "plans/b.plan"}
    assert loaded.uses == {("plans/a.plan", "b.plan"): "plans/b.plan"}
    assert loaded.diagnostics == ()


def test_inputs_carry_the_hash_of_what_is_on_disk(project):
    write(project, a="x = 1\r\n")
    path = project / "plans" / "a.plan"
    found = load(str(path)).inputs
    assert [(i.path, i.role) for i in found] == [("plans/a.plan", "plan")]
    assert found[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_files_are_a_set(project):
    write(project, a='use "b.plan"; use "b.plan"\nuse "./b.plan"\n', b='use "a.plan"\nuse "b.plan"\n')
    loaded = load(str(project / "plans" / "a.plan"))
    assert loaded.diagnostics == ()
    assert set(loaded.modules) == {"plans/a.plan", "plans/b.plan"}
    assert loaded.uses["plans/b.plan", "a.plan"] == "plans/a.plan"


def test_the_library_has_its_own_place_and_hash(project, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    (library / "std.plan").write_text('use "units.plan"\n')
    (library / "units.plan").write_text(UNITS)
    write(project, a="use std\n")
    loaded = load(str(project / "plans" / "a.plan"), library=library)
    assert loaded.library == {"std/std.plan", "std/units.plan"}
    assert loaded.uses["plans/a.plan", "std"] == "std/std.plan"
    assert [i.path for i in loaded.inputs] == ["plans/a.plan"]
    (library / "units.plan").write_text(UNITS + "\n")
    assert load(str(project / "plans" / "a.plan"), library=library).library_sha256 != loaded.library_sha256


def test_a_folder_called_like_the_library_is_no_library(project):
    (project / "std").mkdir()
    (project / "std" / "a.plan").write_text("x = 1\n")
    loaded = load(str(project / "std" / "a.plan"))
    assert loaded.main == "./std/a.plan"
    assert loaded.library == frozenset()


def test_refusals_stand_at_the_path(project):
    outside = project.parent / "secret.plan"
    outside.write_text("secret = 1\n")
    (project / "plans" / "link.plan").symlink_to(outside)
    os.mkfifo(project / "plans" / "pipe.plan")
    (project / "plans" / "bad.plan").write_bytes(b"x = \xff\n")
    (project / "plans" / "models.plan").touch()
    write(
        project,
        a='use "../../secret.plan"\nuse "link.plan"\nuse "pipe.plan"\nuse "models"\n'
        'use "model.plan"\nuse "bad.plan"\nuse stdlib\n',
    )
    loaded = load(str(project / "plans" / "a.plan"))
    assert codes(loaded) == [
        ("CW0151", '"../../secret.plan"'),
        ("CW0152", '"link.plan"'),
        ("CW0154", '"pipe.plan"'),
        ("CW0153", '"models"'),
        ("CW0150", '"model.plan"'),
        ("CW0156", "\ufffd"),
        ("CW0158", "stdlib"),
    ]
    assert "models.plan" in loaded.diagnostics[4].help
    assert "secret" not in "".join(
        source.text for key, source in loaded.sources.items() if key != "plans/a.plan"
    )


def test_a_plan_that_is_not_there(project):
    loaded = load(str(project / "plans" / "nothing.plan"))
    assert loaded.main == ""
    assert [d.code for d in loaded.diagnostics] == ["CW0150"]


def test_an_editor_may_hand_in_its_buffer(project):
    write(project, a="x = 1\n")
    loaded = load(str(project / "plans" / "a.plan"), texts={"plans/a.plan": "x = 1\ny = 2\n"})
    assert len(loaded.modules["plans/a.plan"].statements) == 2


def test_too_many_files(project, monkeypatch):
    monkeypatch.setattr("capwright.loading.closure.MAX_USES", 3)
    write(project, a='use "b.plan"', b='use "c.plan"', c='use "d.plan"', d="x = 1")
    loaded = load(str(project / "plans" / "a.plan"))
    assert codes(loaded) == [("CW0159", '"d.plan"')]
    assert "plans/d.plan" not in loaded.modules


CONFIG = (
    '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, '
    '"intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, '
    '"num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072, '
    '"tie_word_embeddings": false, "torch_dtype": "bfloat16"}'
)


def test_an_imported_file_is_a_module_with_a_source(project):
    (project / "plans" / "models" / "config.json").write_text(CONFIG)
    write(project, a='model m from config("models/config.json")\nmodel n from config("models/config.json")\n')
    loaded = load(str(project / "plans" / "a.plan"))
    assert loaded.diagnostics == ()
    module = loaded.imports["plans/a.plan", "models/config.json"]
    assert module.path == "plans/models/config.json (imported)"
    assert "model m" in loaded.sources[module.path].text
    assert [(i.path, i.role) for i in loaded.inputs] == [
        ("plans/a.plan", "plan"),
        ("plans/models/config.json", "config"),
    ]


def test_an_import_is_found_wherever_it_stands(project):
    (project / "plans" / "config.json").write_text(CONFIG)
    write(project, a='deployment d {\n  model = config(\n  # here\n "config.json"\n)\n}\n')
    loaded = load(str(project / "plans" / "a.plan"))
    assert ("plans/a.plan", "config.json") in loaded.imports


def test_an_import_is_held_to_the_root(project):
    (project.parent / "secret.json").write_text(CONFIG)
    (project / "plans" / "broken.json").write_text('{"a": ')
    write(
        project,
        a='model a from config("../../secret.json")\nmodel b from config("none.json")\n'
        'model c from config("broken.json")\n',
    )
    loaded = load(str(project / "plans" / "a.plan"))
    found = [d.code for d in loaded.diagnostics]
    assert found[:2] == ["CW0151", "CW0150"]
    assert len(found) == 3
    assert found[2].startswith("CW06")
    assert loaded.diagnostics[2].span.file == "plans/broken.json"
    assert loaded.sources["plans/broken.json"].text == '{"a": '
    assert loaded.imports == {}


def test_a_trace_gives_lengths_by_its_columns(project):
    (project / "plans" / "t.csv").write_text("when,in,out\n1,4808,10\n2,3180,8\n")
    write(project, a='class c { input = trace("t.csv", input: "in", output: "out") }\n')
    loaded = load(str(project / "plans" / "a.plan"))
    assert loaded.diagnostics == ()
    lengths = loaded.lengths["plans/a.plan", "t.csv", "input=in", "output=out"]
    assert set(lengths) == {"input", "output"}
    assert [i.role for i in loaded.inputs] == ["plan", "trace"]


def test_what_a_plan_forgoes_of_the_library_is_offered_by_name(project, tmp_path):
    write(
        project,
        none="x = 1\n",
        whole="use std\nx = 1\n",
        through='use "whole.plan"\n',
        behind='use std\nuse "none.plan" as other\n',
    )

    def offered(name: str, library: Path | None = None):
        return load(str(project / "plans" / f"{name}.plan"), library=library).offered

    assert offered("whole") == offered("through") == {}
    assert offered("none") == offered("behind")
    assert "model" in offered("none")["entity"]
    assert "GiB" in offered("none")["unit"]
    assert "nvidia" in offered("none")["value"]
    library = tmp_path / "library"
    library.mkdir()
    (library / "std.plan").write_text("entity tray { }\n")
    assert offered("none", library)["entity"] == {"tray"}
    (library / "std.plan").write_text("entity shelf { }\n")
    assert offered("none", library)["entity"] == {"shelf"}
