"""Measure, and write the table that is committed."""

from __future__ import annotations

import gc
import platform
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from capwright.building import write_built
from capwright.commands.opened_plan import open_plan
from capwright.comparison.compare import compare
from capwright.compiling import compile_plan
from capwright.importers import READERS
from capwright.loading import load
from tests.bench.measuring import Measured, command, function
from tests.bench.plans import folder_of, plan_of, summed_plan
from tests.support.processes import ROOT
from tests.unit.library.imported import CONFIGS

EXAMPLE = ROOT / "plans" / "examples" / "llama-3.1-70b-long-context.plan"
SIZES = {1_000: 7, 10_000: 3, 100_000: 1}
TABLE = Path(__file__).parent / "TABLE.md"


class Aim(NamedTuple):
    """What a measurement is to stay within: seconds, and megabytes of memory, where that is said."""

    seconds: float | None = None
    megabytes: float | None = None


Row = tuple[str, Measured, Aim]
"""What was measured, what came of it, and what was aimed at."""


def warm() -> Measured:
    """A check in a process that has checked before, after an edit of the plan."""
    text = EXAMPLE.read_text(encoding="utf-8")
    shown = str(EXAMPLE.relative_to(ROOT))

    def recheck(number: int) -> None:
        open_plan(str(EXAMPLE), (), {shown: f"{text}\n# edit {number}\n"}, brief=True)

    gc.disable()
    return function(recheck, 15)


def main() -> None:
    """Run every measurement, print it, and write `TABLE.md`."""
    write_built()  # what every installation has
    rows = [("starting up: `--version`", nothing(), Aim())]
    rows.append(("cold `check` of the example", command(["check", str(EXAMPLE)], 11), Aim(0.2)))
    rows.append(("warm recheck of the example after an edit", warm(), Aim(0.03)))
    limits = {1_000: Aim(), 10_000: Aim(1.5), 100_000: Aim(20, 1_000)}
    before: Measured | None = None
    with tempfile.TemporaryDirectory() as folder:
        for size, repeat in SIZES.items():
            path = Path(folder) / f"{size}.plan"
            path.write_text(plan_of(size), encoding="utf-8")
            measured = command(["check", str(path)], repeat)
            ratio = f"; × {measured.seconds / before.seconds:.1f} for × 10" if before else ""
            rows.append((f"`check` of {size:,} quantities{ratio}", measured, limits[size]))
            before = measured
    rows.append(("`check` of a folder of 200 plans that share a catalogue", many(200), Aim(10)))
    rows.append(
        (
            "`diff` of the example between two devices",
            command(["diff", str(EXAMPLE), "prod", "prod@mi300x"], 11),
            Aim(0.5),
        )
    )
    rows += built_and_imported()
    for declarations in (10, 400):
        what = f"comparing two documents of 10,000 quantities, {declarations} declarations changed"
        rows.append((what, compared(declarations), Aim(3)))
    table = render(rows)
    TABLE.write_text(table, encoding="utf-8")
    sys.stdout.write(table)


def built_and_imported() -> list[Row]:
    """A cold `build`, a cold `import` of one config in both forms, and all published configs in one process."""
    config = str(min((EXAMPLE.parent / "configs").glob("*.json")))
    counted = ["import", config, "--format", "json", "--tokens", "32768"]
    with tempfile.TemporaryDirectory() as folder:
        built = command(["build", str(EXAMPLE), "-o", folder], 7)
    rows = [
        ("cold `build` of the example", built, Aim(1)),
        ("cold `import` of one config, as a plan", command(["import", config], 11), Aim(0.3)),
        ("cold `import` of one config, as JSON with its cache", command(counted, 11), Aim(0.3)),
    ]
    texts = {path.name: path.read_bytes() for path in sorted(CONFIGS.glob("*.json"))}
    if texts:
        what = f"importing the {len(texts)} published configs in one process"
        rows.append((what, function(lambda _: imported(texts), 3), Aim(5)))
    return rows


def imported(texts: Mapping[str, bytes]) -> int:
    """Import every config; how many gave a plan."""
    read = READERS["config"].to_plan_text
    assert read is not None
    return sum(read(data, name, "m")[0] is not None for name, data in texts.items())


def many(plans: int) -> Measured:
    """A check of a folder, on all cores."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLE.parent / "configs", Path(folder) / "configs")
        (Path(folder) / "capwright.toml").touch()
        for name, text in folder_of(plans, EXAMPLE.read_text(encoding="utf-8")).items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        return command(["check", folder], 1)


def compared(declarations: int) -> Measured:
    """A comparison, with the causes of 111 reported quantities, of which sums reach every group."""
    with tempfile.TemporaryDirectory() as folder:
        documents = []
        for name, edited in (("a", 0), ("b", declarations)):
            path = Path(folder) / f"{name}.plan"
            path.write_text(summed_plan(9_990, edited), encoding="utf-8")
            documents.append(compile_plan(load(str(path))).sound)
    gc.disable()
    return function(lambda _: compare(*documents), 3)


def nothing() -> Measured:
    """What starting Python and importing the command line costs."""
    return command(["--version"], 11)


def told(aim: Aim, measured: Measured) -> str:
    """An aim, and by how much it is missed."""
    held = ((aim.seconds, measured.seconds, "s"), (aim.megabytes, measured.megabytes or 0, "MB"))
    return ", ".join(
        f"{limit:,g} {unit}" + (f", **missed** × {_times(found / limit)}" if found > limit else "")
        for limit, found, unit in held
        if limit is not None
    )


def _times(ratio: float) -> str:
    """How many times an aim something is, to as many digits as a miss needs so as not to read `1.0`."""
    return next((text for digits in (1, 2, 3) if float(text := f"{ratio:.{digits}f}") != 1), f"{ratio:.6f}")


def _missed(rows: list[Row]) -> str:
    aims = [told(aim, measured) for _, measured, aim in rows if aim != Aim()]
    missed = sum("missed" in each for each in aims)
    return f"Of {len(aims)} aims {missed} {'is' if missed == 1 else 'are'} missed, which the table marks."


def render(rows: list[Row]) -> str:
    """The table as Markdown."""
    lines = [
        "# How long it takes",
        "",
        f"Written by `python -m tests.bench`; CPython {platform.python_version()}, two cores, medians of fresh",
        "processes (the warm row: of one process). Machines differ; the ratios say more than the times.",
        f"{_missed(rows)} Of the time, the median is held against its aim.",
        "",
        "| what | median | worst | peak memory | aim |",
        "|---|---:|---:|---:|---|",
    ]
    for what, measured, aim in rows:
        memory = f"{measured.megabytes:,.0f} MB" if measured.megabytes else ""
        lines.append(
            f"| {what} | {measured.seconds:.3f} s | {measured.worst:.3f} s | {memory} | {told(aim, measured)} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
