"""Plans that mean harm: refused or made harmless, quickly and in little memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.running import Ended, run
from tests.cli.test_ci import git
from tests.support.pace import demand_soon

SECONDS = 2.0
MEGABYTES = 300


def squarings(count: int) -> str:
    return "x0 = 10\n" + "".join(f"x{n} = x{n - 1} * x{n - 1}\n" for n in range(1, count + 1))


def doublings(count: int) -> str:
    """Formulas that each call the one before twice."""
    lines = ["formula f0(x: number) : number = x + 1"]
    lines += [
        f"formula f{n}(x: number) : number = f{n - 1}(x + 1) + f{n - 1}(x * 3)" for n in range(1, count + 1)
    ]
    return "\n".join([*lines, f"y = f{count}(1)"])


def doubled_shortfalls(count: int) -> str:
    """Formulas that each add what the one before gives to itself, and a quantity that they leave below zero."""
    lines = ["formula f0(x: number) : number = x - 5"]
    lines += [f"formula f{n}(x: number) : number = f{n - 1}(x) + f{n - 1}(x)" for n in range(1, count + 1)]
    return "\n".join(
        [*lines, "base = 3", f"bad : number = f{count}(base)", f"require bad >= {-(2 ** (count + 1))}"]
    )


def multiplied_copies(count: int, parts: str) -> str:
    """Entities that each hold several copies of the one before, one for each letter of `parts`."""
    entities = [
        f"entity e{n} {{ {'; '.join(f'{part} : e{n - 1}' for part in parts)}; "
        f"s : number = {' + '.join(f'{part}.s' for part in parts)} }}"
        for n in range(1, count)
    ]
    copies = [
        f"e{n} k{n} {{ {'; '.join(f'{part} = k{n - 1} {{ }}' for part in parts)} }}" for n in range(1, count)
    ]
    return "\n".join(
        ["entity e0 { s : number default 1 }", "e0 k0 { }", *entities, *copies, f"y = k{count - 1}.s"]
    )


REFUSED = {
    "power": "x = 10^10^10\n",
    "large_power": "x = 10^999999999\n",
    "exponent": "x = 1e999999999\n",
    "digits": f"x = {'9' * 1_000_000}\n",
    "squarings": squarings(26),
    "doublings": doublings(40),
    "brackets": f"x = {'(' * 100_000}1{')' * 100_000}\n",
    "open_brackets": "x = " + "(" * 1_000_000,
    "braces": "a b { " * 20_000,
    "minuses": f"x = {'-' * 200_000}1\n",
    "nots": f"x = {'not ' * 100_000}true\n",
    "ifs": "x = " + "if 1 < 2 then (" * 20_000,
    "sum": f"x = {' + '.join(['1'] * 400_000)}\n",
    "dots": f"x = a{'.a' * 300_000}\n",
    "list": f"x = sum(e for e in [{', '.join(['1'] * 1_000_000)}])\n",
    "self": "x = x + 1\n",
    "ring": "".join(f"x{n} = x{(n + 1) % 5_000} + 1\n" for n in range(5_000)),
    "recursion": "formula f(x: number) : number = f(x + 1)\ny = f(1)\n",
    "nul": "x = 1\0\n",
    "escape": 'x = "\x1b[31m" + \x1b]0;title\x07\n',
    "outside": 'use "../../../../../../etc/passwd"\n',
    "device": 'use "/dev/zero"\n',
    "errors": "x = = 1\n" * 200_000,
    "unknown": "".join(f"x{n} = unknown_{n}\n" for n in range(20_000)),
    "units": "".join(f"unit u{n} = u{n + 1}\n" for n in range(3_000)),
    "uses": 'use "a.plan"\n' * 100_000,
    "files": "".join(f'use "a{n}.plan"\n' for n in range(50_000)),
    "copies": multiplied_copies(25, "ab"),
    "wholes": multiplied_copies(25, "abc"),
    "searches": "".join(
        f"formula f{n}(m: number) : number = largest a in 1 .. {10**100} where a * "
        f"{f'f{n - 1}(a)' if n else 'a'} <= m\n"
        for n in range(5)
    )
    + f"x = f4({10**300})\n",
    "elements": "x = sum(nth(range(10_000), i) for i in range(10_000))\n",
    "sums": "l = range(10_000)\nx = sum(sum(l) for i in range(10_000))\n",
    "least": "l = range(10_000)\nx = sum(min(l) for i in range(10_000))\n",
    "overloads": "entity r { }\n"
    + "".join(f"entity e{n} : r {{ }}\n" for n in range(300))
    + "formula f(a: r, b: r) : number\n"
    + "".join(
        f"formula f(a: e{n}, b: r) : number = 1\nformula f(a: r, b: e{n}) : number = 1\n" for n in range(300)
    ),
    "spellings": "".join(f"name_{n} = nome_{n}x\n" for n in range(5_000)),
    "string": 'x = "' + "a" * 1_000_000,
    "comment": "#" * 8_000_000,
}


def check(text: str, folder: Path, name: str = "hostile") -> Ended:
    path = folder / f"{name}.plan"
    path.write_text(text, encoding="utf-8")
    return run("check", path.name, cwd=folder)


def demand_harmless(ended: Ended) -> None:
    told = ended.out + ended.err
    assert "Traceback" not in told, told[-2_000:]
    assert "CW0719" not in told, told[-2_000:]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", told), "control characters reach the terminal"


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_time_and_memory(name, tmp_path):
    ended = check(REFUSED[name], tmp_path)
    demand_harmless(ended)
    assert ended.code in {0, 1} if name == "comment" else ended.code == 1, (ended.code, ended.err[-500:])
    demand_soon(ended.seconds, SECONDS)
    assert ended.megabytes < MEGABYTES, f"{ended.megabytes:.0f} MB"


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "huge.plan").open("wb") as file:
        file.truncate(1 << 40)
    ended = run("check", "huge.plan", cwd=tmp_path)
    assert ended.code == 1
    assert "CW0157" in ended.out
    demand_soon(ended.seconds, SECONDS)
    assert ended.megabytes < MEGABYTES


def test_a_long_forward_chain_compiles(tmp_path):
    lines = [f"x{n} = x{n + 1} + 1" for n in range(10_000)]
    ended = check("\n".join([*lines, "x10000 = 1", 'require x0 == 10_001 "the end is reached"']), tmp_path)
    demand_harmless(ended)
    assert ended.code == 0, ended.out[-500:]


def test_what_a_shortfall_is_made_of_is_told_without_a_walk_along_every_way(tmp_path):
    ended = check(doubled_shortfalls(26), tmp_path)
    demand_harmless(ended)
    assert ended.code == 0, ended.out[-500:]
    assert f"{2**26:,} times `base`" in ended.out
    demand_soon(ended.seconds, SECONDS)
    assert ended.megabytes < MEGABYTES, f"{ended.megabytes:.0f} MB"


def test_a_wide_search_takes_few_steps(tmp_path):
    ended = check('n = largest n in 1 .. 10^400 where n * n <= 10^400\nrequire n == 10^200 "found"', tmp_path)
    demand_harmless(ended)
    assert ended.code == 0, ended.out[-500:]
    demand_soon(ended.seconds, SECONDS)


def test_a_link_out_shows_nothing_of_its_target(tmp_path):
    (tmp_path / "secret").write_text("the secret words = 1\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / "capwright.toml").touch()
    (root / "link.plan").symlink_to(tmp_path / "secret")
    ended = check('use "link.plan"\n', root)
    assert ended.code == 1
    assert "CW0152" in ended.out
    assert "secret words" not in ended.out + ended.err


INJECTIONS = (
    "::error file=x::owned",
    "\\n::set-output name=x::y",
    "<script>alert(1)</script>",
    "![x](http://example.invalid/x.png)",
    "\x1b[2J\x1b]8;;http://example.invalid\x07",
    "%0A::warning::owned",
    "| cell | cell |",
    "```\n# heading",
    "=cmd|'/c calc'!A1",
    "\u202etxt.exe",
)


@pytest.mark.parametrize("format", ["human", "github", "json"])
@pytest.mark.parametrize("words", INJECTIONS, ids=range(len(INJECTIONS)))
def test_foreign_words_stay_words(words, format, tmp_path):
    text = words.replace("\n", " ").replace('"', "'")
    (tmp_path / "a.plan").write_text(
        f'a = 1\nb = a + nothing_{{}}\nrequire a <= 0 "{text}"\n# {text}\nuse "{text}"\n', encoding="utf-8"
    )
    ended = run("check", "a.plan", "--format", format, cwd=tmp_path)
    demand_harmless(ended)
    assert ended.code == 1
    for line in ended.out.splitlines():
        foreign = line.startswith("::") and format != "github"
        assert not foreign, line
        if format == "github" and line.startswith("::"):
            assert re.match(r"::(error|warning|notice) file=a\.plan", line), line
    assert "\u202e" not in ended.out


@pytest.mark.parametrize("command", ["check", "build", "show", "fmt"])
def test_a_link_to_itself_is_no_file(command, tmp_path):
    (tmp_path / "a.plan").symlink_to("a.plan")
    ended = run(command, "a.plan", cwd=tmp_path)
    demand_harmless(ended)
    assert ended.code == 2
    assert "CW0155" in ended.out + ended.err
    assert "leads back to itself" in ended.out + ended.err


LONG = "n" * 300
NO_PATHS = {
    "a NUL": 'use "a\0b.plan"\n',
    "a NUL in a data file": 'use std\nmodel m from config("a\0b.json")\n',
    "an escape": 'use "a\x1bb.plan"\n',
    "a long path": f'use "{LONG}.plan"\n',
    "a long name of the library": f"use {LONG}\n",
    "a long catalogue": "use far\n",
}


@pytest.mark.parametrize("text", NO_PATHS.values(), ids=list(NO_PATHS))
@pytest.mark.parametrize(
    "words",
    [("check", "plans"), ("build", "plans", "-o", "out"), ("affected", "HEAD"), ("ci", "--base", "HEAD")],
    ids=lambda words: words[0],
)
def test_what_can_be_no_path_is_a_mistake_of_its_plan_alone(words, text, tmp_path):
    plans = tmp_path / "plans"
    plans.mkdir()
    (tmp_path / "capwright.toml").write_text(f'plans = ["plans"]\n[catalogues]\nfar = "{LONG}.plan"\n')
    (plans / "sound.plan").write_text('a = 1\nrequire a <= 2 "it is small"\n')
    (plans / "x.plan").write_text("a = 1\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    (plans / "x.plan").write_text(text)
    (plans / "sound.plan").write_text('a = 2\nrequire a <= 2 "it is small"\n')
    ended = run(*words, cwd=tmp_path)
    demand_harmless(ended)
    told = ended.out + ended.err
    assert "CW0701" not in told, told
    if words[0] == "affected":
        assert [line.split()[1] for line in ended.out.splitlines()] == ["plans/sound.plan", "plans/x.plan"]
    else:
        assert ended.code == 1, told
        assert "x.plan:" in told
        assert (tmp_path / "out" / "sound.json").is_file() if words[0] == "build" else "it is small" in told


def test_no_name_of_a_file_reaches_the_terminal(tmp_path):
    """Whoever wrote a folder of plans named them, too."""
    name = "::set-output\x1b[31m"
    (tmp_path / f"{name}.plan").write_text("a  =  1\nreport a\n")
    (tmp_path / "b.plan").write_text("a = 2\nreport a\n")
    for words in (("check", "."), ("build", ".", "-o", "out"), ("build", ".", "-o", "none", "--check"),
                  ("fmt", "--check", "."), ("fmt", f"{name}.plan")):  # fmt: skip
        ended = run(*words, cwd=tmp_path)
        said = ended.out + ended.err
        assert "set-output" in said or words[0] == "check"
        assert "\x1b" not in said
        assert not any(line.startswith("::") for line in said.splitlines())
