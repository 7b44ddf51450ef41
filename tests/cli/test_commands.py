"""Each command, in this process: outputs, exit codes, files."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from capwright import api, codes
from capwright.cli import COMMANDS, main
from capwright.document.codec import from_json, schema_errors
from capwright.syntax.forms import CLAUSES, STATEMENTS, VERDICTS
from tests.cli.running import ROOT, run

PLAN = """\
use std
a : byte = 3 GiB
b : byte = a * 2
assume s = 0.80 in 0.70 .. 0.90 because "a trial"
c : byte = b * s
require c <= 6 GiB "fits"
report b
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "capwright.toml").touch()
    (tmp_path / "a.plan").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str, name: str = "b.plan") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


# ── what all have in common ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("words", [[], *([name] for name in COMMANDS)], ids=str)
def test_help_has_an_example(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert "example" in told
    assert f"capwright {' '.join(words)}" in told


@pytest.mark.parametrize(
    "words",
    [
        ["a.plan", "b", "c", "--format", "csv", "--set", "a=4 GiB"],
        ["a.plan", "--format", "csv", "b", "--set", "a=4 GiB", "c"],
        ["--format=csv", "a.plan", "--set=a=4 GiB", "b", "c"],
        ["--set", "a=4 GiB", "--format", "csv", "--", "a.plan", "b", "c"],
        ["a.plan", "--set", "a=4 GiB", "b", "--format", "csv", "--", "c"],
    ],
)
def test_options_stand_anywhere(here, capsys, words):
    assert main(["show", *words]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["address"], row["unit"]) for row in rows] == [("b", "GiB"), ("c", "GiB")]
    assert rows[0]["displayed"] == "8\N{NO-BREAK SPACE}GiB"


@pytest.mark.parametrize(
    "words",
    [
        ["explain", "--depth", "1", "a.plan", "--dependents", "a"],
        ["explain", "a.plan", "--depth", "1", "a"],
        ["diff", "a.plan", "--format", "json", "a.plan"],
        ["diff", "--format", "json", "a.plan", "--facts", "a.plan"],
        ["check", "a.plan", "--strict", "a.plan"],
        ["fmt", "a.plan", "--check", "a.plan"],
        ["check", "a.plan", "--strict", "--", "a.plan"],
        ["explain", "a.plan", "--depth", "1", "--", "a"],
        ["diff", "a.plan", "--format", "json", "--", "a.plan"],
    ],
)
def test_every_command_takes_its_words_in_any_order(here, words):
    main(words)


def test_behind_two_dashes_every_word_is_a_path(here, capsys):
    (here / "-odd.plan").write_text("x = 1\n")
    assert main(["fmt", "a.plan", "--check", "--", "-odd.plan", "--check"]) == 2
    assert "`--check`" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["explain", "a.plan", "a", "--depth", "1", "--", "-b"])
    assert capsys.readouterr().err.endswith("unrecognized arguments: -b\n")


@pytest.mark.parametrize("option", ["--set", "--se"])
def test_two_dashes_behind_an_option_are_its_value(here, capsys, option):
    assert main(["check", option, "--", "a.plan"]) == 2
    assert "`--set --`" in capsys.readouterr().err
    assert main(["show", option, "a=4 GiB", "--format", "csv", "a.plan", "--", "b"]) == 0
    assert main(["show", "a.plan", "--format", "csv", "--", "--set"]) == 2
    assert "`--set`" in capsys.readouterr().err
    assert main(["diff", "-o", "--", "a.plan", "a.plan"]) == 0
    assert (here / "--").read_text().startswith("a.plan")


def test_what_is_required_is_told_and_nothing_else(capsys):
    with pytest.raises(SystemExit):
        main(["show"])
    assert capsys.readouterr().err.endswith("the following arguments are required: PLAN\n")


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("capwright 0.")


@pytest.mark.parametrize(
    "words", [[], ["nothing"], ["explain"], ["check", "a.plan", "--format", "xml"], ["show"]]
)
def test_a_wrong_command_line_could_not_run(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["build", "check", "show", "fmt", "import"])
@pytest.mark.parametrize("name, code", [("missing.plan", "CW0150"), (".", "CW0153"), ("pipe", "CW0154")])
def test_what_cannot_be_read_could_not_run(command, name, code, here, capsys):
    os.mkfifo(here / "pipe")
    (here / "a.plan").unlink()
    assert main([command, name]) == 2
    told = capsys.readouterr()
    takes_folders = command in {"build", "check", "fmt"}
    assert ("CW0702" if name == "." and takes_folders else code) in told.out + told.err


@pytest.mark.parametrize("command", ["build", "check", "show"])
def test_what_is_no_text_is_a_finding(command, here, capsys):
    (here / "b.plan").write_bytes(b"a = 1\nb = \xff\n")
    assert main([command, "b.plan"]) == 1
    told = capsys.readouterr()
    assert "CW0156" in told.out + told.err
    assert "b.plan:2:5" in told.out + told.err


@pytest.mark.parametrize("word", ["a", "=1", "a=", "a= "])
def test_set_needs_both_sides(word, here, capsys):
    assert main(["check", "a.plan", "--set", word]) == 2
    assert "CW0700" in capsys.readouterr().err


@pytest.mark.parametrize(
    "reading", ['trace("zz.csv", total: "A + B")', 'trace("../../etc/passwd")', 'trace("")']
)
def test_set_reads_no_file(reading, here, capsys):
    name = write(
        here,
        'use std\nl : lengths = fixed(3 tokens)\nlongest_l = longest(l)\nrequire longest_l <= 4 tokens "short"\n',
    )
    assert main(["check", name, "--set", f"l={reading}"]) == 1
    told = capsys.readouterr()
    assert (told.out + told.err).count("error[") == 1
    assert "CW0229" in told.out + told.err


# ── check ────────────────────────────────────────────────────────────────────────────────────────


def test_check_clean(here, capsys):
    assert main(["check", "a.plan"]) == 0
    told = capsys.readouterr().out
    assert "holds  fits" in told
    assert told.endswith("checked a.plan: clean\n")


def test_a_plan_that_requires_nothing_is_told_to(here, capsys):
    write(here, "a : number = 1\n", "empty.plan")
    assert main(["check", "empty.plan"]) == 0
    assert (
        capsys.readouterr().out
        == "checked empty.plan: clean, and it asks nothing: no requirement is stated\n"
    )


def test_check_follows_set(here, capsys):
    assert main(["check", "a.plan", "--set", "a=4 GiB"]) == 0
    assert "not established  fits" in capsys.readouterr().out
    assert main(["check", "a.plan", "--set", "a = 5 GiB"]) == 1
    assert "violated  fits" in capsys.readouterr().out


def test_check_strict(here):
    name = write(here, 'use std\na : s >= 1 s\nrequire a <= 2 s "quick"\n')
    assert main(["check", name]) == 0
    assert main(["check", name, "--strict"]) == 1


def test_check_an_error_shows_its_line(here, capsys):
    name = write(here, "use std\na : byte = 1 s\n")
    assert main(["check", name]) == 1
    told = capsys.readouterr().out
    assert "--> b.plan:2:12" in told
    assert "2 | a : byte = 1 s" in told
    assert told.endswith("checked b.plan: 1 error\n")


def test_check_a_folder_checks_a_used_file_with_its_user_only(here, capsys):
    write(here, "require x <= 1 byte\n", "plans/part.plan")
    write(here, 'use std\nuse "part.plan"\nx : byte = 1 byte\n', "plans/whole.plan")
    assert main(["check", "plans"]) == 0
    assert main(["check", "plans/part.plan"]) == 1
    assert "CW02" in capsys.readouterr().out


def test_build_of_a_folder_tells_the_findings_and_nothing_that_is_none(here, capsys):
    """A requirement that holds is none, where a measurement contradicts what is derived."""
    write(
        here,
        "use std\na : byte = 1 GiB\nmeasure a = 3 GiB as night { }\nc : byte = 1 GiB\nrequire c <= 2 GiB\nreport a\n",
        "all/a.plan",
    )
    write(here, "use std\nb : byte = 3 GiB\nrequire b <= 2 GiB\nrequire b <= 9 GiB\nreport b\n", "all/b.plan")
    assert main(["build", "all"]) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("all/")]
    assert told == [
        "all/a.plan: 1 measurement contradicts what is derived (a!night)",
        "all/b.plan: 1 violated (b <= 2 GiB)",
    ]


@pytest.mark.parametrize("words", [["check"], ["build"], ["build", "--check"]])
def test_plans_that_use_each_other_are_taken_once(here, capsys, words):
    write(
        here,
        'use std\nuse "two.plan"\na : byte = 1 GiB\nrequire b <= 1 GiB "small"\nreport a\n',
        "round/one.plan",
    )
    write(here, 'use std\nuse "one.plan"\nb : byte = a * 2\nreport b\n', "round/two.plan")
    assert main([*words, "round"]) == 1
    told = capsys.readouterr()
    assert "the compiler itself failed" not in told.err
    if words == ["check"]:
        assert told.out.endswith("checked round/one.plan: 1 violated\n")
    elif words == ["build"]:
        assert told.out.endswith("round/one.plan: 1 violated (small)\nwrote the reports of 1 of 1 plans\n")
        assert (here / "capwright-report" / "one.html").exists()
        assert main(["build", "--check", "round"]) == 0
        assert "stale" not in capsys.readouterr().out
    else:
        assert "there is no report of round/one.plan" in told.out


def test_check_says_one_mistake_once(here, capsys):
    write(here, "x = nothing\n", "plans/part.plan")
    for name in ("one", "two", "three"):
        write(here, 'use "part.plan"\n', f"plans/{name}.plan")
    assert main(["check", "plans"]) == 1
    told = capsys.readouterr().out
    assert told.count("error[CW0203]") == 1
    assert told.endswith("checked 3 plans: 1 error\n")


def test_check_goes_on_past_a_missing_plan(here, capsys):
    assert main(["check", "missing.plan", "a.plan"]) == 2
    told = capsys.readouterr().out
    assert "CW0150" in told
    assert "holds  fits" in told


@pytest.mark.parametrize("command", ["build", "check", "show"])
def test_a_file_that_is_not_there_has_no_line_to_show(command, here, capsys):
    assert main([command, "nothing"]) == 2
    told = capsys.readouterr()
    assert "error[CW0150]: there is no file `nothing`\n --> nothing\n  = help" in told.out + told.err


@pytest.mark.parametrize("command", ["build", "check", "show"])
@pytest.mark.parametrize("text", ["{", ' \n[{"a": 1}]'])
def test_a_config_is_no_plan(command, text, here, capsys):
    (here / "config.json").write_text(text)
    assert main([command, "config.json"]) == 1
    told = capsys.readouterr()
    assert "error[CW0161]: `config.json` is JSON, and no plan" in told.out + told.err
    assert "`capwright import`" in told.out + told.err


def test_json_is_told_by_what_it_is_whatever_it_is_called(here, capsys):
    (here / "saved.plan").write_text('{"hidden_size": 4096}')
    assert main(["check", "saved.plan"]) == 1
    assert "error[CW0161]: `saved.plan` is JSON, and no plan" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["[deployment]\nname = 3\n", "{ box b }\nx = 3\n", "[" * 100_000])
def test_what_opens_like_json_need_not_be_json(text, here, capsys):
    (here / "a.plan").write_text(text)
    assert main(["check", "a.plan"]) == 1
    told = capsys.readouterr().out
    assert "error[CW01" in told
    assert "JSON" not in told


def test_check_as_annotations(here, capsys):
    name = write(here, 'use std\na : byte = 2 GiB\nrequire a <= 1 GiB "100% [fits]"\nx = nothing\n')
    assert main(["check", name, "--format", "github"]) == 1
    assert capsys.readouterr().out.startswith("::error file=b.plan,line=4,")
    write(here, 'use std\na : byte = 2 GiB\nrequire a <= 1 GiB "100% [fits]"\n')
    assert main(["check", name, "--format", "github"]) == 1
    assert (
        "::error file=b.plan,line=3,endLine=3,col=1,endColumn=33,title=CW0705::100%25 [fits]"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize("words, toml", [((), "strict = true\n"), (("--strict",), ""), ((), "")])
def test_check_as_json_tells_the_exit_code_that_the_process_has(here, capsys, words, toml):
    """`c` may be anything from 4.2 GiB to 4.8 GiB: what is asked of it is not established."""
    write(here, toml, "capwright.toml")
    name = write(here, PLAN.replace("6 GiB", "4.5 GiB"))
    ended = main(["check", name, "--format", "json", *words])
    [told] = json.loads(capsys.readouterr().out)["plans"]
    assert [v["status"] for v in told["verdicts"]] == ["not established"]
    assert told["exit_code"] == ended == int(bool(words or toml))


def test_check_as_json(here, capsys):
    name = write(here, "use std\na : byte = 1 s\n")
    assert main(["check", name, "a.plan", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "capwright/check"
    bad, good = told["plans"]
    assert (bad["path"], bad["exit_code"], good["exit_code"]) == ("b.plan", 1, 0)
    assert [(d["line"], d["column"]) for d in bad["diagnostics"]] == [(2, 12)]
    assert [(v["label"], v["status"]) for v in good["verdicts"]] == [("fits", "holds")]


def test_a_failure_of_our_own_is_owned(here, capsys, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise KeyError("a mistake of ours")

    monkeypatch.setattr("capwright.commands.check_command.open_plan", fail)
    assert main(["check", "a.plan"]) == 2
    told = capsys.readouterr().err
    assert "CW0719" in told
    assert "KeyError" in told
    assert "test_commands.py:" in told
    assert "Traceback" not in told


# ── show and explain ─────────────────────────────────────────────────────────────────────────────


def test_show_what_is_reported(here, capsys):
    assert main(["show", "a.plan"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("quantity")
    assert [line.split()[0] for line in lines[1 : lines.index("")]] == ["b"]


def test_show_without_a_report_shows_what_the_file_writes(here, capsys):
    (here / "bare.plan").write_text("x = 3\ny = x * 2\n")
    assert main(["show", "bare.plan"]) == 0
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert rows[1:] == [["x", "3"], ["y", "6"]]


def test_set_is_held_to_the_type_of_what_it_sets(here, capsys):
    (here / "typed.plan").write_text("x : whole = 3\ny : number in 0 .. 1 = 0.5\nz : number = 1\n")
    for words, code in [
        (["x=2.5"], "CW0423"),
        (["y=2"], "CW0424"),
        (['z="three"'], "CW0302"),
        (["z=2", "z=3"], "CW0700"),
    ]:
        sets = [word for each in words for word in ("--set", each)]
        assert main(["check", "typed.plan", *sets]) == 1
        assert code in capsys.readouterr().out


@pytest.mark.parametrize("words", [("show", "b"), ("explain", "b"), ("show", "c"), ("show",)], ids=str)
def test_sound_numbers_are_told_whatever_is_required_of_them(here, capsys, words):
    """A violated requirement is a finding of `check` and `build`: a script that reads one number has read it."""
    (here / "a.plan").write_text(PLAN.replace("6 GiB", "1 GiB") + "measure b = 1 GiB { }\n")
    assert main(["check", "a.plan"]) == 1
    assert main([words[0], "a.plan", *words[1:]]) == 0
    assert "CW0509" in capsys.readouterr().err
    write(here, "a = 1\nb = a + 1 byte\n")
    assert main([words[0], "b.plan", *(words[1:] and ("a",))]) == 1


def test_show_as_json_and_csv_has_decimals_and_is_exact(here, capsys):
    """All in `unit`: numbers that a spreadsheet reads as such, and beside them text that nothing was rounded of."""
    assert main(["show", "a.plan", "c", "a", "--format", "json"]) == 0
    records = json.loads(capsys.readouterr().out)["quantities"]
    assert [
        (r["address"], r["unit"], r["low"], r["exact_low"], r["high"], r["exact_high"]) for r in records
    ] == [
        ("c", "GiB", 4.2, "21/5", 5.4, "27/5"),
        ("a", "GiB", 3.0, "3", 3.0, "3"),
    ]
    assert main(["show", "a.plan", "c", "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["address"], row["assumptions"], row["relation"]) == ("c", "s", "=")
    assert (row["low"], row["exact_low"], row["high"], row["exact_high"]) == ("4.2", "21/5", "5.4", "27/5")


def test_a_row_means_the_same_in_python_json_and_csv(here, capsys):
    row = api.compile(api.load("a.plan")).rows("c")[0]
    assert main(["show", "a.plan", "c", "--format", "json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)["quantities"]
    assert main(["show", "a.plan", "c", "--format", "csv"]) == 0
    (cells,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    shared = [name for name in row if name in record and name not in ("caveats", "kind")]
    assert {"unit", "relation", "low", "exact_low", "nominal", "exact_nominal"} <= set(shared)
    for name in shared:
        assert (row[name], str(row[name])) == (record[name], cells[name]), name


def test_a_number_too_large_for_a_float_is_there_exactly(here, capsys):
    plan = write(here, "a = 10^400\nreport a\n")
    assert main(["show", plan, "--format", "json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)["quantities"]
    assert (record["nominal"], record["exact_nominal"]) == (None, str(10**400))


def test_show_has_what_an_option_shares_with_its_base_by_its_own_name(here, capsys):
    text = (
        "use std\nentity part { a : byte; b : byte = 2 * a; c : byte default 5 GiB }\n"
        "part one { a = 3 GiB }\noption big of one { a = 4 GiB }\nreport one\n"
    )
    assert main(["show", write(here, text), "one@big", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["address"]: row["nominal"] for row in rows} == {
        "one@big.a": "4.0",
        "one@big.b": "8.0",
        "one@big.c": "5.0",
    }


def test_show_an_unknown_address(here, capsys):
    assert main(["show", "a.plan", "bb"]) == 2
    told = capsys.readouterr().err
    assert "CW0703" in told
    assert "did you mean" in told


def test_of_many_names_none_is_told_where_none_is_near(here, capsys):
    assert main(["explain", "a.plan", "xyzzyq"]) == 2
    assert "help: `capwright show a.plan` has what the plan reports" in capsys.readouterr().err
    assert main(["explain", "CW9999"]) == 2
    assert "CW0100" not in capsys.readouterr().err


def test_of_an_address_that_is_partly_right_the_rest_is_offered(here, capsys):
    plan = write(
        here,
        "entity part { low : number; lower : number; high : number = 2 }\npart one { low = 1; lower = 1 }\nreport one\n",
    )
    assert main(["show", plan, "one.l"]) == 2
    assert "did you mean `one.low` or `one.lower`?" in capsys.readouterr().err
    assert main(["show", plan, "one.zzz"]) == 2
    assert "show b.plan one` has all below `one`" in capsys.readouterr().err
    assert main(["show", plan, "zzz"]) == 2
    assert "show b.plan one` all of `one`" in capsys.readouterr().err


def test_an_address_to_set_that_is_none_is_told_at_the_address(here, capsys):
    plan = write(here, "entity part { low : number; high : number }\npart one { low = 1; high = 1 }\n")
    assert main(["check", plan, "--set", "low=3"]) == 1
    told = capsys.readouterr().out
    assert "did you mean `one.low`?" in told
    assert "--set:1:1\n" in told
    assert main(["check", plan, "--set", "one.lo=3"]) == 1
    told = capsys.readouterr().out
    assert "help: did you mean `low`?\n" in told
    assert "--set:1:1\n" in told


def test_what_is_declared_and_no_number_is_told_by_explain(here, capsys):
    """`show` says where, for it has no number to show."""
    plan = write(here, "use std\ncache full : paged { element = bf16 }\na : byte = 1 byte\nreport a\n")
    for name, said in {
        "engine": "max_model_len : static whole token  (must be given)",
        "vllm_0_22_1": 'name : text  (default "vLLM@0.22.1")',
        "bf16_paged": "element : dtype  (given bf16)",
        "row_bytes": "row_bytes(g: latent, c: paged) : byte",
        "nvidia.l4": "bandwidth : byte/s/device kind memory_rate  (given 300 GB/s/device)",
    }.items():
        assert main(["show", plan, name]) == 2
        assert f"`capwright explain {plan} {name}` tells what it is" in capsys.readouterr().err
        assert main(["explain", plan, name]) == 0
        assert said in capsys.readouterr().out
    assert main(["explain", plan, "full"]) == 0
    assert main(["explain", plan, "rowbytes"]) == 2
    assert "did you mean `row_bytes`" in capsys.readouterr().err


def test_explain_tells_what_a_caveat_says_and_what_takes_it_off(here, capsys):
    plan = write(
        here,
        "unit s\nkind late : s for time\n"
        'formula f(x: s) : s kind late caveat guessed for time "Nobody looked."\n  = x\n'
        'a : s kind late = 3 s caveat stays permanent for time "Never to be forgotten."\n'
        'b : s kind late = f(a as late)\nrequire b <= 4 s "in time"\nreport b\n',
    )
    assert main(["explain", plan, "guessed"]) == 0
    told = capsys.readouterr().out
    for line in (
        "caveat guessed  for time",
        "  Nobody looked.",
        "  enters with: b",
        "  carried by: 1 quantity",
        "  stands on the requirement: in time",
        "`discharges guessed`",
    ):
        assert line in told
    assert main(["explain", plan, "stays"]) == 0
    told = capsys.readouterr().out
    assert "  carried by: 2 quantities" in told
    assert "  taken off by: nothing: it is permanent" in told
    assert main(["show", plan, "guessed"]) == 2
    assert f"`capwright explain {plan} guessed` tells what it is" in capsys.readouterr().err
    assert main(["explain", plan, "gessed"]) == 2
    assert "did you mean `guessed`?" in capsys.readouterr().err


SAVING = """\
unit byte, bytes symbol B
kind saving : number for quality context model = model, task, optional place
kind pool : byte for capacity context model = model
formula saving(x: number) : number kind saving
  caveat not_shown for quality, capacity "Nobody looked."
  = x as saving
entity thing { model : text; saving : number kind saving = saving(0.5); pool : byte kind pool = (8 bytes * saving) as pool }
thing prod { model = "m" }
option other of prod { model = "n" }
"""


def test_explain_tells_how_evidence_is_written_that_takes_a_caveat_off(here, capsys):
    """With the quantities on which it stands; evidence written so, with what its kind is told to ask, counts."""
    plan = write(here, SAVING)
    assert main(["explain", plan, "not_shown"]) == 0
    told = capsys.readouterr().out
    assert "carried by: 2 quantities: prod.saving, prod.pool\n" in told
    form = "evidence NAME of prod.saving { model = …; task = … } discharges not_shown"
    assert f"  {form}\n" in told
    assert "`explain PLAN saving`" in told
    written = (
        form.replace("NAME", "trial").replace("model = …", 'model = "m"').replace("task = …", 'task = "t"')
    )
    plan = write(here, SAVING + written + "\n")
    assert main(["explain", plan, "not_shown"]) == 0
    told = capsys.readouterr().out
    assert "carried by: 2 quantities: prod@other.saving, prod@other.pool\n" in told
    assert "evidence NAME of prod@other.saving {" in told
    assert "of prod.saving {" not in told


def test_explain_tells_all_that_a_name_is(here, capsys):
    """A formula and a kind of one name, and a quantity of it too: none hides the other."""
    plan = write(here, SAVING + "saving : number = 3\n")
    assert main(["explain", plan, "saving"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("saving  3\n")
    assert "\nformula saving(x: number) : number kind saving" in told
    assert "\nkind saving  " in told
    assert "\n  task\n" in told
    assert main(["explain", plan, "saving", "--dependents"]) == 0
    assert "kind saving" not in capsys.readouterr().out


NAMES = [
    "-rf.plan",
    "my plan.plan",
    "a`b.plan",
    "a\nb.plan",
    "it's.plan",
    "$(x).plan",
    "##[error]::x.plan",
    "sub/b.plan",
]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_reader_is_asked_to_run_runs(here, capsys, monkeypatch, name):
    """Whatever the plan is called, from another folder than its project's too."""
    plan = 'thing t { a = 3 }\nentity thing { a : number }\nthing r { a = 3 }\nmeasure r.a = 3 as m { }\nrequire t.a <= 2  "small"\n'
    write(here, plan, name)
    (here / "inner").mkdir()
    for folder in (".", "inner"):
        monkeypatch.chdir(here / folder)
        said = os.path.relpath(here / name)
        asked = [
            ("show", said, "t.b"),
            ("show", said, "r.a!m"),
            ("explain", said, "t.q"),
            ("show", said, "thing"),
        ]
        for words in asked:
            assert main([words[0], "--", *words[1:]]) == 2
            runs_what_is_asked(capsys.readouterr().err)
        assert main(["check", "--format", "github", "--", said]) == 1
        runs_what_is_asked(capsys.readouterr().out.replace("%25", "%"))
        assert main(["build", "-o", "reports", "--", said]) == 1
        (line,) = [line for line in capsys.readouterr().out.splitlines() if "verdicts lean on" in line]
        runs_what_is_asked(f"`{line.partition(': ')[2]}`")


def test_what_is_behind_a_name_is_asked_for_by_a_command_that_runs(here, capsys, monkeypatch):
    write(
        here, "entity thing { a : number }\nthing t { a = 3 }\noption u of t { a = 4 }\n", "sub/own plan.plan"
    )
    write(here, 'use "sub/own plan.plan" as other\ny = other.t.a\n', "z.plan")
    (here / "inner").mkdir()
    for folder in (".", "inner"):
        monkeypatch.chdir(here / folder)
        said = os.path.relpath(here / "z.plan")
        for words in (["show", said, "other.t@u"], ["diff", said, "other.t", "other.t@u"]):
            assert main(words) == 2
            runs_what_is_asked(capsys.readouterr().err)


def runs_what_is_asked(told):
    """Every command in backquotes is one that a shell hands over as it is meant, and that finds its plan."""
    commands = re.findall("`capwright (.*?)`", told)
    assert commands
    for command in commands:
        handed = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True)
        assert main(handed.stdout.decode().split("\0")[:-1]) in (0, 1), command


@pytest.mark.parametrize("name", (*STATEMENTS, *CLAUSES))
def test_explain_tells_each_word_of_the_language(here, capsys, name):
    reference = (ROOT / "grammar" / "reference.md").read_text(encoding="utf-8")
    assert main(["explain", name]) == 0
    told = capsys.readouterr().out
    form, says, where = told.splitlines()
    assert form.startswith(name)
    assert says.strip()
    assert f"\n## {where.rpartition(' ')[2]}. " in reference
    assert main(["explain", write(here, "x = 1\nreport x\n"), name]) == 0
    assert capsys.readouterr().out == told


def test_explain_of_an_entity_names_what_its_variants_take_beside(here, capsys):
    plan = write(
        here,
        "entity e { n : number }\nentity v : e { m : number default 2; d : number = m * 2 }\n"
        "entity w : e { }\nv y { n = 3 }\nreport y\n",
    )
    assert main(["explain", plan, "e"]) == 0
    told = capsys.readouterr().out
    assert "  v: m; `explain PLAN v` tells of them\n" in told
    assert "  w:" not in told


def test_a_number_of_a_file_or_the_library_is_no_choice_of_the_plan(here, capsys):
    """What a config says without a key of its own is from the config, whose text nobody made lines of; what the library
    says without a source is its fact; a number that the plan itself writes is its choice."""
    write(here, json.dumps(CONFIG), "config.json")
    plan = write(
        here,
        'use std\nmodel m from config("config.json")\nn : byte = bf16.bytes\nk : byte = 2 byte\nreport m\n',
    )
    for address, said in {
        "m.tensors.down.copies": "imported, config.json\n",
        "bf16.bytes": "library fact, std/dtypes.plan:",
        "k": f"design choice, {plan}:4",
    }.items():
        assert main(["explain", plan, address]) == 0
        told = capsys.readouterr().out
        assert said in told
        assert "(imported)" not in told
    assert main(["show", plan, "m.tensors.down.copies", "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["origin"], row["place"]) == ("imported", "config.json")


def test_explain_of_what_has_parts_leads_to_them(here, capsys):
    plan = write(here, "use std\nentity x { a { b : byte = 1 byte } }\nx y { }\nreport y\n")
    assert main(["explain", plan, "y.a"]) == 2
    assert f"`capwright show {plan} y.a` has those below it" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--dependents"], ["--why", "x"]], ids=str)
def test_what_is_declared_has_no_chain_and_leads_to_what_has(here, capsys, words):
    plan = write(here, "entity e { n : number }\ne y { n = 3 }\nx = y.n * 2\nreport x\n", "things.plan")
    assert main(["explain", plan, "y", *words]) == 2
    assert f"`capwright show {plan} y` has those below it" in capsys.readouterr().err
    assert main(["explain", plan, "e", *words]) == 2
    assert f"`capwright explain {plan} e` tells what it is" in capsys.readouterr().err


def test_explain_of_what_a_file_describes_has_what_the_file_says(here, capsys):
    (here / "config.json").write_text(json.dumps(CONFIG | {"tie_word_embeddings": True}))
    plan = write(
        here, 'use std\nmodel llama from config("config.json") { max_context = 5 tokens }\n', "m.plan"
    )
    assert main(["explain", plan, "llama"]) == 0
    out = capsys.readouterr().out
    assert "hidden_size : whole  (imported 4096)" in out
    assert "tied_embeddings : bool  (imported true)" in out
    assert "max_context : whole token  (given 5 tokens)" in out
    assert "groups : list of layer_group named group  (imported group full)" in out
    assert "must be given" not in out


@pytest.mark.parametrize("command", ["show", "explain"])
def test_a_field_that_is_no_number_is_told_with_what_it_is_and_where_numbers_are(here, capsys, command):
    lengths = "lognormal(median: 6_000 tokens, p95: 20_000 tokens, at_most: 30_000 tokens)"
    plan = write(
        here,
        "use std\nworkload w {\n  concurrency = 3 requests\n"
        f"  class a {{ share = 100%; input = {lengths}; output = 500 tokens }}\n}}\n"
        'cache c : paged { element = bf16 }\nentity holder { load : workload; note : text default "a word"; n : number }\n'
        "holder h { load = w; n = 3 }\nreport w\n",
        "w.plan",
    )
    for address in ("w.classes.a.input", "h.load.classes.a.input"):
        assert main([command, plan, address]) == 2
        told = capsys.readouterr().err
        assert f"`{address}` is no quantity: it is set to `{lengths}`, w.plan:4" in told
        numbers = ("shortest_input", "longest_input", "mean_input")
        assert f"ask for {' or '.join(f'`w.classes.a.{name}`' for name in numbers)}\n" in told
    assert main([command, plan, "h.note"]) == 2
    told = capsys.readouterr().err
    assert '`h.note` is no quantity: it is set to "a word", w.plan:7' in told
    assert f"`capwright show {plan} h` has the numbers beside it" in told


def test_what_a_field_refers_to_is_told(here, capsys):
    plan = write(
        here, "use std\ncache c : paged { element = bf16; block = 16 tokens/block }\nreport c\n", "c.plan"
    )
    assert main(["explain", plan, "c.element"]) == 2
    told = capsys.readouterr().err
    assert "`c.element` is no quantity: it refers to `bf16`, c.plan:2" in told
    assert f"`capwright explain {plan} bf16` tells what that is" in told


@pytest.mark.parametrize("command", ["show", "explain"])
@pytest.mark.parametrize("word", ["two", "prd@two", "prod@tow", "prd@tow"])
def test_a_word_for_an_option_leads_to_it(here, capsys, command, word):
    plan = write(
        here,
        "entity e { n : number }\ne prod { n = 3 }\noption two of prod { n = 4 }\noption else of prod { n = 5 }\n"
        "report prod\n",
        "options.plan",
    )
    assert main([command, plan, word]) == 2
    assert "did you mean `prod@two`?" in capsys.readouterr().err


def test_explain_a_quantity(here, capsys):
    assert main(["explain", "a.plan", "c"]) == 0
    told = capsys.readouterr().out
    assert "a trial" in told
    assert "a.plan:2" in told
    assert main(["explain", "a.plan", "c", "--depth", "1"]) == 0
    assert "ask for more depth" in capsys.readouterr().out
    assert main(["explain", "a.plan", "a", "--dependents", "--depth", "0"]) == 0
    told = capsys.readouterr().out
    assert "c  " in told
    assert "require fits: holds  a.plan:6" in told


def test_explain_says_no_formula_twice(here, capsys):
    """Where nothing is put in for a name, the line with numbers is the line with names."""
    write(here, 'assume s = 0.80 in 0.70 .. 0.90 because "a trial"\n')
    assert main(["explain", "b.plan", "s"]) == 0
    assert capsys.readouterr().out.count("  = 0.80 in 0.70 .. 0.90") == 1


BRANCHES = """\
assume s = 0.6 in 0.4 .. 0.8 because "a trial"
a = if s > 0.5 then 10 * s else 1
b = if s >= 0.3 then 2 else 3
c = if 0.5 < s and not s == 0.7 then a else b
report a, b, c
"""


def test_explain_says_where_a_branch_is_not_established(here, capsys):
    """With the condition as it is written; one that every number of the range meets is established."""
    write(here, BRANCHES)
    told = {}
    for name in "abc":
        assert main(["explain", "b.plan", name, "--depth", "0"]) == 0
        told[name] = capsys.readouterr().out.replace("\xa0", " ")
    assert "  = if s > 0.5 then 10 × s else 1\n" in told["a"]
    assert "  branch not established: s > 0.5; both branches stand\n" in told["a"]
    assert "  = if s ≥ 0.3 then 2 else 3\n" in told["b"]
    assert "not established" not in told["b"]
    assert "  branch not established: s > 0.5 and not s = 0.7; both branches stand\n" in told["c"]


@pytest.mark.parametrize("choice", ["if s > 1 then ({}) else 3", "if s < 1 then 3 else ({})"])
def test_a_branch_that_is_never_taken_leaves_nothing_open(here, capsys, choice):
    inner = "if t > 2 then 10 else 20"
    write(here, f'{BRANCHES}assume t = 3 in 1 .. 5 because "y"\nd = ({choice.format(inner)}) + t\n')
    assert main(["explain", "b.plan", "d", "--depth", "0"]) == 0
    told = capsys.readouterr().out
    assert "4 .. 8" in told.replace("\xa0", " ")
    assert "not established" not in told
    write(here, f'{BRANCHES}assume t = 3 in 1 .. 5 because "y"\nd = if s > 0.5 then ({inner}) else 3\n')
    assert main(["explain", "b.plan", "d", "--depth", "0"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if "branch not established" in line]
    assert [line.partition(": ")[2].partition(";")[0].replace("\xa0", " ") for line in told] == [
        "s > 0.5",
        "t > 2",
    ]


def test_a_report_says_where_a_branch_is_not_established(here):
    write(here, BRANCHES)
    assert main(["build", "b.plan", "-o", "out"]) == 0
    for page in (here / "out/b.md", here / "out/b.html"):
        assert page.read_text(encoding="utf-8").count("both branches stand") == 2


def test_explain_tells_what_is_required_of_a_quantity_and_of_its_options(here, capsys):
    text = (
        "use std\nentity box { size : byte; half : byte = size / 2 }\n"
        "box left { size = 4 GiB }\nbox right { size = 1 GiB }\noption big of left { size = 9 GiB }\n"
        'require left.half <= 3 GiB "light"\nrequire right.size <= left.size "even"\n'
    )
    name = write(here, text)
    for asked, lines in (
        ("left.half", ["require light: holds  b.plan:6"]),
        ("right.half", ["nothing depends on it"]),
        ("right.size", ["└─ right.half  512\xa0MiB", "require even: holds  b.plan:7"]),
        ("left@big.half", ["require light with left@big: violated  b.plan:6"]),
    ):
        assert main(["explain", name, asked, "--dependents"]) == 0
        told = capsys.readouterr().out.splitlines()[1:]
        assert [line for line in told if "with" not in line or "@" in asked] == lines, asked


def test_explain_a_measurement(here, capsys):
    text = (
        'use std\nkind pace : s context engine, statistic "time between tokens"\nt : s kind pace >= 20 ms\n'
        'measure t = 31.9 ms as night { engine = "x@1"; statistic = "p95" }\n'
    )
    name = write(here, text)
    assert main(["explain", name, "t!night"]) == 0
    assert capsys.readouterr().out.replace("\xa0", " ").splitlines() == [
        "t!night  ≈ 31.9 ms",
        "  a measurement of t: gap closed",
        "  engine: x@1",
        "  statistic: p95",
        "  source: none is given",
        "  b.plan:4",
    ]


@pytest.mark.parametrize("said", ['source "bench/night.json"', 'because "bench/night.json"'])
def test_a_measurement_says_where_it_is_from(here, capsys, said):
    text = (
        "use std\nkind pace : s context statistic\nt : s kind pace >= 20 ms\n"
        f'measure t = 31.9 ms as night {{ statistic = "p95" }} {said}\nrequire t <= 40 ms "soon"\n'
    )
    for plan, told in (
        (text, f"{said.partition(' ')[0]}: bench/night.json"),
        (text.replace(said, ""), "source: none is given"),
    ):
        name = write(here, plan)
        assert main(["explain", name, "t!night"]) == 0
        assert f"  {told}\n" in capsys.readouterr().out
        assert main(["check", name]) == 0
        assert f"(statistic: p95; {told})" in capsys.readouterr().out.replace("\xa0", " ")


MEASURED = """\
use std
kind pace : s context engine, statistic "time between tokens"
t : s kind pace >= 20 ms
measure t = 31.9 ms in 30 ms .. 33 ms as night { engine = "x@1"; statistic = "p95" }
v : s kind pace >= 3 ms
measure v = 25 ms as day { engine = "x@1"; statistic = "p95" } confidential
w : s kind pace >= 8 ms
measure w = 2 ms as wrong { engine = "x@1"; statistic = "p95" }
plain : s = 3 ms
report t, v, w, plain
"""


def test_what_is_measured_of_a_quantity_is_shown_with_it(here, capsys):
    name = write(here, MEASURED, "measured.plan")
    assert main(["show", name]) == 0
    rows = capsys.readouterr().out.replace("\xa0", " ").splitlines()
    assert "measured" in rows[0].split()
    said = {row.split()[0]: row for row in rows[1:5]}
    assert "≈ 31.9 ms (range: 30 .. 33 ms) t!night" in said["t"]
    assert "≈ 25 ms v!day" in said["v"]
    assert "2 ms" not in said["w"]  # what contradicts does not count
    assert main(["show", name, "plain"]) == 0
    assert "measured " not in capsys.readouterr().out
    assert main(["show", name, "t", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert schema_errors(json.dumps(told), json.loads((ROOT / "grammar/show.schema.json").read_text())) == ()
    (found,) = told["quantities"][0]["measurements"]
    assert (found["address"], found["nominal"], found["exact_high"]) == ("t!night", 31.9, "33")
    assert (found["comparison"], found["place"]) == ("gap closed", "measured.plan:4")
    assert main(["show", name, "t", "w", "--format", "csv"]) == 0
    csv_rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out.replace("\xa0", " "))))
    assert [row["measurements"] for row in csv_rows] == [
        "≈ 31.9 ms (range: 30 .. 33 ms) (t!night, gap closed, measured.plan:4)",
        "",
    ]
    assert main(["explain", name, "t"]) == 0
    out = capsys.readouterr().out.replace("\xa0", " ")
    assert "  measured ≈ 31.9 ms (range: 30 .. 33 ms) (t!night, gap closed, measured.plan:4)" in out


def test_what_is_measured_stands_in_a_report_and_a_woven_document(here, capsys):
    name = write(here, MEASURED.replace("measure w", "# measure w"), "measured.plan")
    assert main(["build", name, "-o", "made"]) == 0
    page = (here / "made/measured.md").read_text().replace("\xa0", " ")
    (row,) = (line for line in page.splitlines() if line.startswith("|") and "`t`" in line)
    assert "<br>measured ≈ " in row
    assert "gap closed" in row
    page = (here / "made/measured.html").read_text()
    assert page.count('<span class="mark">measured ≈') == 2
    document = here / "doc.md"
    regions = [
        f"<!-- capwright: {what} {name} {at} -->\n<!-- /capwright -->"
        for what in ("value", "table")
        for at in "tv"
    ]
    document.write_text(
        "\n".join([*regions, f"<!-- capwright: derivation {name} t -->\n<!-- /capwright -->", ""])
    )
    assert main(["weave", "doc.md"]) == 0
    woven = document.read_text().replace("\xa0", " ")
    assert woven.count("measured ≈ 31.9 ms (range: 30 .. 33 ms) by t") == 3
    assert "25" not in woven
    assert "withheld" in woven


def test_what_is_measured_of_a_thing_is_not_shown_of_its_option(here, capsys):
    """Both have one number derived, and the measurement counts for the thing alone."""
    text = """\
unit s
entity dep { n : number default 1; time : s >= 2 s }
dep prod { }
option other of prod { n = 2 }
measure prod.time = 3 s as run { engine = "x@1" }
require prod.time <= 4 s "soon"
"""
    name = write(here, text)
    assert main(["show", name, "prod.time", "prod@other.time"]) == 0
    base, option = capsys.readouterr().out.splitlines()[1:3]
    assert "≈ 3 s prod.time!run" in base.replace("\xa0", " ")
    assert "prod@other.time" in option
    assert "run" not in option


def test_explain_names_the_launch_flag_of_a_setting(here, capsys):
    """Of a field of the library whoever sets it, of one's own, and none where there is none."""
    text = (
        'entity server { ports : whole default 2 flag "--ports"; rows : number default 1; all : number = ports * rows }\n'
        "server left { }\nserver right { ports = 3; rows = 4 }\nreport left, right\n"
    )
    name = write(here, text)
    assert main(["build", name, "-o", "out"]) == 0
    document, _ = from_json((here / "out" / "b.json").read_text())
    flags = {q.address: q.provenance.flag for q in document.quantities}
    assert flags == {
        "left.ports": "--ports", "left.rows": None, "left.all": None,
        "right.ports": "--ports", "right.rows": None, "right.all": None,
    }  # fmt: skip
    capsys.readouterr()
    for address, told in (("left.ports", True), ("right.ports", True), ("right.rows", False)):
        assert main(["explain", name, address]) == 0
        assert ("; set by --ports" in capsys.readouterr().out) == told
    assert "set by" in (here / "out" / "b.md").read_text()


def test_explain_a_code(capsys):
    assert main(["explain", "CW0150"]) == 0
    assert capsys.readouterr().out.startswith("CW0150: ")
    assert main(["explain", "cw0150"]) == 0
    assert main(["explain", "CW9999"]) == 2
    assert "CW0704" in capsys.readouterr().err


def test_the_page_of_a_code_has_no_markup_on_a_terminal(capsys):
    for code in codes.known():
        assert main(["explain", code]) == 0
        told = capsys.readouterr().out
        assert "```" not in told
        assert told.startswith(f"{code}: ")
    main(["explain", "CW0214"])
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("mended:")
    assert lines[at - 3 : at + 4] == [
        "    entity box { width : number }",
        "    box b { }",
        "",
        "mended:",
        "",
        "    entity box { width : number }",
        "    box b { width = 2 }",
    ]


@pytest.mark.parametrize("depth", ["-1", "--depth=-1", "two", "1.5"])
def test_a_depth_is_a_number_of_levels(here, capsys, depth):
    words = [depth] if depth.startswith("--") else ["--depth", depth]
    with pytest.raises(SystemExit) as ended:
        main(["explain", "a.plan", "c", *words])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "--depth" in told


def test_explain_needs_a_plan_and_an_address(here):
    with pytest.raises(SystemExit) as ended:
        main(["explain", "a.plan"])
    assert ended.value.code == 2


# ── build ────────────────────────────────────────────────────────────────────────────────────────


def test_build_writes_three_files(here, capsys):
    assert main(["build", "a.plan", "-o", "deep/report"]) == 0
    assert {path.name for path in (here / "deep" / "report").iterdir()} == {"a.md", "a.html", "a.json"}
    document, problems = from_json((here / "deep" / "report" / "a.json").read_text())
    assert problems == ()
    assert document is not None
    assert len(document.tool_sha256) == len(document.library_sha256) == 64
    assert "wrote deep/report/a.md" in capsys.readouterr().out


def test_build_is_the_same_every_time(here):
    main(["build", "a.plan", "-o", "one"])
    main(["build", "a.plan", "-o", "two"])
    for name in ("a.md", "a.html", "a.json"):
        assert (here / "one" / name).read_bytes() == (here / "two" / name).read_bytes()


def test_build_writes_nothing_for_a_plan_with_errors(here, capsys):
    name = write(here, "x = nothing\n")
    assert main(["build", name, "-o", "report"]) == 1
    assert not (here / "report").exists()
    assert "CW0203" in capsys.readouterr().err


def test_build_reports_what_is_violated(here):
    assert main(["build", "a.plan", "--set", "a=9 GiB", "-o", "report"]) == 1
    assert (here / "report" / "a.html").exists()


def test_build_into_a_place_that_takes_no_files(here, capsys):
    (here / "report").write_text("mine")
    assert main(["build", "a.plan", "-o", "report"]) == 2
    assert "CW0701" in capsys.readouterr().err
    assert (here / "report").read_text() == "mine"


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.json"])
def test_build_replaces_no_file_that_is_no_report(here, capsys, name):
    assert main(["build", "a.plan", "-o", "."]) == 0
    write(here, PLAN.replace("3 GiB", "2 GiB"), "a.plan")
    assert main(["build", "a.plan", "-o", "."]) == 0
    (here / name).write_text("mine\n")
    kept = {path.name: path.read_bytes() for path in here.iterdir()}
    capsys.readouterr()
    assert main(["build", "a.plan", "-o", "."]) == 2
    told = capsys.readouterr().err
    assert "CW0708" in told
    assert f"`{name}`" in told
    assert {path.name: path.read_bytes() for path in here.iterdir()} == kept


@pytest.mark.parametrize("name", ["two.md", "index.html", "index.md"])
def test_a_build_of_a_folder_writes_nothing_where_a_file_is_no_report(here, capsys, name):
    write(here, PLAN, "plans/one.plan")
    write(here, PLAN, "plans/two.plan")
    assert main(["build", "plans", "-o", "kept"]) == 0
    assert main(["build", "plans", "-o", "kept"]) == 0
    write(here, "mine\n", f"other/{name}")
    assert main(["build", "plans", "-o", "other"]) == 2
    assert "CW0708" in capsys.readouterr().err
    assert [path.name for path in (here / "other").iterdir()] == [name]


def folder_of_reports(here: Path) -> None:
    write(here, 'plans = ["plans"]\nreports = "kept"\n', "capwright.toml")
    for name in ("one", "deep/two", "three"):
        write(here, PLAN, f"plans/{name}.plan")
    assert main(["build"]) == 0
    assert main(["build", "--check"]) == 0
    write(here, "# Notes\n\nGenerated by capwright, some say.\n", "kept/notes.md")
    write(here, "{}\n", "kept/other.json")
    assert main(["build", "--check"]) == 0


def stale(capsys) -> list[str]:
    capsys.readouterr()
    assert main(["build", "--check"]) == 1
    return [line for line in capsys.readouterr().out.splitlines() if line.startswith("stale ")]


def test_reports_of_deleted_plans_are_stale_whatever_of_them_is_kept(here, capsys):
    folder_of_reports(here)
    (here / "plans/deep/two.plan").unlink()
    told = stale(capsys)
    assert [line.split()[1] for line in told] == [
        *(f"kept/index.{suffix}:" for suffix in ("md", "html")),
        *(f"kept/deep/two.{suffix}:" for suffix in ("html", "json", "md")),
    ]
    assert main(["build"]) == 0
    for kept in ("html", "json", "md"):
        for suffix in {"html", "json", "md"} - {kept}:
            (here / f"kept/deep/two.{suffix}").unlink()
        assert stale(capsys) == [f"stale kept/deep/two.{kept}: no plan gives it any more"]
        (here / f"kept/deep/two.{kept}").unlink()
        assert main(["build", "--check"]) == 0
        write(here, PLAN, "plans/deep/two.plan")
        assert main(["build"]) == 0
        (here / "plans/deep/two.plan").unlink()
        assert main(["build"]) == 0


def test_a_report_of_a_plan_that_another_uses_now_is_stale(here, capsys):
    folder_of_reports(here)
    write(here, 'use "three.plan"\n', "plans/whole.plan")
    assert main(["build"]) == 0
    assert [line.split()[1] for line in stale(capsys)] == [
        f"kept/three.{suffix}:" for suffix in ("html", "json", "md")
    ]


@pytest.mark.parametrize(
    "words", [["other.plan"], ["deep/other.plan"], ["plans/deep"], ["plans/deep/two.plan"], ["plans"]]
)
@pytest.mark.parametrize("toml", ['plans = ["plans"]\nreports = "kept"\n', "reports = 'kept'\n"])
def test_what_build_has_just_made_is_not_stale(here, capsys, words, toml):
    """Whatever it was asked to build: a plan of the project has its report where the whole build puts it, and any other
    plan has none among those that are kept."""
    folder_of_reports(here)
    shutil.rmtree(here / "kept")
    write(here, toml, "capwright.toml")
    for name in ("other", "deep/other"):
        write(here, 'use "../plans/one.plan"\n' if "/" in name else PLAN, f"{name}.plan")
    assert main(["build"]) == 0
    assert main(["build", "--check"]) == 0, capsys.readouterr().out
    assert main(["build", *words]) == 0
    assert main(["build", *words, "--check"]) == 0, capsys.readouterr().out
    assert main(["build", "--check"]) == 0, capsys.readouterr().out


def test_a_plan_of_the_project_alone_is_built_where_all_are(here):
    folder_of_reports(here)
    before = {path: path.read_bytes() for path in sorted((here / "kept").rglob("*")) if path.is_file()}
    (here / "kept/deep/two.md").unlink()
    assert main(["build", "plans/deep/two.plan"]) == 0
    assert {
        path: path.read_bytes() for path in sorted((here / "kept").rglob("*")) if path.is_file()
    } == before
    assert not (here / "capwright-report").exists()
    assert main(["build", "a.plan"]) == 0
    assert (here / "capwright-report/a.md").is_file()
    assert not (here / "kept/a.md").exists()


def test_an_index_is_stale_when_it_counts_other_verdicts_or_lists_other_plans(here, capsys):
    folder_of_reports(here)
    index = here / "kept/index.md"
    fresh = index.read_text()
    index.write_text(fresh.replace("3 plans", "4 plans"))
    assert stale(capsys) == ["stale kept/index.md: is not the index of what the plans give"]
    index.unlink()
    assert main(["build", "--check"]) == 0, "a project may keep a part of its reports"
    index.write_text(fresh)
    write(here, PLAN, "plans/four.plan")
    assert [line.split()[1] for line in stale(capsys)] == ["kept/four:", "kept/index.md:", "kept/index.html:"]


# ── fmt and import ───────────────────────────────────────────────────────────────────────────────


def test_fmt(here, capsys):
    name = write(here, "a   =  1\r\nb=a+1\r\n")
    assert main(["fmt", "--check", name]) == 1
    assert (here / name).read_bytes() == b"a   =  1\r\nb=a+1\r\n"
    assert main(["fmt", name]) == 0
    assert (here / name).read_bytes() == b"a = 1\nb = a + 1\n"
    assert main(["fmt", "--check", name]) == 0
    assert capsys.readouterr().out == "would change b.plan\nchanged b.plan\n"


def test_fmt_leaves_what_does_not_parse(here, capsys):
    name = write(here, "a   = = 1\n")
    assert main(["fmt", name]) == 1
    assert (here / name).read_text() == "a   = = 1\n"
    assert "CW01" in capsys.readouterr().out


CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "rms_norm_eps": 1e-05,
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


def test_import_writes_a_plan_that_compiles(here, capsys):
    (here / "Some-Model.json").write_text(json.dumps(CONFIG))
    assert main(["import", "Some-Model.json", "-o", "model.plan"]) == 0
    assert main(["check", "model.plan"]) == 0
    assert main(["import", "Some-Model.json", "--name", "mine"]) == 0
    told = capsys.readouterr().out
    assert "model mine {" in told
    assert str(here) not in told


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": NaN}', '{"a": 1, "a": 2}', "{}"])
def test_import_refuses_what_it_cannot_read(text, here, capsys):
    (here / "config.json").write_text(text)
    assert main(["import", "config.json", "-o", "model.plan"]) == 1
    assert not (here / "model.plan").exists()
    assert "CW06" in capsys.readouterr().err


def test_a_plan_and_its_import_agree(here, capsys):
    (here / "config.json").write_text(json.dumps(CONFIG))
    name = write(here, 'use std\nmodel m from config("config.json")\n')
    assert main(["check", name]) == 0
    assert main(["show", name, "m.max_context"]) == 0
    assert "131,072" in capsys.readouterr().out


def test_a_broken_import_is_shown_in_its_file(here, capsys):
    (here / "config.json").write_text('{\n  "a": 1,\n}\n')
    name = write(here, 'use std\nmodel m from config("config.json")\n')
    assert main(["check", name]) == 1
    assert "--> config.json:3" in capsys.readouterr().out


def test_an_address_goes_through_references(capsys):
    plan = str(Path(__file__).parents[2] / "plans" / "examples" / "llama-3.1-70b-long-context.plan")
    assert main(["show", plan, "prod.sharding.tensor", "--format", "csv"]) == 0
    assert "\nprod.sharding.tensor,4" in capsys.readouterr().out
    assert main(["explain", plan, "prod.sharding.tensor"]) == 0
    assert "tp4.tensor" in capsys.readouterr().out


def test_why_is_the_shortest_chain_between_two_quantities(tmp_path, capsys):
    plan = tmp_path / "p.plan"
    plan.write_text("a = 3\nb = a * 2\nc = b + a * 0\nd = 5\n", encoding="utf-8")
    assert main(["explain", str(plan), "c", "--why", "a"]) == 0
    told = capsys.readouterr().out
    assert [
        line.split()[0] for line in told.splitlines() if "  = " not in line and ", p.plan" not in line
    ] == [
        "c",
        "a",
    ]
    assert main(["explain", str(plan), "c", "--why", "d"]) == 0
    assert capsys.readouterr().out == "`c` does not depend on `d`\n"


@pytest.mark.parametrize(
    ("chains", "through"),
    [
        ("idle = a * 0\nlong = a + 1\nlonger = long + 1\nc = longer + idle\n", ["c", "longer", "long", "a"]),
        ("idle = a * 0\nc = 4 + idle\n", ["c", "idle", "a"]),
        ("short = a + 1\nlong = short + 1\nc = long + short\n", ["c", "short", "a"]),
    ],
)
def test_a_chain_leads_through_zeros_only_where_every_one_does(tmp_path, capsys, chains, through):
    plan = tmp_path / "p.plan"
    plan.write_text(f"a = 3\n{chains}", encoding="utf-8")
    assert main(["explain", str(plan), "c", "--why", "a"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told if "  = " not in line and ", p.plan" not in line] == through


def test_what_is_to_be_equal_has_no_margin(tmp_path, capsys):
    plan = tmp_path / "p.plan"
    plan.write_text(
        'a = 3\nb = 5\nrequire a == b  "same"\nrequire a != 3  "other"\nrequire b <= a  "less"\n',
        encoding="utf-8",
    )
    assert main(["check", str(plan)]) == 1
    told = capsys.readouterr().out
    assert told.count("margin") == 1
    assert "3, required = 5\n    a == b" in told
    assert "margin: −2\n    b <= a" in told


def test_a_check_tells_what_an_option_does_not_meet(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.plan").write_text(
        "entity box { n : number; m : number = n * 2 }\n"
        "box a { n = 1 }\n"
        "option large of a { n = 5 }\n"
        "option small of a { n = 0.5 }\n"
        'require a.m <= 4 "it fits"\n',
        encoding="utf-8",
    )
    assert main(["check", "a.plan"]) == 0
    told = capsys.readouterr().out
    assert "a@large  holds → violated  it fits\n" in told
    assert "    10, required ≤ 4\n    margin: −6\nevery verdict as the base's: a@small\n" in told


def test_a_kept_report_says_that_it_tells_what_is_confidential(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.plan").write_text(
        "price = 2 confidential\ntotal = 3 * price\nreport total\n", encoding="utf-8"
    )
    assert main(["build", "a.plan", "-o", "out"]) == 0
    told = capsys.readouterr()
    assert "hint[CW0758]: what was written tells what is confidential: `price`\n" in told.err
    (tmp_path / "b.plan").write_text("price = 2\nreport price\n", encoding="utf-8")
    assert main(["build", "b.plan", "-o", "out"]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_required_to_be_established_is_a_finding_without_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = 'wait : number >= 33\nrequire {}wait <= 40 "quick"\nreport wait\n'
    (tmp_path / "a.plan").write_text(text.format("established "), encoding="utf-8")
    (tmp_path / "b.plan").write_text(text.format(""), encoding="utf-8")
    assert [main(["check", name]) for name in ("a.plan", "b.plan")] == [1, 0]
    assert [main(["build", name, "-o", "out"]) for name in ("a.plan", "b.plan")] == [1, 0]
    capsys.readouterr()
    marks = ["--format", "github"]
    for strict, second in (((), "::warning"), (("--strict",), "::error")):
        main(["check", "a.plan", "b.plan", *marks, *strict])
        told = capsys.readouterr().out.splitlines()
        assert [line.partition(" ")[0] for line in told] == ["::error", second]


@pytest.mark.parametrize(
    ("written", "words", "asks", "closing"),
    [
        (
            "require established",
            (),
            "`require established` asks that it",
            "1 not established, 1 error for that",
        ),
        (
            "require",
            ("--strict",),
            "`--strict`, or `strict = true` of the",
            "1 not established, 1 error for that",
        ),
        ("require", (), "", "1 not established"),
        ("expect", ("--strict",), "", "1 not expected (an estimate)"),
    ],
)
def test_a_check_says_why_what_is_not_established_is_an_error(here, capsys, written, words, asks, closing):
    wait = "~ 50" if written == "expect" else ">= 33"
    name = write(here, f'wait : number {wait}\n{written} wait <= 40 "quick"\n')
    assert main(["check", name, *words]) == int(bool(asks))
    told = capsys.readouterr().out
    assert (f"    an error: {asks}" in told) is bool(asks)
    assert "an error" not in told or asks
    assert told.splitlines()[-1] == f"checked {name}: {closing}"


@pytest.mark.parametrize("form", ["github", "json"])
def test_a_wrong_measurement_is_one_message_however_much_is_asked_of_it(here, capsys, form):
    plan = "x = 3 s\nmeasure x = 5 s as m { }\nrequire x <= 4 s\nrequire x >= 4 s\nexpect x <= 2 s\n"
    name = write(here, "use std\n" + plan)
    assert main(["check", name, "--format", form]) == 1
    told = capsys.readouterr().out
    assert told.count("CW0509") == 1
    assert "CW0705" not in told
    assert "CW0707" not in told
    assert "violated" not in told


def test_a_check_prints_what_a_report_prints(here, capsys):
    """A source in two places is one: for the sides of a requirement as for what is reported."""
    name = write(
        here,
        'assume s = 0.5 in 0.2 .. 0.8 because "x"\na = s * (1 - s)\nw = s + (1 - s) + 63\n'
        'require a <= 0.3 "a"\nrequire w <= 64 "w"\nreport a, w\n',
    )
    assert main(["check", name]) == 0
    told = capsys.readouterr().out
    assert "0.25 (established: 0.16 .. 0.25), required ≤ 0.3" in told
    assert "64, required ≤ 64" in told
    assert main(["show", name]) == 0
    assert "0.16 .. 0.25" in capsys.readouterr().out


def test_what_is_missing_on_a_side_with_errors_is_no_edit_of_the_library(here, capsys):
    text = (
        "use std\nentity box { a : byte; b : byte = a * 2; c : byte = max(b, 1 GiB) }\nbox one { a = 3 GiB }\n"
        "box two { a = 4 GiB }\nreport one, two\n"
    )
    first, second = write(here, text), write(here, text.replace("3 GiB", "3 s"), "c.plan")
    main(["diff", first, second])
    told = capsys.readouterr().out
    assert "CW0301" in told
    for line in told.splitlines():
        before, arrow, after = line.partition(" → ")
        assert not arrow or before.rpartition(": ")[2] != after, line


def test_build_says_what_came_of_each_verdict_what_it_wrote_and_where_there_is_more(here, capsys):
    text = (
        "use std\nentity box { size : byte; half : byte = size / 2 }\nbox left { size = 4 GiB }\n"
        "option big of left { size = 9 GiB }\noption less of left { size = 3 GiB }\n"
        'require left.half <= 3 GiB "light"\nreport left\n'
    )
    name = write(here, text)
    assert main(["build", name, "-o", "out", "--set", "left.size=5 GiB"]) == 0
    assert capsys.readouterr().out.replace("\xa0", " ").splitlines() == [
        "holds  light: 2.5 GiB, required ≤ 3 GiB",
        "1 holds",
        "left@big  holds → violated  light",
        "    4.5 GiB, required ≤ 3 GiB",
        "    margin: −1.5 GiB",
        "every verdict as the base's: left@less",
        *(f"wrote out/{Path(name).stem}.{form}" for form in ("md", "html", "json")),
        f"what verdicts lean on: capwright check {name} --set 'left.size=5 GiB'",
        f"options side by side: the report, or capwright show {name} --set 'left.size=5 GiB'",
    ]


CONFIDED = """\
unit dollar, dollars symbol $
price : $ = 1.87 $ confidential
count = 8
cost : $ = price * count
require cost <= 20 $ "it pays"
require count <= 9 "there are few"
measure cost = 15 $ as bill { engine = "x@1" } confidential
report cost, count
"""


def test_what_is_confidential_is_marked_wherever_it_is_told(tmp_path):
    """The price, what derives from it, what is required of that; nothing else."""
    (tmp_path / "c.plan").write_text(CONFIDED, encoding="utf-8")
    table = run("show", "c.plan", cwd=tmp_path).out.splitlines()
    marked = {line.split()[0]: "(confidential)" in line for line in table[1:3]}
    assert marked == {"cost": True, "count": False}
    told = json.loads(run("show", "c.plan", "--format", "json", cwd=tmp_path).out)
    assert schema_errors(json.dumps(told), json.loads((ROOT / "grammar/show.schema.json").read_text())) == ()
    assert {one["address"]: one["confidential"] for one in told["quantities"]} == marked
    rows = csv.DictReader(io.StringIO(run("show", "c.plan", "--format", "csv", cwd=tmp_path).out))
    assert {row["address"]: row["confidential"] == "True" for row in rows} == marked
    alone = run("show", "c.plan", "price", cwd=tmp_path).out
    assert "1.87\N{NO-BREAK SPACE}$ (confidential)" in alone
    tree = run("explain", "c.plan", "cost", cwd=tmp_path).out.splitlines()
    heads = {line.split()[-5 if line.endswith("confidential") else -2]: line for line in tree if "─ " in line}
    assert tree[0].endswith("  confidential")
    assert [line.endswith("  confidential") for line in heads.values()] == [True, False]
    assert "  confidential" in run("explain", "c.plan", "cost!bill", cwd=tmp_path).out
    run("build", "c.plan", "-o", "made", cwd=tmp_path)
    for page in ("c.md", "c.html"):
        text = re.sub(r"<[^>]*>", " ", (tmp_path / "made" / page).read_text(encoding="utf-8"))
        assert text.count("(confidential: others are told the status alone)") == 1
        assert text.count("withheld from others, with all that derives from it") == (
            1 if page == "c.md" else 2
        )
    (row,) = (line for line in (tmp_path / "made/c.md").read_text().splitlines() if line.startswith("| cost"))
    assert "<br>confidential" in row


def test_a_terminal_marks_the_requirements_on_what_is_confidential(tmp_path):
    """`check` in each of its forms for the owner, and the lines that `build` prints."""
    (tmp_path / "c.plan").write_text(CONFIDED, encoding="utf-8")
    mark = "(confidential: others are told the status alone)"
    for words in (("check", "c.plan"), ("build", "c.plan", "-o", "made")):
        marked = [line for line in run(*words, cwd=tmp_path).out.splitlines() if mark in line]
        assert len(marked) == 1
        assert "14.96" in marked[0] or "15" in marked[0]
    bounded = CONFIDED.replace("= price * count", ">= price * count")
    (tmp_path / "b.plan").write_text(bounded, encoding="utf-8")
    assert (
        "bill, \N{ALMOST EQUAL TO} 15\N{NO-BREAK SPACE}$ (confidential) (engine: x@1"
        in run("check", "b.plan", cwd=tmp_path).out
    )
    (plan,) = json.loads(run("check", "c.plan", "--format", "json", cwd=tmp_path).out)["plans"]
    named = {one["label"]: one["id"] in plan["confidential"] for one in plan["verdicts"]}
    assert named == {"it pays": True, "there are few": False}


OPTIONAL = """\
unit dollar, dollars symbol $
entity node { price : dollar; count : number }
entity fleet { node : node; cost : dollar = node.price * node.count; twice : number = node.count * 2 }
node a { price = 3 $ confidential; count = 2 }
node b { price = 5 $; count = 4 }
fleet prod { node = a }
option other of prod { node = b }
report prod.cost, prod.twice
"""


def test_options_side_by_side_mark_each_value_that_is_confidential(tmp_path):
    (tmp_path / "o.plan").write_text(OPTIONAL, encoding="utf-8")
    table = run("show", "o.plan", cwd=tmp_path).out.partition("options of prod")[2].splitlines()
    cost = next(line for line in table if line.lstrip().startswith(("cost", "prod.cost")))
    assert "6\N{NO-BREAK SPACE}dollars (confidential)" in cost
    assert cost.rstrip().endswith("20\N{NO-BREAK SPACE}dollars")
    assert not any("confidential" in line for line in table if "twice" in line)
    run("build", "o.plan", "-o", "made", cwd=tmp_path)
    page = (tmp_path / "made/o.md").read_text(encoding="utf-8").partition("side by side")[2]
    row = next(line for line in page.splitlines() if "prod.cost" in line)
    assert [cell.count("confidential") for cell in row.split(" | ")] == [0, 1, 0]
    page = (
        (tmp_path / "made/o.html").read_text(encoding="utf-8").partition("Options side by side</caption>")[2]
    )
    cells = page.partition("</table>")[0].split("<td")[1:]
    assert [cell.count(">confidential<") for cell in cells] == [1, 0, 0, 0]


def test_that_there_is_nothing_to_do_is_said_beside_what_programs_read(tmp_path):
    (tmp_path / ".git").mkdir()
    for name in "ab":
        (tmp_path / f"{name}.plan").write_text("a = 1\nreport a\n", encoding="utf-8")
    assert (run("weave", "--check", cwd=tmp_path).out, run("weave", "--check", cwd=tmp_path).err) == (
        "", "no Markdown file of the project has a region\n",
    )  # fmt: skip
    (tmp_path / "d.md").write_text(
        "<!-- capwright: value a.plan a -->1<!-- /capwright -->\n", encoding="utf-8"
    )
    run("build", cwd=tmp_path)
    for words, said in (
        (("fmt", "."), "2 files are formatted\n"),
        (("fmt", "--check", "a.plan"), "1 file is formatted\n"),
        (("weave", "--check"), "1 region of 1 file is fresh\n"),
        (("weave",), "1 region of 1 file is fresh\n"),
        (("build", "--check"), "2 reports are fresh\n"),
    ):
        ended = run(*words, cwd=tmp_path)
        assert (ended.code, ended.out, ended.err) == (0, "", said), words
    (tmp_path / "a.plan").write_text("a  =  1\nreport a\n", encoding="utf-8")
    ended = run("fmt", ".", cwd=tmp_path)
    assert (ended.out.splitlines()[0].startswith("changed "), ended.err) == (True, "")


def test_a_folder_is_built_with_its_findings_and_files_named(tmp_path):
    asked = "".join(f'require n <= {at} "below {at}"\n' for at in (1, 2, 3, 4, 9))
    (tmp_path / "a.plan").write_text(f"n = 5\n{asked}report n\n", encoding="utf-8")
    ended = run("build", cwd=tmp_path)
    assert ended.code == 1
    assert "a.plan: 4 violated (below 1, below 2, below 3 and 1 more)\n" in ended.out
    made = [f"capwright-report/a.{suffix}" for suffix in ("md", "html", "json")]
    assert f"wrote {', '.join(made)}\n" in ended.out
    assert all((tmp_path / path).is_file() for path in made)


@pytest.mark.parametrize(
    "words",
    [
        ("check", ""),
        ("build", ""),
        ("build", "a.plan", "-o", ""),
        ("show", ""),
        ("fmt", ""),
        ("weave", ""),
        ("diff", "", "a.plan"),
        ("diff", "a.plan", ""),
        ("diff", "a.plan", "a.plan", "-o", ""),
        ("import", ""),
        ("import", "a.json", "-o", ""),
        ("import", "a.json", "--architecture", ""),
        ("new", "", "--device", "l40s"),
        ("new", "a.json", "--device", "l40s", "-o", ""),
    ],
    ids=" ".join,
)
def test_an_empty_word_is_no_path(tmp_path, monkeypatch, capsys, words):
    """A variable that is not set must not stand for the folder that one is in, or for what nobody named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.plan").write_text("a = 1\n", encoding="utf-8")
    assert main(list(words)) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.startswith("capwright: [CW0160] an empty word is no path\n  help: ")) == (
        "",
        True,
    )
    assert os.listdir(tmp_path) == ["a.plan"]


def test_a_field_is_told_by_what_has_it(tmp_path):
    (tmp_path / "a.plan").write_text("use std\nx = 1\n")
    told = run("explain", "a.plan", "residence", cwd=tmp_path)
    assert told.code == 2
    assert (
        "it is a field of `request_class`: `capwright explain a.plan request_class` tells what it is"
        in told.err
    )
    assert "residence : s" in run("explain", "a.plan", "request_class", cwd=tmp_path).out


@pytest.mark.parametrize("name", VERDICTS)
def test_the_words_of_verdicts_are_told(tmp_path, name):
    told = run("explain", name, cwd=tmp_path)
    assert (told.code, told.err) == (0, "")
    assert VERDICTS[name].written in told.out
    assert f"section {VERDICTS[name].section}" in told.out
