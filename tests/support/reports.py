"""The committed reports: `python -m tests.support.reports` makes them anew from `plans/examples`.

Markdown and JSON of every example, and the README's picture: two parts of one report side by side, drawn
by a browser.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from capwright.cli import main as capwright
from tests.support.browser import CHROMIUM

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = "llama-3.1-70b-long-context"
PARTS = ("", "#d-section-3a-prod.memory")
WIDTH, HEIGHT = 900, 1180
FLAGS = "--headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=2000".split()


def main() -> None:
    """Build every example, keep what is committed of it, draw the picture."""
    reports = ROOT / "reports" / "examples"
    with tempfile.TemporaryDirectory() as folder:
        for plan in sorted((ROOT / "plans" / "examples").glob("*.plan")):
            if capwright(["build", str(plan), "-o", folder]) == 2:
                sys.exit(f"{plan.name} could not be built")
            for kept in (".md", ".json"):
                shutil.copy(Path(folder) / f"{plan.stem}{kept}", reports)
        draw(Path(folder), reports / "report.png")


def draw(folder: Path, target: Path) -> None:
    """The parts of the example's page in `folder`, side by side."""
    if CHROMIUM is None:
        sys.exit("no browser is installed: the picture stays as it is")
    frames = "".join(
        f'<iframe scrolling="no" src="{EXAMPLE}.html{part}" '
        f'style="border:0;width:{WIDTH}px;height:{HEIGHT}px"></iframe>'
        for part in PARTS
    )
    page = folder / "picture.html"
    page.write_text(f'<body style="margin:0;display:flex">{frames}</body>', encoding="utf-8")
    size = f"--window-size={WIDTH * len(PARTS)},{HEIGHT}"
    subprocess.run(
        [CHROMIUM, *FLAGS, size, f"--screenshot={target}", page.as_uri()], check=True, capture_output=True
    )


if __name__ == "__main__":
    main()
