"""`import`: the description of a model, as its makers publish it, to a plan file or to its counts."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Span
from capwright.commands.import_files import files_beside, files_read, read_with, reader_of
from capwright.commands.refusal import CannotRun, path_word
from capwright.commands.terminal import tell
from capwright.commands.writing import write_one
from capwright.loading import as_text, library_names, library_root, load

if TYPE_CHECKING:
    from capwright.base.exact import Number
    from capwright.importers import Beside
    from capwright.importers.library_words import LibraryWords

READER: Final = "config"
NAMED_AFTER: Final = "after the file, or after its folder where the file is config.json or model.safetensors"
"""What `_name_after` does, in words."""
EPILOG: Final = """\
examples:
  capwright import config.json --name big -o big.plan
  capwright import config.json --format json --tokens 32768
  capwright import model.safetensors.index.json --format json

exit codes: 0 imported, 1 what the file says is refused, 2 could not run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `import`."""
    parser.add_argument(
        "config",
        metavar="CONFIG",
        type=path_word,
        help="the model's config.json, or its .safetensors or index of shards",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=path_word, help="the file to write (default: print it)"
    )
    parser.add_argument("--force", action="store_true", help="replace FILE, whatever it says")
    parser.add_argument("--name", help=f"what the plan calls it (default: {NAMED_AFTER})")
    parser.add_argument(
        "--format",
        choices=("plan", "json"),
        default="plan",
        help="a plan, or its counts as JSON (default: plan)",
    )
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
        "--tokens", type=int, metavar="N", help="with --format json: the cache of one sequence of N tokens"
    )
    parser.add_argument(
        "--cache-dtype",
        metavar="DTYPE",
        help="with --tokens: its number format or layout, or auto: what the engine takes by itself (default: the usual 16 bits)",
    )
    parser.add_argument(
        "--engine", metavar="NAME[@VERSION]", help="with --tokens: what keeps it (default: what layers need)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the plan text or the counts, or say why there are none."""
    from capwright.importers import READERS

    path = arguments.config
    _demand_question(arguments)
    reader = reader_of(path, READERS, READER)
    assert reader.to_plan_text is not None
    data, size = read_with(path, reader)
    beside = files_beside(path, data, size, reader, vars(arguments))
    # The plan names the file by itself: it is to mean the same on another computer.
    shown = Path(path).name
    text, diagnostics = reader.to_plan_text(data, shown, plan_name(arguments.name, path), beside)
    written = text
    if arguments.format == "json":
        written = _as_json(arguments, shown, text, diagnostics)
    else:
        tell_found(diagnostics, path, data, beside, vars(arguments))
    if written is not None:
        _write(arguments, written, files_read(path, vars(arguments), beside))
    return int(text is None or any(one.severity == "error" for one in diagnostics))


def _demand_question(arguments: argparse.Namespace) -> None:
    """Refuse words about a cache that nobody asks for: they would be passed over. Raises `CannotRun` (CW0652)."""
    if arguments.tokens is not None and arguments.format != "json":
        message = "`--tokens` asks for counts, and a plan has none"
        raise CannotRun("CW0652", message, "take `--format json` with it, or leave it out")
    for option, value in (("--cache-dtype", arguments.cache_dtype), ("--engine", arguments.engine)):
        if value is not None and arguments.tokens is None:
            message = f"`{option}` is of the cache of a sequence, and nothing asks for one"
            raise CannotRun("CW0652", message, "say how long the sequence is: `--format json --tokens N`")


def _write(arguments: argparse.Namespace, text: str, read: list[Path]) -> None:
    if arguments.output is None:
        sys.stdout.write(text)
    elif write_one(Path(arguments.output), text.encode(), read, replace=arguments.force):
        tell(f"wrote {arguments.output}")


def _typed(path: str, given: Mapping[str, str | None], beside: Beside) -> dict[str, str]:
    """Where each file lies that a description was made of, from here, by the name that it has in messages."""
    folder = Path(path).parent
    others = {shown: given.get(key) or str(folder / shown) for key, (shown, _) in beside.files.items()}
    return {Path(path).name: str(Path(path)), **others}


def tell_found(
    diagnostics: tuple[Diagnostic, ...],
    path: str,
    data: bytes,
    beside: Beside,
    given: Mapping[str, str | None],
) -> None:
    """Say on standard error what a reader found in the file at `path`, or in those `beside` it of which some are `given`."""
    if diagnostics:
        # Most imports say nothing, and what draws messages takes longer to load than the config.
        from capwright.commands.terminal import columns_of, style_of
        from capwright.render.diagnostics import human

        typed = _typed(path, given, beside)
        files = {Path(path).name: data, **dict(beside.files.values())}
        sources = {typed[shown]: as_text(typed[shown], content) for shown, content in files.items()}
        placed = [
            replace(
                one,
                span=_placed(one.span, typed),
                notes=tuple(
                    replace(note, span=None if note.span is None else _placed(note.span, typed))
                    for note in one.notes
                ),
            )
            for one in diagnostics
        ]
        print(human(placed, sources, style_of(sys.stderr), wide=columns_of(sys.stderr)), file=sys.stderr)


def _placed(span: Span, typed: Mapping[str, str]) -> Span:
    return span._replace(file=typed.get(span.file, span.file))


def _as_json(
    arguments: argparse.Namespace, shown: str, text: str | None, diagnostics: tuple[Diagnostic, ...]
) -> str:
    counts = {} if text is None else _counts(arguments, text)
    messages = [
        {"code": each.code, "severity": each.severity, "message": each.message, "help": each.help}
        for each in diagnostics
    ]
    head = {"format": "capwright/import", "version": "1.0", "config": shown, "imported": text is not None}
    whole = {**head, **counts, "diagnostics": messages}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _counts(arguments: argparse.Namespace, text: str) -> dict[str, Any]:
    """What the compiled text says of itself: parameters, and the cache of one sequence where it is asked for."""
    from capwright.importers.cache_question import USUAL, Refused, question
    from capwright.importers.count_question import count_question

    if text.startswith("checkpoint ") or "\ncheckpoint " in text:
        if arguments.tokens is not None:
            message = f"`{arguments.config}` says what tensors weigh, and nothing of a cache"
            raise CannotRun("CW0652", message, "ask the model's config.json, or leave `--tokens` out")
        return _checkpoint(text)
    counting = count_question(text)
    asked, caching = counting.text, None
    if arguments.tokens is not None:
        dtype, engine = arguments.cache_dtype or USUAL, arguments.engine
        found = question(asked, arguments.tokens, dtype, engine, _library_words())
        if isinstance(found, Refused):
            raise CannotRun("CW0652", found.message, found.help)
        asked, caching = found.text, found
    values = _compiled(asked)
    counts = {"model": counting.model, **counting.answer(values)}
    return counts if caching is None else {**counts, "cache_bytes": caching.answer(values)}


def _library_words() -> LibraryWords:
    from capwright.importers.library_words import library_words

    library = load("/nowhere/asked.plan", texts={"asked.plan": "use std\n"})
    return library_words(library.main, library.modules, library.uses)


def _checkpoint(text: str) -> dict[str, Any]:
    from capwright.importers.checkpoint_question import checkpoint_question

    asking = checkpoint_question(text)
    return asking.answer(_compiled(asking.text))


def _compiled(text: str) -> dict[str, Number | None]:
    """The nominal values of a plan that stands in no file, by every address."""
    from capwright.base.exact import from_text
    from capwright.compiling import compile_plan

    compiled = compile_plan(load("/nowhere/asked.plan", texts={"asked.plan": text}))
    document = compiled.document
    if document is None:
        first = next(one for one in compiled.diagnostics if one.severity == "error")
        raise CannotRun(first.code, f"the imported model does not compile: {first.message}", first.help)
    return {
        name: None if each.nominal is None else from_text(each.nominal)
        for each in document.quantities
        for name in (each.address, *each.aliases)
    }


def _name_after(path: str) -> str:
    """A name for what a file describes: its own, or its folder's where that says more."""
    stem = re.sub(r"(\.config|\.safetensors\.index)?\.json$|\.safetensors$", "", Path(path).name)
    if stem in ("config", "model"):
        stem = Path(os.path.realpath(path)).parent.name
    return stem


def plan_name(name: str | None, path: str, catalogues: Collection[str] = ()) -> str:
    """The name by which a plan calls what the file at `path` describes: `name`, or one after the file, spelt as a name is.

    What the language, the library or a starter plan means by it, it is not: in the plan that this name stands in, or in the
    next that uses it, it would be read as that; nor is it one of the project's `catalogues`."""
    from capwright.importers.starter import starter_words
    from capwright.importers.words import identifier
    from capwright.syntax.salvage import STATEMENTS

    known = library_names(library_root())
    taken = (known[sort] for sort in ("entity", "field", "unit", "value"))
    return identifier(
        name or _name_after(path), STATEMENTS.union(("true", "false"), starter_words(), catalogues, *taken)
    )
