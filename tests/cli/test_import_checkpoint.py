"""`import` of checkpoints: bytes by part and number format from headers alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capwright.cli import main


def shard(path: Path, *tensors: tuple[str, str, int, int]) -> None:
    """A shard of flat tensors: name, number format, numbers, bytes of a number; sparse on disk."""
    header, end = {}, 0
    for name, dtype, count, width in tensors:
        header[name] = {"dtype": dtype, "shape": [count], "data_offsets": [end, end + count * width]}
        end += count * width
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end)


def checkpoint(folder: Path) -> Path:
    shard(
        folder / "a.safetensors",
        ("model.embed_tokens.weight", "BF16", 1 << 30, 2),
        ("lm_head.weight", "BF16", 10, 2),
    )
    shard(folder / "b.safetensors", ("model.layers.0.mlp.up_proj.weight", "F8_E4M3", 3 << 30, 1))
    places = {
        "model.embed_tokens.weight": "a.safetensors",
        "lm_head.weight": "a.safetensors",
        "model.layers.0.mlp.up_proj.weight": "b.safetensors",
    }
    path = folder / "model.safetensors.index.json"
    path.write_text(
        json.dumps({"metadata": {"total_size": (5 << 30) + 20}, "weight_map": places}), encoding="utf-8"
    )
    return path


def test_bytes_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(checkpoint(tmp_path)), "--format", "json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert got["bytes"] == (5 << 30) + 20
    assert got["by_part"] == {"embedding": 2 << 30, "feed_forward": 3 << 30, "head": 20}
    assert got["by_dtype"] == {"bf16": (2 << 30) + 20, "fp8_e4m3": 3 << 30}
    assert sum(each["bytes"] for each in got["groups"]) == got["bytes"]


def test_a_plan_that_can_be_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint(tmp_path)
    assert (
        main(
            ["import", str(tmp_path / "a.safetensors"), "-o", str(tmp_path / "files.plan"), "--name", "files"]
        )
        == 0
    )
    (tmp_path / "b.plan").write_text(
        'use std\nuse "files.plan"\nrequire files.bytes <= 3 GiB  "small"\n', encoding="utf-8"
    )
    capsys.readouterr()
    assert main(["check", str(tmp_path / "b.plan")]) == 0


def test_a_broken_one_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.safetensors").write_bytes(b"\xff" * 100)
    assert main(["import", str(tmp_path / "x.safetensors")]) == 1
    assert "CW0670" in capsys.readouterr().err
