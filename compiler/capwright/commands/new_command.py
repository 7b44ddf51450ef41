"""`new`: a starter plan from a model's description, a device and a count, with its guesses marked."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from capwright.base.diagnostic import did_you_mean
from capwright.commands.import_command import NAMED_AFTER, READER, plan_name, tell_found
from capwright.commands.import_files import files_beside, read_with
from capwright.commands.refusal import CannotRun, path_word
from capwright.commands.terminal import tell
from capwright.commands.writing import is_a_file, write_one
from capwright.loading import library_root, load, project_root, read_project
from capwright.render.escape import shell_path

if TYPE_CHECKING:
    from capwright.commands.starter_choice import Starters
    from capwright.compiling import Compiled
    from capwright.importers.starter import Refused

EPILOG: Final = """\
examples:
  capwright new config.json --device l40s --count 4 -o fleet.plan
  capwright new config.json --device fleet.b200 --quantisation hf_quant_config.json -o fleet.plan

exit codes: 0 there is a plan, 1 what CONFIG says is refused, 2 could not run."""
_DEVICE: Final = re.compile(r"^device (\w+)(?: from [\w.]+)? *\{", re.MULTILINE)
FURTHER: Final = ("architecture", "quantisation")
"""Files that a config may be read with."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `new`."""
    parser.add_argument("config", metavar="CONFIG", type=path_word, help="the model's config.json")
    parser.add_argument(
        "--device",
        required=True,
        metavar="NAME",
        help=f"a device of the library: {', '.join(_devices(library_catalogues()))}; or of a catalogue that "
        "capwright.toml names: fleet.b200",
    )
    parser.add_argument("--count", type=int, default=1, metavar="N", help="how many devices (default: 1)")
    parser.add_argument(
        "--architecture", metavar="FILE", type=path_word, help="a description of the architecture of your own"
    )
    parser.add_argument(
        "--quantisation",
        metavar="FILE",
        type=path_word,
        help="the quantisation file (default: hf_quant_config.json beside CONFIG)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=path_word, help="the plan file to write (default: print it)"
    )
    parser.add_argument("--force", action="store_true", help="replace FILE, whatever it says")
    parser.add_argument("--name", help=f"what the plan calls the model (default: {NAMED_AFTER})")


def run(arguments: argparse.Namespace) -> int:
    """Write the first starter plan that compiles, or say why none does."""
    from capwright.commands.starter_choice import Starters, rests_of
    from capwright.importers.starter import Guess, StarterCall, caches_of, starter_text

    target = _target(arguments.output)
    root = project_root(target)
    further = {key: path for key in FURTHER if (path := getattr(arguments, key)) is not None}
    catalogues = read_project(root).catalogues
    own = {name: root / path for name, path in catalogues.items()}
    device = _device(arguments.device, _devices(library_catalogues() | own))
    name = plan_name(arguments.name, arguments.config, catalogues)
    call = StarterCall(
        _beside(arguments.config, target), {key: _beside(path, target) for key, path in further.items()}
    )
    catalogue = device.partition(".")[0]
    uses = (catalogue,) if catalogue in catalogues else ()
    imported = _imported(arguments.config, name, further)
    if imported is None:
        return 1
    for path in (arguments.config, *further.values()):
        _demand_inside(path, root, target)

    def compiled(guess: Guess) -> Compiled:
        return _compiled(target, starter_text(imported, name, call, device, guess, uses))

    starters = Starters(compiled, caches_of(imported))
    cache, no_cache = starters.cache()
    if cache is None:
        return _no_plan(starters.nothing())
    layout, no_layout = starters.chosen(arguments.count, cache)
    if layout is None:
        raise _refusal(starters, arguments.count, cache, no_layout)
    chosen = Guess(layout, cache)
    refused = {"layout": no_layout, "cache": no_cache}
    plan = starters.compiled(chosen)
    text = starter_text(imported, name, call, device, chosen, uses, refused, rests_of(plan))
    if arguments.output is None:
        sys.stdout.write(text)
    elif write_one(
        Path(arguments.output),
        text.encode(),
        (arguments.config, *further.values()),
        replace=arguments.force,
    ):
        tell(f"wrote {arguments.output}: what is marked OPEN in it is yours to say")
        open_ones = [verdict.status for verdict in plan.verdicts if verdict.status != "holds"]
        if open_ones:
            tell(f"so far it is {open_ones[0]}: `capwright check {shell_path(arguments.output)}` says why")
    return 0


def _target(output: str | None) -> Path:
    """Where the plan is to stand, which its paths are relative to: what is printed is to stand here."""
    if output is None or not is_a_file(Path(output)):
        output = "starter.plan"
    return Path(os.path.realpath(output))


def _demand_inside(path: str, root: Path, target: Path) -> None:
    """Refuse a file that no plan at `target` may name (CW0151): the plan is not written yet, and has no line to show."""
    if not Path(os.path.realpath(path)).is_relative_to(root):
        message = f"`{path}` leads out of the project of `{os.path.relpath(target)}`, whose root is `{root}`"
        way = "write the plan beside that file or above it, or make a folder above both the root: put a `capwright.toml` there"
        raise CannotRun("CW0151", message, way)


def _beside(path: str, target: Path) -> str:
    """The path of a file as the plan at `target` names it."""
    return Path(os.path.relpath(Path(os.path.realpath(path)), target.parent)).as_posix()


def library_catalogues() -> dict[str, Path]:
    """The library's catalogues of devices by name."""
    return {path.stem: path for path in sorted((library_root() / "devices").glob("*.plan"))}


def _devices(catalogues: Mapping[str, Path]) -> list[str]:
    """The devices of catalogues that can be read, each behind its catalogue's name, in the order of their names."""
    found = (
        f"{name}.{device}"
        for name, path in catalogues.items()
        for device in (_DEVICE.findall(path.read_text("utf-8", "replace")) if path.is_file() else ())
    )
    return sorted(found, key=_natural)


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """Sorts names as people do: by the numbers in them, not by their digits."""
    parts = re.split(r"(\d+)", name)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def _device(name: str, known: Sequence[str]) -> str:
    """The device's name in its catalogue."""
    found = [each for each in sorted(known) if each == name or each.partition(".")[2] == name]
    if not found:
        message = f"no catalogue of the library or of this project has the device `{name}`"
        raise CannotRun("CW0695", message, did_you_mean(name, known, most=len(known)))
    return found[0]


def _imported(path: str, name: str, further: Mapping[str, str]) -> str | None:
    """The model's description as plan text; None, after the reasons that `import` tells too, where there is none."""
    from capwright.importers import READERS

    reader = READERS[READER]
    assert reader.to_plan_text is not None
    data, size = read_with(path, reader)
    beside = files_beside(path, data, size, reader, further)
    text, found = reader.to_plan_text(data, Path(path).name, name, beside)
    if text is None:
        tell_found(tuple(found), path, data, beside, further)
    return text


def _compiled(target: Path, text: str) -> Compiled:
    from capwright.compiling import compile_plan

    root = project_root(target)
    shown = target.relative_to(root).as_posix()
    return compile_plan(load(str(target), root=str(root), texts={shown: text}))


def _no_plan(compiled: Compiled) -> int:
    """Tell why there is no plan, whatever the count."""
    from capwright.commands.terminal import columns_of, style_of
    from capwright.render.diagnostics import human

    errors = [each for each in compiled.diagnostics if each.severity == "error"]
    print(human(errors, compiled.sources, style_of(sys.stderr), wide=columns_of(sys.stderr)), file=sys.stderr)
    return 1


def _refusal(starters: Starters, count: int, cache: str, refused: Sequence[Refused]) -> CannotRun:
    """Why no copy of the model makes a plan of this count, with the counts and the sharding that do."""
    from capwright.importers.starter import NODE, layouts_of, reasons

    if layouts_of(count):
        message = f"no one copy of this model holds together with `--count {count}`: {reasons(refused)}"
    else:
        message = f"{count} devices are neither within a node of {NODE} nor whole nodes"
    possible = starters.counts(cache)
    *others, last = map(str, possible)
    within = f"{', '.join(others)} or {last}" if others else last
    beyond = f", or a multiple of {NODE}" if NODE in possible else ""
    copies = starters.copies(count, cache)
    own = f", as `sharding spread {{ {copies.text()} }}`, which does" if copies is not None else ""
    return CannotRun(
        "CW0696", message, f"take `--count` {within}{beyond}; or write the sharding yourself{own}"
    )
