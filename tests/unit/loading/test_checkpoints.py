"""Checkpoints named in plans: headers are read, tensors are not, and shards are found beside their index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capwright.compiling import Compiled, compile_plan
from capwright.loading import load

PLAN = 'use std\ncheckpoint files from safetensors("model.safetensors.index.json")\n'


def shard(path: Path, name: str, size: int) -> None:
    """A shard of one tensor of bytes, sparse on disk."""
    header = json.dumps({name: {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + size)


def checkpoint(folder: Path, places: dict[str, str]) -> Compiled:
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}), encoding="utf-8")
    (folder / "a.plan").write_text(PLAN, encoding="utf-8")
    return compile_plan(load(str(folder / "a.plan"), root=str(folder)))


@pytest.mark.promise("M8")
def test_shards_of_gigabytes_are_counted_by_their_headers(tmp_path: Path) -> None:
    shard(tmp_path / "1.safetensors", "model.layers.0.mlp.up_proj.weight", 5 << 30)
    shard(tmp_path / "2.safetensors", "lm_head.weight", 3 << 30)
    got = checkpoint(
        tmp_path, {"model.layers.0.mlp.up_proj.weight": "1.safetensors", "lm_head.weight": "2.safetensors"}
    )
    assert not got.failed, got.diagnostics
    assert got.document is not None
    values = {q.address: q.nominal for q in got.document.quantities}
    assert values["files.bytes"] == str(8 << 30)
    assert {each.path for each in got.document.inputs} >= {"1.safetensors", "2.safetensors"}


def test_a_single_file_needs_no_index(tmp_path: Path) -> None:
    shard(tmp_path / "model.safetensors", "lm_head.weight", 100)
    (tmp_path / "a.plan").write_text(PLAN.replace(".index.json", ""), encoding="utf-8")
    got = compile_plan(load(str(tmp_path / "a.plan"), root=str(tmp_path)))
    assert not got.failed, got.diagnostics


def test_a_shard_that_is_not_there_is_said(tmp_path: Path) -> None:
    got = checkpoint(tmp_path, {"a": "1.safetensors"})
    assert [each.code for each in got.diagnostics] == ["CW0680"]


def test_a_shard_that_leads_out_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    shard(tmp_path / "1.safetensors", "a", 10)
    (inside / "1.safetensors").symlink_to(tmp_path / "1.safetensors")
    assert [each.code for each in checkpoint(inside, {"a": "1.safetensors"}).diagnostics] == ["CW0152"]


def test_a_broken_shard_is_said_without_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "1.safetensors").write_bytes(b"\xff" * 7 + b"\0" + b"\xfe" * 100)
    got = checkpoint(tmp_path, {"a": "1.safetensors"})
    assert [each.code for each in got.diagnostics] == ["CW0670"]
    assert got.sources["1.safetensors"].text == ""
