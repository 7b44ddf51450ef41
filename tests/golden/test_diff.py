"""A comparison as committed files: run with CAPWRIGHT_GOLDEN=write to write them anew, and read the difference."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from capwright.comparison.compare import compare
from capwright.compiling import compile_plan
from capwright.document.codec import to_json
from capwright.loading import load
from capwright.render.diff_html import diff_html
from capwright.render.diff_markdown import diff_markdown
from capwright.render.terminal.diff import diff_text

FOLDER = Path(__file__).parent / "diff"
FORMATS = {
    "diff.txt": lambda diff: diff_text(diff, opened=True),
    "diff.md": diff_markdown,
    "diff.html": diff_html,
    "diff.json": to_json,
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_comparison_is_as_committed(name):
    before, after = (
        compile_plan(load(str(FOLDER / f"{side}.plan"), root=str(FOLDER))).sound
        for side in ("before", "after")
    )
    text = FORMATS[name](compare(before, after, ("before.plan", "after.plan")))
    for side in (before, after):
        text = text.replace(side.library_sha256, "LIBRARY").replace(side.tool_version, "VERSION")
    golden = FOLDER / name
    if os.environ.get("CAPWRIGHT_GOLDEN") == "write":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
