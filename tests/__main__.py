"""Everything that must be clean before a change goes in: layout, lint, types, layers, then all tests.

`python -m tests` runs all; `python -m tests tests/unit` hands its words to pytest.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parent.parent
PATHS = ["compiler", "tests"]
OF_WHOLE_PLANS = [
    "tests/golden", "tests/html", "tests/laws", "tests/repo", "tests/unit/comparison", "tests/unit/library",
    "tests/unit/document/test_examples.py", "tests/spec/domain", "tests/spec/mistakes", "tests/cli/test_diff.py",
]  # fmt: skip
"""Tests that go through every line of the compiler for each plan: no coverage is taken of them, since tracing takes
twice as long again as the tests, and says little of what they are about."""


def main(words: list[str]) -> int:
    """Run every step, also after one that failed; pytest's summary comes last."""
    scripts = Path(sysconfig.get_path("scripts"))
    python = [sys.executable, "-m"]
    steps = {
        "format": [*python, "ruff", "format", "--check", *PATHS],
        "lint": [*python, "ruff", "check", *PATHS],
        "types": [*python, "mypy"],
        "layers": [str(scripts / "lint-imports")],
    }
    # Each worker goes through its part in order, so that what tests share is made once, and then takes of the others'.
    spread = [*python, "pytest", "-n", "auto", "--dist", "worksteal"]
    if words:
        steps["tests"] = [*python, "pytest", *words]
    else:
        steps["tests of whole plans"] = [*spread, *OF_WHOLE_PLANS]
        left = [f"--ignore={path}" for path in OF_WHOLE_PLANS]
        steps["all other tests"] = [*spread, *left, "--cov", "--cov-report=term"]
    failed = []
    for name, command in steps.items():
        print(f"── {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"not clean: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
