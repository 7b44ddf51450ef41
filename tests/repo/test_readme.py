"""The README's tour, run as it stands: files written, commands typed, outputs compared."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest

from capwright.cli import main
from tests.repo.sources import ROOT, tracked
from tests.spec.cases import Block, blocks
from tests.support.programs import library, things

README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = README[README.index("## A five-minute tour") :]


def matches(shown: str, printed: str) -> bool:
    """Whether `shown` is what was printed; a line `…` stands for any lines, `…` in a line for any words."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in shown.strip("\n").split("\n")
    )
    return re.fullmatch(pattern, printed.strip("\n") + "\n") is not None


def shown_by(code: str) -> list[str]:
    """What the comments behind calls of `print` say that these print."""
    return re.findall(r"^ *print\(.*\)  # (.+)$", code, re.MULTILINE)


def prints(printed: str, shown: str) -> Iterator[bool]:
    """For each line that was printed, whether it is what a comment shows."""
    return (matches(shown, line) for line in printed.splitlines())


def test_the_matcher_can_fail():
    assert matches("a\n…\nd", "a\nb\nc\nd")
    assert matches("took … s", "took 3 s")
    assert not matches("a\n…\nd", "a\nb\nc")
    assert not matches("a.c", "abc")
    assert shown_by("print(a)  # 3 …\nb = 2  # two\n    print(b)\n") == ["3 …"]
    assert any(prints("1\n3 or so\n", "3 …"))
    assert not any(prints("1\n2\n", "3 …"))


def test_the_tour(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "capwright.toml").touch()
    printed = ""
    ran = commented = 0
    for block in blocks(TOUR):
        match block:
            case Block(language="text"):
                assert matches(block.text, printed), printed
            case Block(language="sh"):
                printed = ""
                for line in block.text.splitlines():
                    words = shlex.split(line, comments=True)
                    assert words[0] == "capwright", line
                    main(words[1:])
                    told = capsys.readouterr()
                    printed += told.out
                    assert "CW0719" not in told.err
                    ran += 1
            case Block(language="python"):
                exec(compile(block.text, "README.md", "exec"), {})
                said = capsys.readouterr().out
                assert said
                assert [each for each in shown_by(block.text) if not any(prints(said, each))] == [], said
                commented += len(shown_by(block.text))
            case Block() if (name := block.get("file")) is not None:
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).write_text(block.text, encoding="utf-8")
            case _:
                pytest.fail(f"a block of the tour that nothing runs: {block.language} {block.text[:60]}")
    assert ran >= 5
    assert commented >= 1


def test_the_first_command_leaves_the_clone_as_it_is(monkeypatch, capsys):
    """Its last part, where the installation is done: the report goes into a folder that the page names and git ignores."""
    first = next(block for block in blocks(README) if block.language == "sh").text
    words = shlex.split(first.rpartition("&&")[2])[1:]
    output = words[words.index("-o") + 1]
    assert f"into `{output}/`" in README
    monkeypatch.chdir(ROOT)
    seen = [path.stat().st_mtime_ns for path in tracked()]
    assert main(words) == 1
    assert "violated" in capsys.readouterr().out
    assert [path.stat().st_mtime_ns for path in tracked()] == seen


def test_the_second_command_is_what_ci_runs():
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1]
    assert run in README.splitlines()


@pytest.mark.parametrize(
    ("row", "entity"), [("devices", "device"), ("engines", "engine"), ("caches", "cache")]
)
def test_the_library_is_listed_as_it_is(row, entity):
    (line,) = re.findall(rf"^\| {row} \| (.*) \|$", README, re.MULTILINE)
    named = set(re.findall(r"`([\w.]+)`", line))
    # A layout of one's own is named by its entity.
    assert sorted(named - library().entities.keys() | named & set(things(entity))) == things(entity)


def test_the_map_names_every_room():
    rooms = README[README.index("## The house") : README.index("## What it is not")]
    tops = {path.relative_to(ROOT).parts[0] for path in tracked() if len(path.relative_to(ROOT).parts) > 1}
    assert {top for top in tops if not top.startswith(".")} == {
        name.partition("/")[0] for name in re.findall(r"^\| \[([\w/]+)\]", rooms, re.MULTILINE)
    }
    named = set(re.findall(r"`(\w+)`", rooms))
    stages = {path.parent.name for path in (ROOT / "compiler" / "capwright").glob("*/__init__.py")}
    assert stages - named == set()


@pytest.mark.parametrize("name", re.findall(r"\]\((?!https?:)([^)#]+)", README))
def test_links_lead_to_files(name):
    assert (ROOT / name).exists()
