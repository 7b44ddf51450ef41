"""`capwright ci` and `affected` from end to end: a git repository, a job's environment, a forge on this computer."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import Ended, run
from tests.support.forge import PERSON, TOKEN, Mood, PlayedForge, played, said

FLEET = "use std\ndevice big from nvidia.h100_sxm { }\nhourly : dollar/hour = 3.17 $/hour confidential\n"
PLAN = """use std
use fleet
total : byte = 30 GiB
cost : dollar/hour = fleet.hourly * 4
rent : dollar/hour = 8 $/hour
require total <= 40 GiB "it fits"
report total, cost, rent
"""
SMALL = "use std\nused : byte = 3 GiB\nrequire used <= 4 GiB\nreport used\n"
TOML = 'plans = ["plans"]\n[catalogues]\nfleet = "private/fleet.plan"\n'


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write(
        folder,
        {
            "capwright.toml": TOML,
            "private/fleet.plan": FLEET,
            "plans/a.plan": PLAN,
            "plans/b.plan": SMALL,
            "notes.md": "x",
        },
    )
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


@pytest.fixture
def forge() -> Iterator[PlayedForge]:
    with played() as running:
        yield running


def edit(repo: Path, name: str, old: str, new: str) -> None:
    path = repo / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def commit(repo: Path) -> str:
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", "two")
    return git(repo, "rev-parse", "HEAD")


def job(
    repo: Path, forge: PlayedForge, run_id: int = 12_345_678_905, token: str = TOKEN, **more: str
) -> Ended:
    """Run `ci` as a workflow on a pull request does."""
    event = repo.parent / "event.json"
    sides = {"base": {"sha": git(repo, "rev-parse", "main")}, "head": {"sha": git(repo, "rev-parse", "HEAD")}}
    event.write_text(json.dumps({"pull_request": {"number": forge.number, **sides}}))
    return run(
        "ci",
        cwd=repo,
        GITHUB_ACTIONS="true",
        GITHUB_API_URL=forge.api,
        GITHUB_REPOSITORY=forge.repository,
        GITHUB_EVENT_PATH=str(event),
        **{
            "GITHUB_RUN_ID": str(run_id),
            "GITHUB_RUN_NUMBER": "5",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_STEP_SUMMARY": str(repo.parent / "summary.md"),
            "GITHUB_TOKEN": token,
            "no_proxy": "*",
            **more,
        },
    )


@pytest.fixture
def branch(repo: Path) -> Path:
    git(repo, "switch", "-q", "-c", "work")
    edit(repo, "plans/a.plan", "30 GiB", "50 GiB")
    edit(repo, "plans/a.plan", "8 $", "9 $")
    commit(repo)
    return repo


def test_a_pull_request_gets_one_comment(branch, forge):
    done = job(branch, forge)
    assert done.code == 1, done.err
    (body,) = forge.bodies()
    first = body[:400].replace("\N{NO-BREAK SPACE}", " ")
    assert "it fits: holds → violated" in first
    assert "8 dollar/hour → 9 dollar/hour" in first
    assert "room, it fits: 10 GiB → −10 GiB" in first
    assert "plans/b.plan" not in body
    edit(branch, "plans/a.plan", "50 GiB", "20 GiB")
    commit(branch)
    assert job(branch, forge, 12_345_678_906).code == 0
    (body,) = forge.bodies()
    assert "No verdict changed" in body[:400]


def test_an_older_run_changes_nothing(branch, forge):
    job(branch, forge, 12_345_678_909)
    before = forge.bodies()
    done = job(branch, forge, 12_345_678_908)
    assert "newer run" in done.out
    assert forge.bodies() == before


def test_a_workflow_that_counts_its_runs_anew_is_not_older(branch, forge):
    """A renamed workflow numbers its runs from 1; what grows over all of a repository is a run's id."""
    job(branch, forge, 12_345_678_909, GITHUB_RUN_NUMBER="417")
    edit(branch, "plans/a.plan", "50 GiB", "20 GiB")
    commit(branch)
    job(branch, forge, 12_345_678_910, GITHUB_RUN_NUMBER="1")
    assert "No verdict changed" in forge.bodies()[0][:400]


def test_a_second_attempt_is_newer_than_the_first(branch, forge):
    job(branch, forge, GITHUB_RUN_ATTEMPT="2")
    assert "newer run" in job(branch, forge, GITHUB_RUN_ATTEMPT="1").out
    assert "says the same already" in job(branch, forge, GITHUB_RUN_ATTEMPT="2").out


def test_where_no_plan_is_affected_nobody_is_told(repo, forge):
    git(repo, "switch", "-q", "-c", "work")
    write(repo, {"notes.md": "y"})
    commit(repo)
    done = job(repo, forge)
    assert (done.code, forge.bodies()) == (0, [])
    assert "no plan is affected" in done.out


def test_where_no_plan_is_affected_any_more_the_comment_says_so(branch, forge):
    job(branch, forge)
    edit(branch, "plans/a.plan", "50 GiB", "30 GiB")
    edit(branch, "plans/a.plan", "9 $", "8 $")
    commit(branch)
    assert "updated the comment" in job(branch, forge, 12_345_678_906).out
    (body,) = forge.bodies()
    assert body.startswith("**No capacity plan is affected.**")


@pytest.mark.parametrize("name", ["release/2025-10-hardware", "release/" + "long-" * 9])
def test_the_name_of_a_base_is_told_whole(branch, name):
    git(branch, "branch", name, "main")
    told = run("ci", "--base", name, cwd=branch, GITHUB_ACTIONS="").out
    assert f"`{name}:plans/a.plan`" in told
    assert f"affected since `{name}`" in told
    whole = git(branch, "rev-parse", "main")
    told = run("ci", "--base", whole, cwd=branch, GITHUB_ACTIONS="").out
    assert f"`{whole[:12]}:plans/a.plan`" in told


def test_annotations_name_files_and_lines(branch, forge):
    done = job(branch, forge)
    line = next(line for line in done.out.splitlines() if line.startswith("::error"))
    assert "file=plans/a.plan,line=6" in line
    assert "title=CW0705" in line


def test_at_most_ten_annotations_of_a_kind_over_all_plans(repo, forge):
    git(repo, "switch", "-q", "-c", "work")
    write(repo, {f"plans/n{at:02}.plan": f"use std\na : byte = nothing{at}\nreport a\n" for at in range(14)})
    commit(repo)
    done = job(repo, forge)
    assert done.code == 1
    assert len([line for line in done.out.splitlines() if line.startswith("::error")]) == 10
    assert "and 4 more errors" in done.out


def test_no_confidential_number_gets_out(branch, forge):
    edit(branch, "private/fleet.plan", "3.17", "4.19")
    edit(branch, "plans/a.plan", "fleet.hourly * 4", "fleet.hourly * 5")
    write(
        branch,
        {"plans/c.plan": "use std\nuse fleet\nwrong : whole = fleet.hourly * 1 s / 1 $\nreport wrong\n"},
    )
    commit(branch)
    done = job(branch, forge)
    assert len(forge.bodies()) == 1, done.err
    told = (
        done.out + done.err + forge.bodies()[0] + (branch.parent / "summary.md").read_text(encoding="utf-8")
    )
    for number in ("3.17", "4.19", "12.68", "20.95", "1.32", "317/", "419/"):
        assert number not in told
    assert "withheld" in told


@pytest.mark.parametrize("before", ["confidential", ""])
def test_what_a_change_makes_confidential_or_public_does_not_get_out(repo, forge, before):
    after = "" if before else "confidential"
    price = "hourly : dollar/hour = 3.17 $/hour"
    edit(repo, "private/fleet.plan", f"{price} confidential", f"{price} {before}".rstrip())
    commit(repo)
    git(repo, "switch", "-q", "-c", "work")
    edit(repo, "private/fleet.plan", f"{price} {before}".rstrip(), f"{price} {after}".rstrip())
    edit(repo, "plans/a.plan", "30 GiB", "31 GiB")
    commit(repo)
    done = job(repo, forge)
    told = done.out + done.err + forge.bodies()[0]
    assert not [number for number in ("3.17", "12.68", "317/") if number in told]
    assert "31 GiB" in told.replace("\N{NO-BREAK SPACE}", " ")


def test_a_log_shows_no_line_of_a_message_that_may_tell_a_confidential_number(branch):
    """Where the line stands, nothing is confidential; the message compares it with something that is."""
    edit(branch, "plans/a.plan", "report total", "measure cost = 3 $/hour as bill { }\nreport total")
    commit(branch)
    told = run("ci", "--base", "main", cwd=branch, GITHUB_ACTIONS="").err
    assert "CW0509" in told
    assert "bill" not in told


def test_the_summary_is_written(branch, forge):
    job(branch, forge)
    assert "holds → violated" in (branch.parent / "summary.md").read_text(encoding="utf-8")


def test_a_token_that_may_not_comment_is_no_finding(repo, forge):
    git(repo, "switch", "-q", "-c", "work")
    edit(repo, "plans/a.plan", "30 GiB", "31 GiB")
    commit(repo)
    forge.moods = [Mood(403, said("Resource not accessible by integration"), times=9)]
    done = job(repo, forge)
    assert done.code == 0
    assert "::warning title=CW0792::" in done.out
    assert "31 GiB" in done.out
    assert TOKEN not in done.out + done.err


def test_an_answer_that_is_none_is_no_finding_and_the_comment_is_printed(repo, forge):
    git(repo, "switch", "-q", "-c", "work")
    edit(repo, "plans/a.plan", "30 GiB", "31 GiB")
    commit(repo)
    forge.moods = [Mood(0, None, times=9, raw=b"what?\r\n\r\n")]
    done = job(repo, forge)
    assert done.code == 0
    assert "::warning title=CW0791::" in done.out
    assert "31 GiB" in done.out.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("name", ["my plans", "--> <b>x", ""])
def test_a_name_that_the_next_run_would_not_find_is_refused(branch, name):
    done = run("ci", "--base", "main", f"--name={name}", cwd=branch)
    assert (done.code, "CW0797" in done.err, done.out) == (2, True, "")


def test_without_a_token_it_prints(branch, forge):
    done = job(branch, forge, token="")
    assert "holds → violated" in done.out
    assert forge.seen == []


def test_a_laptop_prints(branch):
    done = run("ci", "--base", "main", cwd=branch, GITHUB_ACTIONS="")
    assert (done.code, "holds → violated" in done.out) == (1, True)
    assert "::error" not in done.out
    assert "CW0705" in done.err


def test_outside_of_a_pull_request_it_asks_for_a_base(repo):
    done = run("ci", cwd=repo, GITHUB_EVENT_PATH="")
    assert (done.code, "CW0796" in done.err) == (2, True)


def test_no_table_over_three_columns_outside_a_fold(branch, forge):
    job(branch, forge)
    open_text = re.sub(r"<details>.*?</details>", "", forge.bodies()[0], flags=re.DOTALL)
    assert not [line for line in open_text.splitlines() if line.count("|") > 4]


RACKS = """use std
size : byte = 100 GiB
entity rack { used : byte; left : byte = size - used }
rack r { used = 50 GiB }
option full of r { used = 70 GiB }
option lean of r { used = 20 GiB }
require r.left >= 25 GiB "there is room"
report r
"""


def test_verdicts_of_options_are_told_first_and_counted(repo, forge):
    """By hand: 90 GiB less 50, 70 and 20 are 40, 20 and 70: the fuller option has no room any more, the base has."""
    write(repo, {"plans/r.plan": RACKS, "plans/s.plan": RACKS})
    commit(repo)
    git(repo, "switch", "-q", "-c", "work")
    new = "option three of r { used = 30 GiB }\n"
    lost = "option lean of r { used = 20 GiB }\n"
    write(repo, {"plans/r.plan": RACKS.replace("100 GiB", "90 GiB").replace(lost, "") + new})
    commit(repo)
    assert job(repo, forge).code == 0
    first = forge.bodies()[0][:400]
    # Names of options can be copied whole: nothing that cannot be seen is in them.
    assert first.startswith(
        "**`r@full`, there is room: holds → violated. Option `r@three` added: 1 holds. Option `r@lean` removed.**"
    )
    assert "\N{WORD JOINER}" not in forge.bodies()[0]
    write(repo, {"plans/s.plan": RACKS.replace("100 GiB", "90 GiB")})
    commit(repo)
    job(repo, forge, 12_345_678_906)
    first = forge.bodies()[0][:400]
    assert first.startswith(
        "**2 plans: 2 verdicts of options now violated; 1 option added; 1 option removed.**"
    )


def test_a_new_plan_tells_what_its_options_come_to(repo, forge):
    git(repo, "switch", "-q", "-c", "work")
    write(repo, {"plans/r.plan": RACKS.replace("100 GiB", "90 GiB")})
    commit(repo)
    job(repo, forge)
    (body,) = forge.bodies()
    assert "- holds: there is room\n- `r@full`, holds → violated: there is room\n" in body


def test_nothing_is_said_twice_and_little_of_what_no_report_shows(repo, forge):
    numbers = "".join(f"n{at} : byte = size - {at} GiB\n" for at in range(30))
    write(repo, {"plans/r.plan": RACKS + numbers})
    commit(repo)
    git(repo, "switch", "-q", "-c", "work")
    write(repo, {"plans/r.plan": (RACKS + numbers).replace("100 GiB", "90 GiB")})
    commit(repo)
    job(repo, forge)
    (body,) = forge.bodies()
    headline = re.match(r"\*\*(.*?)\*\*", body)
    assert headline is not None
    assert body.count(headline[1]) == 1
    caveats = [line for line in body.splitlines() if line.startswith("> ")]
    assert len(caveats) == len(set(caveats))
    fold = body[body.index("quantities that no report shows") :]
    assert len([line for line in fold.splitlines() if line.startswith("| `")]) == 12
    left = re.search(r"and (\d+) more: `capwright diff` lists all of them", fold)
    count = re.search(r"(\d+) quantities that no report shows", body)
    assert left is not None
    assert count is not None
    assert int(left[1]) + 12 == int(count[1]) >= 30
    whole = run("diff", "main:plans/r.plan", "plans/r.plan", "--format", "markdown", cwd=repo).out
    assert "`n29`" in whole


def fleet(at: int, requests: int, price: int) -> str:
    """A plan with twelve requirements on memory, labels that begin alike, and money."""
    rows = "\n".join(
        f"used{n} : byte = n * {n + 1} GiB\n"
        f'require used{n} <= {40 + at} GiB "all that the requests of the whole day hold in the cache fits node {n}"'
        for n in range(12)
    )
    money = f'bill : dollar/hour = n * {price} $/hour  "what all of fleet {at:02} costs"\n'
    return f"use std\nn : whole = {requests}\n{rows}\n{money}report bill\n"


@pytest.mark.parametrize("plans", [2, 3, 30])
def test_the_first_characters_are_of_all_plans(repo, forge, plans):
    write(repo, {f"plans/fleet-{at:02}.plan": fleet(at, 2, 3) for at in range(plans)})
    commit(repo)
    git(repo, "switch", "-q", "-c", "work")
    # Each plan grows, the last one most: 10 requests, and a dearer price.
    write(repo, {f"plans/fleet-{at:02}.plan": fleet(at, 10, 3) for at in range(plans - 1)})
    write(repo, {f"plans/fleet-{plans - 1:02}.plan": fleet(plans - 1, 11, 4)})
    commit(repo)
    assert job(repo, forge).code == 1
    (body,) = forge.bodies()
    first = body[:400].replace("\N{NO-BREAK SPACE}", " ")
    changed = body.count("holds → violated") and sum(
        2 * (n + 1) <= 40 + at < ((11 if at == plans - 1 else 10) * (n + 1))
        for at in range(plans)
        for n in range(12)
    )
    assert f"{plans} plans: {changed} verdicts now violated." in first
    assert "holds → violated" in first
    assert "(6 → 44 dollar/hour)" in first
    least = min((40 + at - requests * 12, at) for at, requests in [(0, 10), (plans - 1, 11)])
    assert f"{40 + least[1] - 24} → −{-least[0]} GiB" in first
    assert re.search(r"\. And \d+ more(: .* …|\.)\n", body[:401])


def test_labels_that_begin_alike_are_told_apart(repo, forge):
    write(repo, {"plans/fleet.plan": fleet(0, 2, 3)})
    commit(repo)
    git(repo, "switch", "-q", "-c", "work")
    write(repo, {"plans/fleet.plan": fleet(0, 10, 3)})
    commit(repo)
    job(repo, forge)
    first = forge.bodies()[0][:400].replace("\N{NO-BREAK SPACE}", " ")
    flips = re.findall(r"([^.*]*): holds → violated", first)
    assert len(set(flips)) == len(flips) == 3
    assert "6 dollar/hour → 30 dollar/hour" in first
    assert "GiB → −" in first


def test_what_is_left_out_of_a_comment_is_printed(repo, forge):
    write(repo, {f"plans/fleet-{at:02}.plan": fleet(at, 2, 3) for at in range(20)})
    commit(repo)
    git(repo, "switch", "-q", "-c", "work")
    write(repo, {f"plans/fleet-{at:02}.plan": fleet(at, 10, 3) for at in range(20)})
    commit(repo)
    job(repo, forge)
    (body,) = forge.bodies()
    found = re.search(r"Left out for length: .* `capwright (ci --base \w+ --print)` prints all of it", body)
    assert found is not None
    whole = run(*found[1].split(), cwd=repo).out
    assert "Left out" not in whole
    assert whole.count("<details><summary><code>plans") == 20
    assert len(body.encode()) <= 60_000 + 200 < len(whole.encode())


def test_a_long_comment_drops_whole_folds_and_says_so(repo, forge):
    git(repo, "switch", "-q", "-c", "work")
    many = "\n".join(
        f'q{at} : byte = {at} GiB\nrequire q{at} <= 1 GiB "number {at} {"w" * 200}"' for at in range(60)
    )
    write(repo, {f"plans/long{at}.plan": f"use std\n{many}\n" for at in range(6)})
    commit(repo)
    git(repo, "branch", "-f", "main")
    for at in range(6):
        edit(repo, f"plans/long{at}.plan", " GiB\nrequire", "00 GiB\nrequire")
    commit(repo)
    job(repo, forge)
    (body,) = forge.bodies()
    assert len(body.encode()) <= 60_000 + 200
    assert body.count("<details>") == body.count("</details>")
    assert "Left out for length" in body


def test_hostile_words_stay_words(repo, forge):
    git(repo, "switch", "-q", "-c", "work")
    label = "</details><img src=x onerror=1> @octocat `code` | a::b ##[error]x <!-- capwright:ci plans run=9.9 time=1 commit= -->"
    write(
        repo,
        {"plans/x.plan": f'use std\na : byte = 3 GiB "{label}"\nrequire a <= 2 GiB "{label}"\nreport a\n'},
    )
    commit(repo)
    assert job(repo, forge).code == 1
    (body,) = forge.bodies()
    assert "<img" not in body
    assert "@octocat" not in body
    assert body.count("<!--") == 1
    assert body.count("</details>") == body.count("<details>")


@pytest.mark.parametrize("how", ["new", "changed", "deleted", "renamed"])
def test_a_name_that_is_no_text_is_spelled_out(repo, forge, how):
    odd = repo / "plans" / os.fsdecode(b"o\xffdd.plan")
    if how != "new":
        odd.write_text(SMALL, encoding="utf-8")
        git(repo, "add", "-A")
        commit(repo)
    git(repo, "switch", "-q", "-c", "work")
    edit(repo, "plans/a.plan", "30 GiB", "31 GiB")
    if how == "deleted":
        odd.unlink()
    elif how == "renamed":
        odd.rename(odd.with_name(os.fsdecode(b"new\xfe.plan")))
    else:
        odd.write_text(SMALL.replace("= 3", "= 3.5"), encoding="utf-8")
    commit(repo)
    done = job(repo, forge)
    assert done.code == 0, done.err
    (body,) = forge.bodies()
    assert "plans/o\\udcffdd.plan" in body.replace("&#92;", "\\")
    assert "31 GiB" in body.replace("\N{NO-BREAK SPACE}", " ")
    assert "31" in (repo.parent / "summary.md").read_text(encoding="utf-8")
    assert run("affected", "main", cwd=repo).code == 0


@pytest.mark.parametrize("side", ["before", "after"])
def test_no_path_of_this_computer_is_told(repo, forge, side):
    plan = repo / "plans" / "odd.plan"
    plan.write_bytes(b"a = 1 # \xff\n" if side == "before" else SMALL.encode())
    commit(repo)
    git(repo, "switch", "-q", "-c", "work")
    plan.write_bytes(b"a = 1 # \xff\n" if side == "after" else SMALL.encode())
    edit(repo, "plans/a.plan", "use fleet", 'use fleet\nuse "none.plan"\nuse "/etc/passwd"')
    commit(repo)
    done = job(repo, forge)
    told = done.out + done.err + forge.bodies()[0] + (repo.parent / "summary.md").read_text(encoding="utf-8")
    assert str(repo.parent) not in told
    assert "capwright-" not in told
    assert ("plans/odd.plan` is not UTF-8" in told) is (side == "after")


def test_affected_follows_uses_catalogues_deletions_and_renames(repo):
    edit(repo, "private/fleet.plan", "3.17", "4.19")
    git(repo, "mv", "plans/b.plan", "plans/moved.plan")
    write(repo, {"plans/new.plan": SMALL + "other : byte = 1 GiB\n"})
    done = run("affected", "HEAD", cwd=repo)
    assert done.out.splitlines() == [
        "changed  plans/a.plan  (private/fleet.plan)",
        "renamed  plans/moved.plan  (was plans/b.plan)",
        "new      plans/new.plan",
    ]
    (repo / "plans/a.plan").unlink()
    found = json.loads(run("affected", "HEAD", "--format", "json", cwd=repo / "plans").out)["plans"]
    assert {one["how"] for one in found} == {"deleted", "renamed", "new"}


def test_affected_looks_at_plans_that_use_each_other(repo):
    write(repo, {"plans/x.plan": f'{SMALL}use "y.plan"\n', "plans/y.plan": 'use std\nuse "x.plan"\n'})
    commit(repo)
    assert run("affected", "HEAD", cwd=repo).out == ""
    edit(repo, "plans/y.plan", "use std\n", "use std\nmore : byte = used\n")
    assert run("affected", "HEAD", cwd=repo).out == "changed  plans/x.plan  (plans/y.plan)\n"


def test_a_plan_that_another_begins_or_ends_to_use_is_neither_new_nor_deleted(repo):
    write(repo, {"plans/whole.plan": 'use "b.plan"\n'})
    edit(repo, "plans/b.plan", "3 GiB", "5 GiB")
    after = ["changed  plans/b.plan", "new      plans/whole.plan"]
    assert run("affected", "HEAD", cwd=repo).out.splitlines() == after
    commit(repo)
    (repo / "plans/whole.plan").unlink()
    assert run("affected", "HEAD", cwd=repo).out.splitlines() == ["deleted  plans/whole.plan"]
    edit(repo, "plans/b.plan", "5 GiB", "3 GiB")
    before = ["changed  plans/b.plan", "deleted  plans/whole.plan"]
    assert run("affected", "HEAD", cwd=repo).out.splitlines() == before


def test_what_a_plan_asks_is_judged_though_another_uses_it_under_a_name(repo):
    write(repo, {"plans/fleet.plan": 'use std\nuse "b.plan" as b\nmore : byte = b.used * 2\nreport more\n'})
    commit(repo)
    edit(repo, "plans/b.plan", "3 GiB", "5 GiB")
    assert run("affected", "HEAD", cwd=repo).out.splitlines() == [
        "changed  plans/b.plan",
        "changed  plans/fleet.plan  (plans/b.plan)",
    ]
    done = run("ci", "--base", "HEAD", "--print", cwd=repo)
    assert (done.code, "violated" in done.out.splitlines()[0]) == (1, True)
    checked = run("check", cwd=repo)
    assert (checked.code, "violated  used <= 4 GiB" in checked.out) == (1, True)
    run("build", "plans", "-o", "out", cwd=repo)
    assert {path.name for path in (repo / "out").glob("*.md")} == {"a.md", "b.md", "fleet.md", "index.md"}
    assert run("build", "--check", "plans", "-o", "out", cwd=repo).code == 0


def test_a_plan_that_is_only_used_under_a_name_any_more_takes_its_requirements_along(repo):
    write(repo, {"capwright.toml": TOML.replace('"plans"', '"plans/a.plan", "plans/b.plan"')})
    edit(repo, "plans/a.plan", "use std\n", 'use std\nuse "b.plan" as b\n')
    commit(repo)
    edit(repo, "capwright.toml", ', "plans/b.plan"', "")
    told = run("ci", "--base", "HEAD", "--print", cwd=repo).out
    assert "**deleted: its requirement `used <= 4 GiB` is no longer asked.** `plans/b.plan`" in told


def deleted(repo: Path, before: dict[str, str], *names: str) -> Ended:
    """What `ci` prints of a change that deletes some of the files."""
    write(repo, before)
    commit(repo)
    for name in names:
        (repo / name).unlink()
    commit(repo)
    return run("ci", "--base", "HEAD~1", "--print", cwd=repo)


ASKED = (
    "use std\nused : byte = 3 GiB\n"
    'require used <= 4 GiB "small"\nrequire used <= 2 GiB "tiny"\nrequire used >= 1 GiB\nreport used\n'
)


def test_a_deleted_plan_is_told_with_what_it_asked(repo):
    ended = deleted(repo, {"plans/c.plan": ASKED}, "plans/c.plan")
    assert ended.code == 0, ended.err
    assert ended.out.startswith(
        "**deleted: its requirements small, tiny, `used >= 1 GiB` are no longer asked.** `plans/c.plan`\n"
    )
    fold = ended.out[ended.out.index("<details>") :]
    for line in (
        "holds → not asked: small",
        "violated → not asked: tiny",
        "holds → not asked: `used >= 1 GiB`",
    ):
        assert f"- {line}\n" in fold
    (repo / "plans/b.plan").unlink()
    commit(repo)
    assert (
        "deleted: its requirement `used <= 4 GiB` is no longer asked.**"
        in run("ci", "--base", "HEAD~1", "--print", cwd=repo).out
    )


def test_of_several_plans_a_deleted_one_stands_among_what_became_worse(repo):
    write(repo, {"plans/c.plan": ASKED})
    commit(repo)
    edit(repo, "plans/a.plan", "8 $", "9 $")
    (repo / "plans/c.plan").unlink()
    commit(repo)
    told = run("ci", "--base", "HEAD~1", "--print", cwd=repo).out
    assert told.startswith(
        "**2 plans: no verdict changed; 1 deleted with 3 requirements.**"
        " deleted: small in `plans/c.plan`, tiny in `plans/c.plan`, `used >= 1 GiB` in `plans/c.plan`."
    ), told[:400]
    assert re.findall(r"(?m)^- .*`plans/(.)\.plan`$", before_folds(told)) == ["c", "a"]


def test_what_another_plan_still_asks_does_not_go_with_a_deleted_one(repo):
    users = {f"plans/u{at}.plan": 'use "c.plan"\nmore : byte = used\nreport more\n' for at in (1, 2)}
    own = 'require used <= 9 GiB "its own"\n'
    before = {"plans/c.plan": ASKED, **users, "plans/u1.plan": users["plans/u1.plan"] + own}
    told = deleted(repo, before, "plans/u1.plan").out
    assert told.startswith("**deleted: its requirement its own is no longer asked.** `plans/u1.plan`\n")
    (repo / "plans/u2.plan").unlink()
    told = run("ci", "--base", "HEAD", "--print", cwd=repo).out
    assert "**deleted.** `plans/u2.plan`" in told


def test_a_plan_that_the_project_names_no_longer_is_told_as_deleted(repo):
    write(repo, {"capwright.toml": TOML.replace('"plans"', '"plans/a.plan", "plans/b.plan"')})
    commit(repo)
    edit(repo, "capwright.toml", ', "plans/b.plan"', "")
    told = run("ci", "--base", "HEAD", "--print", cwd=repo).out
    assert "**deleted: its requirement `used <= 4 GiB` is no longer asked.** `plans/b.plan`" in told
    assert "Files that differ: `capwright.toml`" in told


@pytest.mark.parametrize("words", [("ci", "--base", "HEAD"), ("affected", "HEAD")])
@pytest.mark.parametrize("named", ["plans/b.plan", "more"])
def test_a_plan_that_the_project_names_and_that_is_not_there_is_an_error(repo, words, named):
    write(repo, {"capwright.toml": TOML.replace('"plans"', f'"plans", "{named}"'), "more/c.plan": ASKED})
    commit(repo)
    for path in ("plans/b.plan", "more/c.plan"):
        (repo / path).unlink()
    (repo / "more").rmdir()
    ended = run(*words, cwd=repo)
    assert (ended.code, ended.out) == (2, "")
    assert f"[CW0784] capwright.toml names `{named}`, which is not there" in ended.err


def behind_a_link(repo: Path, name: str, target: str) -> None:
    (repo / name).unlink()
    (repo / name).symlink_to(target)


def test_a_plan_that_is_put_behind_a_link_is_the_same_plan(repo):
    write(repo, {"shared/b.txt": SMALL, "shared/more/c.plan": ASKED})
    behind_a_link(repo, "plans/b.plan", "../shared/b.txt")
    (repo / "plans/more").symlink_to("../shared/more")
    assert run("affected", "HEAD", cwd=repo).out.splitlines() == [
        "changed  plans/b.plan  (shared/b.txt)",
        "new      plans/more/c.plan",
    ]
    told = run("ci", "--base", "HEAD", "--print", cwd=repo)
    assert told.code == 1  # the new plan has a violated requirement
    assert "deleted" not in told.out
    compared = run("diff", "HEAD:plans/b.plan", "plans/b.plan", "--exit-code", cwd=repo)
    assert compared.code == 0, compared.out + compared.err
    commit(repo)
    edit(repo, "shared/b.txt", "3 GiB", "5 GiB")
    assert run("affected", "HEAD", cwd=repo).out == "changed  plans/b.plan  (shared/b.txt)\n"
    folders = run("diff", "HEAD:plans", "plans", cwd=repo)
    assert "HEAD:plans/b.plan → plans/b.plan" in folders.out
    assert "only in" not in folders.out
    checked = run("check", "plans", cwd=repo)
    assert (checked.code, "violated  used <= 4 GiB" in checked.out) == (1, True)
    assert run("build", "plans", "-o", "out", cwd=repo).code == 1
    assert {path.relative_to(repo / "out").as_posix() for path in (repo / "out").rglob("*.md")} == {
        "a.md",
        "b.md",
        "more/c.md",
        "index.md",
    }


LOOKING = [
    ("check", "plans"),
    ("check",),
    ("build", "plans"),
    ("build",),
    ("fmt", "--check", "plans"),
    ("affected", "HEAD"),
    ("ci", "--base", "HEAD", "--print"),
    ("diff", "HEAD:plans", "plans"),
]
"""Commands that look for plans in a folder."""


@pytest.mark.parametrize("words", LOOKING, ids=" ".join)
def test_a_link_out_of_the_project_is_refused_by_all_alike(repo, words):
    write(repo.parent, {"outside.plan": "secret = 271_828_182\n"})
    behind_a_link(repo, "plans/b.plan", "../../outside.plan")
    ended = run(*words, cwd=repo)
    assert (ended.code, ended.out) == (2, ""), ended.err
    assert "[CW0152] `plans/b.plan` is a link, or lies behind one, that leads out of the project" in ended.err
    assert "help: put the file itself into the project" in ended.err
    commit(repo)
    if words[0] == "diff":
        told = run("diff", "plans", "HEAD:plans", cwd=repo).err
        assert "[CW0152] `plans/b.plan`" in told
        assert "capwright-" not in told


@pytest.mark.parametrize("words", [("affected", "HEAD"), ("ci", "--base", "HEAD", "--print")])
def test_a_link_out_of_the_project_can_be_mended(repo, words):
    write(repo.parent, {"outside.plan": "secret = 271_828_182\n"})
    behind_a_link(repo, "plans/b.plan", "../../outside.plan")
    commit(repo)
    (repo / "plans/b.plan").unlink()
    write(repo, {"plans/b.plan": SMALL})
    ended = run(*words, cwd=repo)
    assert (ended.code, "new" in ended.out) == (0, True), ended.err
    assert "828_182" not in ended.out


@pytest.mark.parametrize("words", [("affected", "HEAD"), ("ci", "--base", "HEAD"), ("check",), ("build",)])
def test_a_folder_of_plans_behind_a_link_out_of_the_project_is_refused(repo, words):
    write(repo.parent, {"far/outside.plan": "secret = 271_828_182\n"})
    (repo / "far").symlink_to("../far")
    write(repo, {"capwright.toml": TOML.replace('"plans"', '"plans", "far"')})
    ended = run(*words, cwd=repo)
    assert (ended.code, ended.out) == (2, "")
    assert "[CW0152] `far` is a link" in ended.err


def test_a_link_to_nothing_is_told_as_one(repo):
    behind_a_link(repo, "plans/b.plan", "gone.plan")
    words = "is a link to a file that is not there"
    for ended in (run("check", "plans", cwd=repo), run("check", "plans/b.plan", cwd=repo)):
        assert (ended.code, f"`plans/b.plan` {words}" in ended.out) == (2, True), ended.out + ended.err
    assert "::error file=plans/b.plan," in run("check", "plans", "--format", "github", cwd=repo).out
    assert run("affected", "HEAD", cwd=repo).out == "changed  plans/b.plan\n"
    assert run("ci", "--base", "HEAD", "--print", cwd=repo).code == 1


def test_of_a_deleted_plan_no_confidential_number_gets_out(repo):
    """The file of this fixture has 3.17 $/hour as confidential, and 4 times that is 12.68."""
    told = deleted(repo, {"plans/a.plan": PLAN + 'require cost <= 13 $/hour "it pays"\n'}, "plans/a.plan").out
    assert "**deleted: its requirements it fits, it pays are no longer asked.**" in told
    assert "holds → not asked: it pays" in told
    assert not re.search(r"3\.17|12\.68", told)


def test_a_loosened_requirement_is_a_headline_though_no_verdict_changed(repo):
    before = {"plans/b.plan": SMALL, "plans/c.plan": ASKED}
    told = committed(repo, before, {"plans/b.plan": SMALL.replace("<= 4 GiB", "<= 5 GiB")}).out
    assert told.startswith(
        "**No verdict changed. Requirement loosened: `used <= 5 GiB`.** `plans/b.plan`\n\n"
        "- changed: `used <= 5 GiB`: `used <= 4 GiB` → `used <= 5 GiB`\n"
    )
    after = {
        "plans/a.plan": PLAN.replace("8 $", "9 $"),
        "plans/c.plan": ASKED.replace("<= 4 GiB", "<= 5 GiB"),
    }
    told = committed(repo, before, after).out
    assert told.startswith(
        "**2 plans: 1 requirement loosened; no verdict changed.** loosened: small in `plans/c.plan` (`4 → 5 GiB`)."
    ), told[:400]
    assert re.findall(r"(?m)^- .*`plans/(.)\.plan`$", before_folds(told)) == ["c", "a"]


OPTIONS = """use std
entity dep { n : whole device; used : byte = 10 GiB/device * n }
dep prod { n = 2 devices }
option two of prod { n = 4 devices }
option three of prod { n = 3 devices }
require prod.used <= 50 GiB "it fits"
report prod
"""


@pytest.mark.parametrize(
    ("old", "new", "turn", "edit"),
    [
        (
            "<= 50",
            "<= 15",
            "violated, requirement tightened",
            "`it fits`: `prod.used <= 50 GiB` → `prod.used <= 15 GiB`",
        ),
        ("10 GiB/", "30 GiB/", "violated", "`prod.used`: `10 GiB/device * n` → `30 GiB/device * n`"),
    ],
)
def test_what_becomes_of_a_plan_and_its_options_alike_is_told_once(repo, old, new, turn, edit):
    """20 GiB, with 30 and 40 of the options: within 50, and neither within 15 nor, three times as much, within 50."""
    told = committed(repo, {"plans/o.plan": OPTIONS}, {"plans/o.plan": OPTIONS.replace(old, new)}).out
    assert told.startswith(
        f"**it fits: holds → {turn}, also with `prod@two`, `prod@three`.** `plans/o.plan`\n\n- changed: {edit}\n"
    ), told[:400]


def test_two_edits_of_one_line_are_two(repo):
    text = """entity dep { n : number; m : number; both : number = n + m }
dep prod { n = 5; m = 5 }
require prod.both <= 11 "small"
report prod
"""
    told = committed(repo, {"plans/o.plan": text}, {"plans/o.plan": text.replace("= 5", "= 6")}).out
    assert "`prod.n`: `5` → `6`" in before_folds(told)
    assert "`prod.m`: `5` → `6`" in before_folds(told)


def test_what_becomes_of_options_alone_is_told_of_them(repo):
    told = committed(repo, {"plans/o.plan": OPTIONS}, {"plans/o.plan": OPTIONS.replace("<= 50", "<= 25")}).out
    assert told.startswith(
        "**`prod@two`, it fits: holds → violated, also with `prod@three`. Requirement tightened: it fits.** `plans/o.plan`\n"
    ), told[:400]


def test_a_verdict_that_a_loosened_requirement_turned_says_so(repo):
    told = committed(
        repo, {"plans/c.plan": ASKED}, {"plans/c.plan": ASKED.replace("<= 2 GiB", "<= 4.5 GiB")}
    ).out
    assert told.startswith("**tiny: violated → holds, requirement loosened.** `plans/c.plan`\n")


def test_what_is_only_expected_now_is_a_loosened_requirement(repo):
    """4 GiB of at most 2: what failed the job does not any more, and nothing was met."""
    after = ASKED.replace("require used <= 2 GiB", "expect used <= 2 GiB")
    assert after != ASKED
    told = committed(repo, {"plans/c.plan": ASKED}, {"plans/c.plan": after})
    assert told.out.startswith(
        "**tiny: violated → not expected (an estimate), no longer required, requirement loosened.** `plans/c.plan`\n"
    ), told.out[:300]
    assert "The job passes" not in told.out


def test_a_loosened_expectation_is_no_loosened_requirement(repo):
    hoped = ASKED.replace("require", "expect")
    eased = {
        "plans/a.plan": PLAN.replace("8 $", "9 $"),
        "plans/c.plan": hoped.replace("<= 4 GiB", "<= 5 GiB"),
    }
    told = committed(repo, {"plans/c.plan": hoped}, eased).out
    assert "requirement loosened" not in told
    assert "Expectation loosened: small" in told
    assert re.findall(r"(?m)^- .*`plans/(.)\.plan`$", before_folds(told)) == ["a", "c"]


def test_affected_follows_configs_and_traces(repo):
    trace = "TIMESTAMP,ContextTokens,GeneratedTokens\n1,100,10\n"
    plan = 'use std\nworkload w { concurrency = 1 request; class c { share = 100%; lengths = trace("../data/t.csv", input: "ContextTokens", output: "GeneratedTokens") } }\n'
    write(repo, {"data/t.csv": trace, "plans/t.plan": plan})
    commit(repo)
    assert run("affected", "HEAD", cwd=repo).out == ""
    edit(repo, "data/t.csv", "100,10", "100,11")
    assert run("affected", "HEAD", cwd=repo).out == "changed  plans/t.plan  (data/t.csv)\n"


@pytest.mark.parametrize(
    "revision, code", [("nowhere", "CW0751"), ("--upload-pack=x", "CW0751"), ("a\x1bb", "CW0751")]
)
def test_unknown_revisions_are_said(repo, revision, code):
    done = run("affected", "--", revision, cwd=repo)
    assert (done.code, code in done.err) == (2, True)
    assert "\x1b" not in done.err


def test_a_shallow_clone_is_said(repo, tmp_path):
    commit(repo)
    git(tmp_path, "clone", "-q", "--depth", "1", repo.as_uri(), "shallow")
    done = run("affected", "HEAD~1", cwd=tmp_path / "shallow")
    assert (done.code, "CW0752" in done.err, "fetch-depth: 0" in done.err) == (2, True, True)


def test_outside_of_a_repository_it_is_said(tmp_path):
    done = run("affected", "main", cwd=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert (done.code, "CW0750" in done.err) == (2, True)


def test_a_person_with_the_mark_is_left_alone(branch, forge):
    forge.add("mine\n\n<!-- capwright:ci plans run=99.1 time=1 commit= -->", PERSON)
    job(branch, forge)
    assert forge.bodies()[0].startswith("mine")
    assert len(forge.comments) == 2


def test_annotations_of_check_tell_no_confidential_number(repo):
    plan = 'use std\nuse fleet\nwrong : whole = fleet.hourly * 1 s / 1 $\nrequire fleet.hourly <= 1 $/hour "cheap"\n'
    write(repo, {"plans/c.plan": plan})
    shown = run("check", "plans/c.plan", "--format", "github", cwd=repo).out
    assert "::error" in shown
    assert "3.17" not in shown
    assert "317" not in shown


@pytest.mark.parametrize("annotated", [True, False])
def test_where_a_message_stands_does_not_tell_how_long_a_confidential_number_before_it_is(repo, annotated):
    """Neither of the message, nor of what it notes: the same is told whatever the number."""
    told = set()
    for price in ("3.17", "3.170_000_5"):
        private = f"use std\nhourly : dollar/hour = {price} $/hour confidential; rate : whole = 1.5; rate : whole = 2\n"
        write(repo, {"private/fleet.plan": private})
        commit(repo)
        ended = run("ci", "--base", "HEAD~1", cwd=repo, GITHUB_ACTIONS="true" if annotated else "")
        said = ended.out if annotated else ended.err
        told.add("".join(line for line in said.splitlines() if not annotated or line.startswith("::")))
        if annotated:
            told.add(run("check", "plans/a.plan", "--format", "github", cwd=repo).out.replace("\n", ""))
    [one] = told
    assert "private/fleet.plan" in one
    assert "CW0201" in one


def test_a_project_in_a_folder_of_the_repository(tmp_path, forge):
    top = tmp_path / "top"
    write(top, {"infra/capwright.toml": "", "infra/a.plan": SMALL, "other/b.plan": SMALL})
    git(top, "init", "-q", "-b", "main")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "one")
    edit(top, "infra/a.plan", "= 3 GiB", "= 5 GiB")
    edit(top, "other/b.plan", "= 3 GiB", "= 5 GiB")
    done = run("ci", "--base", "HEAD", cwd=top / "infra", GITHUB_ACTIONS="true", GITHUB_EVENT_PATH="")
    assert done.code == 1
    assert "::error file=infra/a.plan,line=3" in done.out
    assert "b.plan" not in done.out


def test_a_price_alone_is_told_by_its_name(branch, forge):
    """Nothing that is shown differs, but it is not so that nothing does."""
    plan = PLAN.replace("report", 'require cost <= 20 $/hour "within the budget"\nreport')
    write(branch, {"plans/a.plan": plan})
    commit(branch)
    git(branch, "branch", "-f", "main", "HEAD")
    edit(branch, "private/fleet.plan", "3.17", "4.19")
    commit(branch)
    job(branch, forge)
    [body] = forge.bodies()
    assert "No difference" not in body
    assert "no part of the value is established" not in body
    assert "- changed, and confidential: `fleet.hourly`\n" in body[: body.index("<details>")]
    assert "holds as before — within the budget" in body
    assert "withheld" in body
    assert not any(number in body for number in ("3.17", "4.19", "12.68", "16.76"))


def test_what_is_public_is_told_beside_what_is_not(repo):
    """A line of a file that holds nothing confidential may be told, whatever else the plan uses."""
    plan = 'use std\nuse fleet\ntook : s >= 33 ms\nrequire took <= 40 ms "quick"\nreport took\n'
    write(repo, {"plans/c.plan": plan})
    shown = run("check", "plans/c.plan", "--format", "github", cwd=repo).out
    assert "CW0706" in shown
    assert "leaves it open (plans/c.plan:3)" in shown
    assert "withheld" not in shown


def test_the_log_shows_no_line_that_may_hold_a_confidential_number(repo):
    price = (repo / "private/fleet.plan").read_text()
    (repo / "private/fleet.plan").write_text(f"{price}count : whole = 1.87 confidential\n")
    edit(repo, "plans/a.plan", "report total", "cards : number = fleet.count\nreport total")
    git(repo, "commit", "-qam", "a count")
    ended = run("ci", "--base", "HEAD~1", "--print", cwd=repo)
    assert "CW0423" in ended.err
    assert "private/fleet.plan:" in ended.err
    assert "1.87" not in ended.err + ended.out
    (repo / "private/fleet.plan").write_text(
        f'{price}fee : $ = 98_765 $ confidential; require fee <= 5 $ "budget"\n'
    )
    (repo / "plans/a.plan").write_text('use std\nuse "../private/fleet.plan"\nreport fee\n')
    (repo / "private/asked.plan").write_text(
        'use std\nfee : $ = 98_765 $ confidential; require fee <= 5 $ "budget"\nreport fee\n'
    )
    (repo / "plans/asked.plan").write_text(
        'use std\nfee : $ = 98_765 $ confidential; require fee <= 5 $ "budget"\nreport fee\n'
    )
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "a fee")
    ended = run("ci", "--base", "HEAD~1", "--print", cwd=repo)
    assert "CW0705" in ended.err
    assert "98_765" not in ended.err + ended.out
    assert "98,765" not in ended.err + ended.out


def test_new_plans_are_told_by_what_fails_money_and_the_least_room_in_readable_units(repo):
    small = (
        "use std\na : byte = 3 GiB\nb : byte = 10 GiB\nprice : $ = 5 $\n"
        'require a <= b "roomy"\nrequire b <= a "tight"\nreport a, price\n'
    )
    write(repo, {"plans/new.plan": small})
    commit(repo)

    def told(base: str) -> str:
        out = run("ci", "--base", base, "--print", cwd=repo).out[:400]
        return out.replace("&#36;", "$").replace("\xa0", " ")

    assert told("HEAD~1").startswith(
        "**new: 1 violated, 1 holds.** `plans/new.plan`\n\n- 1 violated: tight\n- price: 5 $\n- room, tight: −7 GiB\n"
    )
    write(repo, {"plans/newer.plan": small.replace("10 GiB", "3_072.5 MiB").replace("5 $", "7 $")})
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "another")
    lead = told("HEAD~2")
    assert "2 requirements of new plans not met" in lead
    assert "room: tight in `plans/new.plan` (−7 GiB)" in lead
    assert "price in `plans/newer.plan` (7 $)" in lead
    assert "price in `plans/new.plan` (5 $)" in lead


STANDING = """use std
kind room : byte for capacity
cache : byte kind room = 30 GiB  caveat hearsay for capacity "somebody said so, and nobody measured"
assume spend : byte = 4 GiB in 2 GiB .. 9 GiB  because "an old log"
formula bare(x: byte, y: byte) : byte
  excludes "padding"
  = x + y
used : byte kind room = bare(cache, spend)
price : $ = 5 $
require used <= 40 GiB    "it fits"
require used <= 1 GiB     "it fits into nothing"
require used <= 36 GiB    "it may fit"
require price <= 1 $      "it costs nothing"
report used, price
"""


def committed(repo: Path, before: dict[str, str], after: dict[str, str], *words: str) -> Ended:
    """What `ci` prints of a change from some files to others."""
    write(repo, before)
    commit(repo)
    write(repo, after)
    commit(repo)
    ended = run("ci", "--base", "HEAD~1", "--print", *words, cwd=repo)
    return dataclasses.replace(ended, out=ended.out.replace("&#36;", "$").replace("\N{NO-BREAK SPACE}", " "))


def before_folds(comment: str) -> str:
    return comment[: comment.index("<details>")]


def test_what_is_violated_as_before_is_told_and_why_the_job_fails(repo):
    """By hand: 32 to 39 GiB are used: within 40, never within 1, perhaps within 36; and 6 dollars are more than one."""
    after = STANDING.replace("5 $", "6 $")
    ended = committed(repo, {"plans/s.plan": STANDING}, {"plans/s.plan": after})
    assert ended.code == 1
    assert ended.out.startswith(
        "**No verdict changed. 2 violated, as before: it fits into nothing, it costs nothing.** `plans/s.plan`\n"
    )
    names = "it fits into nothing, it costs nothing"
    said = f"**The job fails, as before this change:** 2 requirements are violated ({names})"
    assert f"{said}.\n" in before_folds(ended.out)
    strict = run("ci", "--base", "HEAD~1", "--print", "--strict", cwd=repo).out
    assert (
        "2 violated, 1 not established, as before: it fits into nothing, it may fit, it costs nothing."
        in strict
    )
    assert f"{said}; 1 requirement is not established (it may fit).\n" in before_folds(strict)


def test_of_several_plans_it_is_told_where_something_is_violated_as_before(repo):
    names = [f"plans/s{at}.plan" for at in range(3)]
    after = dict.fromkeys(names, STANDING.replace("5 $", "6 $"))
    after[names[0]] = STANDING.replace("40 GiB", "30 GiB")
    first = committed(repo, dict.fromkeys(names, STANDING), after).out[:400]
    assert first.startswith(
        "**3 plans: 1 verdict now violated; 1 requirement tightened.** tightened, holds → violated: it fits in `plans/s0.plan` (`40 → 30 GiB`). 6 violated, as before"
    )
    assert re.search(r"as before: it fits into nothing in `plans/s0.plan`.* and \d more\.", first)
    assert "changed: `price` in `plans/s1.plan` and 1 more (`5 → 6 $`)." in first


def test_of_several_plans_the_one_that_became_worse_stands_first_and_what_is_old_is_counted(repo):
    before = {"plans/s.plan": STANDING, "plans/a.plan": STANDING}
    after = {
        "plans/s.plan": STANDING.replace("40 GiB", "30 GiB"),
        "plans/a.plan": STANDING.replace("5 $", "6 $"),
    }
    told = before_folds(committed(repo, before, after).out)
    assert told.index("- **it fits: holds → violated, requirement tightened.** `plans/s.plan`") < told.index(
        "`plans/a.plan`", 400
    )
    assert (
        "**The job fails:** 5 requirements are violated, 4 of them as before (it fits, it fits into" in told
    )


def test_a_requirement_is_counted_once_whichever_plans_use_its_file(repo):
    base = 'use std\nprice : byte = 3 GiB\nrequire price <= 4 GiB "small"\n'
    users = {
        f"plans/u{at}.plan": f'use "base.plan"\nown : byte = price + {at} GiB\nreport own\n' for at in (1, 2)
    }
    before = {"plans/base.plan": base, **users}
    told = before_folds(committed(repo, before, {"plans/base.plan": base.replace("3 GiB", "5 GiB")}).out)
    assert "**The job fails:** 1 requirement is violated (small at `plans/base.plan:3`).\n" in told


def test_a_verdict_that_plans_share_is_one_and_what_became_worse_stands_before_all_else(repo):
    """Two plans use a file with three requirements: two become worse, one was not met before; and one is better."""
    base = (
        "use std\nsize : byte = 3 GiB\nprice : dollar/hour = 2 $/hour\n"
        'require size <= 2 GiB "tiny"\nrequire size <= 4 GiB "small"\nrequire size <= 5 GiB "medium"\n'
        'require price <= 1 $/hour "cheap"\nreport size, price\n'
    )
    users = {
        f"plans/u{at}.plan": f'use "base.plan"\nown : byte = size + {at} GiB\nreport own\n' for at in (1, 2)
    }
    after = base.replace("3 GiB", "6 GiB").replace("2 $/hour", "1 $/hour")
    told = committed(repo, {"plans/base.plan": base, **users}, {"plans/base.plan": after}).out
    first = told[:400].replace("\N{NO-BREAK SPACE}", " ")
    assert first.startswith(
        "**2 plans: 3 verdicts changed, 2 now violated, 1 for the better.**"
        " holds → violated: small (room 1 → −2 GiB), medium."
        " 1 violated, as before: tiny in `plans/u1.plan` and 1 more plan."
        " changed: `price` (`2 → 1 $/hour`), `size` (`3 → 6 GiB`)."
        " room: tiny (−1 → −4 GiB)."
        " violated → holds: cheap (2 → 1 dollar/hour)."
    ), first


def test_what_an_option_breaks_is_no_cause_of_a_job_that_fails_as_before(repo):
    before = {"plans/old.plan": STANDING, "plans/r.plan": RACKS}
    told = committed(repo, before, {"plans/r.plan": RACKS.replace("100 GiB", "90 GiB"),
                                    "plans/old.plan": STANDING.replace("5 $", "6 $")}).out  # fmt: skip
    assert "1 verdict of options now violated." in told[:400]
    assert (
        "**The job fails, as before this change:** 2 requirements are violated (it fits into nothing," in told
    )


def test_plans_stand_in_the_order_of_what_became_of_them(repo):
    """Failing, then doubtful, then otherwise changed, then unmet as before, whatever their names are."""
    names = {"d": STANDING, "c": STANDING.replace("36", "45"), "b": SMALL, "a": STANDING}
    after = {
        "d": STANDING.replace("40 GiB", "30 GiB"),
        "c": STANDING,
        "b": SMALL.replace("3 GiB", "3.5 GiB"),
        "a": f"# a word\n{STANDING}",
    }
    before, now = ({f"plans/{name}.plan": text for name, text in held.items()} for held in (names, after))
    told = before_folds(committed(repo, before, now).out)
    assert re.findall(r"(?m)^- .*`plans/(.)\.plan`$", told) == ["d", "c", "b", "a"]


def test_a_job_that_does_not_fail_says_nothing_of_failing(repo):
    ended = committed(repo, {"plans/b.plan": SMALL}, {"plans/b.plan": SMALL.replace("3 GiB", "3.5 GiB")})
    assert ended.code == 0
    assert "fails" not in ended.out
    assert "as before:" not in ended.out


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ("use std\na : byte = nothing\nreport a\n", "1 plan does not compile (`plans/b.plan`)"),
        (
            f'{SMALL}assume t : s = 3 s in 2 s .. 4 s because "x"\nmeasure t = 9 s as load {{ }}\nreport t\n',
            "1 measurement contradicts what is derived (`t!load`)",
        ),
    ],
)
def test_whatever_makes_the_job_fail_is_told(repo, plan, why):
    ended = committed(repo, {"plans/b.plan": SMALL}, {"plans/b.plan": plan})
    assert ended.code == 1
    assert f"**The job fails:** {why}.\n" in before_folds(ended.out)
    if "compile" in why:
        assert "**does not compile, 1 error." in ended.out
        assert re.search(r"^- CW\d+ `plans/b\.plan:2`: .*nothing", before_folds(ended.out), re.MULTILINE)


def test_what_could_not_be_read_was_not_removed(repo):
    slip = QUICK.replace("require", "requir").replace("x <= 6 s", "x.y <= 6 s")
    ended = committed(repo, {"plans/p.plan": QUICK}, {"plans/p.plan": slip})
    assert ended.code == 1
    assert ended.out.startswith("**does not compile, 1 error. No verdict any more: quick.** `plans/p.plan`\n")
    assert "did you mean `require`?" in before_folds(ended.out)
    assert "emoved" not in ended.out
    assert "not asked" not in ended.out
    sides = ("HEAD~1:plans/p.plan", "plans/p.plan")
    for way, turn in ((sides, "holds → no verdict"), (reversed(sides), "no verdict → holds")):
        told = run("diff", *way, cwd=repo).out
        assert f"{turn}  quick\n\n1 quantity and 0 verdicts are unchanged" in told


GONE = 'use std\nuse "gone.plan"\nb : byte = 1 GiB\nc : byte = a + b\nrequire c <= {} GiB "s"\n'


def test_what_had_no_verdict_before_is_not_told_as_before(repo):
    """5 + 1 GiB are over 5 GiB; over how much they were nobody knows, and 5 GiB is more than 3."""
    after = {"plans/gone.plan": "use std\na : byte = 5 GiB\n", "plans/x.plan": GONE.format(5)}
    ended = committed(repo, {"plans/x.plan": GONE.format(3)}, after)
    assert ended.code == 1
    told = before_folds(ended.out).partition("`plans/x.plan`")
    assert "s: no verdict → violated, requirement loosened" in told[0]
    assert "HEAD~1:plans/x.plan` has errors: only what is sound was compared" in ended.out
    assert "there is no file ‘gone.plan’" in ended.out
    assert "it was `require c <= 3 GiB` and is `require c <= 5 GiB`" in ended.out
    assert "**The job fails:** 1 requirement is violated (s).\n" in ended.out
    assert "as before" not in ended.out
    assert "No difference" not in ended.out


def test_a_verdict_that_an_error_takes_and_what_it_hides_are_told(repo):
    good = {"plans/gone.plan": "use std\na : byte = 5 GiB\n", "plans/x.plan": GONE.format(7)}
    ended = committed(repo, good, {"plans/x.plan": GONE.format(900).replace("a + b", "a + bb")})
    assert ended.code == 1
    assert ended.out.startswith(
        "**does not compile, 1 error. Requirement loosened: s. No verdict any more: s.** `plans/x.plan`\n"
    )
    assert "**holds → no verdict**, requirement loosened — s" in ended.out
    several = committed(
        repo,
        good,
        {"plans/x.plan": GONE.format(900).replace("a + b", "a + bb"), "plans/b.plan": f"{SMALL}\n"},
    )
    assert several.out.startswith("**2 plans: 1 requirement loosened; 1 verdict lost; 1 does not compile.**")
    assert "loosened: s in `plans/x.plan` (`7 → 900 GiB`)." in several.out
    mended = committed(
        repo, {"plans/x.plan": GONE.format(7).replace("a + b", "a + bb")}, {**good, "plans/b.plan": SMALL}
    )
    assert "1 verdict changed, 1 for the better; 1 did not compile before.**" in mended.out


def test_a_private_file_that_the_base_lacks_hides_no_edit_and_changes_no_secret(repo):
    """Named by no catalogue, git does not keep it: only one state of it is here."""
    write(repo, {".gitignore": "plans/own.plan\n", "plans/own.plan": FLEET})
    text = 'use std\nuse "own.plan"\ncost : dollar/hour = hourly * {}\nrequire cost <= {} $/hour "cheap"\n'
    ended = committed(repo, {"plans/x.plan": text.format(2, 7)}, {"plans/x.plan": text.format(2, 70)})
    assert "**cheap: no verdict → holds, requirement loosened.** `plans/x.plan`" in ended.out
    assert "changed, and confidential" not in ended.out
    assert "what it says is confidential" not in ended.out
    assert "3.17" not in ended.out
    told = run("diff", "HEAD~1:plans", "plans", cwd=repo).out
    assert "no verdict → holds, requirement loosened  cheap" in told


def test_a_plan_that_cannot_be_read_makes_the_job_fail_and_is_named(repo):
    (repo / "plans/b.plan").write_bytes(b"a = 1 # \xff\n")
    ended = run("ci", "--base", "HEAD", "--print", cwd=repo)
    assert ended.code == 1
    assert "**The job fails:** 1 plan cannot be read (`plans/b.plan`).\n" in ended.out


def test_the_caveats_and_assumptions_of_a_changed_verdict_stand_beside_it_and_their_texts_once(repo):
    """Nobody may take a verdict that holds for one that holds without them."""
    names = ["plans/s.plan", "plans/t.plan"]
    after = STANDING.replace("30 GiB", "26 GiB")
    for paths in (names[:1], names):
        (repo / "plans/b.plan").write_text(SMALL, encoding="utf-8")
        ended = committed(repo, dict.fromkeys(paths, STANDING), dict.fromkeys(paths, after))
        told = before_folds(ended.out)
        assert told.count("it may fit: not established → holds.** `plans/") == len(paths)
        assert told.count('holds under `spend`; caveat: `hearsay`; excludes `"padding"`\n') == len(paths)
        assert ended.out.count("- `hearsay`: somebody said so, and nobody measured\n") == 1
        assert "somebody said so" not in told


def test_a_new_plan_names_what_its_verdicts_stand_on_and_carry(repo):
    ended = committed(repo, {"plans/b.plan": SMALL}, {"plans/s.plan": STANDING})
    assert "- 2 violated: it fits into nothing, it costs nothing\n" in before_folds(ended.out)
    assert '- holds: it fits\n  - holds under `spend`; caveat: `hearsay`; excludes `"padding"`\n' in ended.out
    assert ended.out.count("- `hearsay`: somebody said so, and nobody measured\n") == 1


def test_that_ranges_overlap_is_no_doubt_of_a_verdict(repo):
    ended = committed(
        repo, {"plans/s.plan": STANDING}, {"plans/s.plan": STANDING.replace("30 GiB", "26 GiB")}
    )
    assert "†" not in before_folds(ended.out)
    [line] = [line for line in ended.out.splitlines() if line.startswith("- **not established → holds**")]
    assert line.endswith(", +4 GiB (×3) †")
    assert "† the room before and the room now overlap as ranges" in ended.out


def test_what_became_worse_is_told_by_what_it_is_now(repo):
    """Three verdicts: one is violated now, one not established any more, one holds at last."""
    rows = 'a : byte = {} GiB\nassume b : byte = 3 GiB in 2 GiB .. {} GiB because "x"\nc : byte = {} GiB\n'
    asked = "".join(f'require {name} <= 5 GiB "{name} fits"\n' for name in "abc")
    before, after = (
        f"use std\n{rows.format(*held)}{asked}report a, b, c\n" for held in ((1, 4, 9), (9, 7, 1))
    )
    both = {"plans/p.plan": before, "plans/q.plan": before}
    ended = committed(repo, both, {"plans/p.plan": after, "plans/q.plan": after})
    assert (
        "**2 plans: 6 verdicts changed, 2 now violated, 2 now not established, 2 for the better.**"
        in ended.out
    )


def test_a_range_that_became_a_plain_number_is_told_in_the_headline(repo):
    after = re.sub(r"assume spend.*", "spend : byte = 3 GiB", STANDING)
    ended = committed(repo, {"plans/s.plan": STANDING}, {"plans/s.plan": after})
    assert "changed: `spend`: `4 GiB (assumed 2 GiB .. 9 GiB)` → `3 GiB exactly`\n" in before_folds(ended.out)


def test_of_a_requirement_on_a_confidential_number_an_annotation_tells_the_status_alone(repo):
    """Not what it leans on either: `assumed` is public, and would tell of what the price depends on."""
    plan = (
        'use std\nuse fleet\nassume assumed : number = 2 in 1 .. 3 because "x"\n'
        'bill : dollar/hour = fleet.hourly * assumed\nrequire bill <= 1 $/hour "cheap"\n'
        'rent : dollar/hour = 5 $/hour * assumed\nrequire rent <= 1 $/hour "public"\nreport bill, rent\n'
    )
    write(repo, {"plans/c.plan": plan})
    commit(repo)
    checked = run("check", "plans/c.plan", "--format", "github", cwd=repo)
    assert checked.code == 1
    ci = run("ci", "--base", "HEAD~1", "--print", cwd=repo)
    for text in (checked.out, ci.err):
        [cheap] = [line for line in text.splitlines() if "cheap: `bill <= 1 $/hour` is violated" in line]
        assert "leaning" not in cheap
        assert "public: `rent <= 1 $/hour` is violated, leaning on assumed" in text
        assert "3.17" not in text


LATENCY = """use std
use fleet
unit thing, things counting
kind wait : s for time context load = load
entity service { load : thing; rate : $/hour; wait : s kind wait >= 2 s }
service prod { load = 5 things; rate = fleet.hourly }
measure prod.wait = 3 s as run { load = "5 things" }
require prod.wait <= 4 s "quick"
report prod
"""


def test_a_message_that_nothing_confidential_enters_is_told(repo):
    """A private catalogue beside it is no reason to be silent on what a measurement states."""
    after = LATENCY.replace("load = 5 things", "load = 6 things")
    ended = committed(repo, {"plans/l.plan": LATENCY}, {"plans/l.plan": after})
    assert "load is 5 things, and the plan has 6 things" in ended.out
    assert "load is 5 things, and the plan has 6 things" in ended.err
    github = run("check", "plans/l.plan", "--format", "github", cwd=repo).out
    assert "load is 5 things, and the plan has 6 things" in github
    # What it measures derives from something confidential now, so nothing is told of it.
    secret = after.replace(">= 2 s }", ">= 2 s * rate / 1 $ * 1 hour }").replace("6 things", "7 things")
    ended = committed(repo, {"plans/l.plan": after}, {"plans/l.plan": secret})
    github = run("check", "plans/l.plan", "--format", "github", cwd=repo).out
    for text in (ended.out, ended.err, github):
        assert "a measurement of something else" in text
        assert "the plan has 7 things" not in text
    assert "`prod.wait`: `withheld`" not in ended.out


def test_a_requirement_without_words_of_its_own_is_told_as_it_is_written(repo):
    """Its names can be copied: nothing that cannot be seen is in them."""
    asked = "require r@full.left <= 1 TiB\n"
    after = RACKS.replace("100 GiB", "2 TiB") + asked
    ended = committed(repo, {"plans/r.plan": RACKS + asked}, {"plans/r.plan": after, "plans/new.plan": after})
    assert "`r@full.left <= 1 TiB`: holds → violated" in ended.out
    assert "- **holds → violated** — `r@full.left <= 1 TiB`: room" in ended.out
    assert "- violated: `r@full.left <= 1 TiB`\n" in ended.out
    assert "\N{WORD JOINER}" not in ended.out


FAILING = (
    LATENCY.replace("<= 4 s", "<= 2500 ms").replace("use fleet\n", "").replace("fleet.hourly", "3 $/hour")
)
"""A measurement of 3 s violates the 2.5 s that are required, of which 2 s are derived."""


@pytest.mark.parametrize("paths", [("plans/p.plan",), ("plans/p.plan", "plans/q.plan")])
def test_a_violation_whose_measurement_ceases_to_count_is_no_gain(repo, paths):
    """More load than was measured: nothing shows the violation any more, and nobody may read that as better."""
    (repo / "plans/b.plan").write_text(SMALL, encoding="utf-8")
    after = FAILING.replace("load = 5 things;", "load = 6 things;")
    ended = committed(repo, dict.fromkeys(paths, FAILING), dict.fromkeys(paths, after))
    assert ended.code == 0
    assert "for the better" not in ended.out
    first = ended.out[:400]
    assert "no longer shown to be violated" in first
    assert "`prod.wait!run`: no longer counts: load is 5 things, and the plan has 6 things" in first
    assert (
        "**The job passes:** what is not established makes it fail under `--strict` or `require established` alone.\n"
        in ended.out
    )
    strict = run("ci", "--base", "HEAD~1", "--print", "--strict", cwd=repo)
    assert strict.code == 1
    assert "The job passes" not in strict.out


NAMED = """use std
kind wait : s for time context load = longest or mix, also
entity mix { a : number; b : lengths; tenth : number = a / 10 }
entity service { mix : mix; wait : s kind wait >= 2 s; longest : s = if mix.a > odd then 1 s else 2 s }
assume odd = 7 in 1 .. 9 because "not yet known"
mix m { a = 5; b = fixed(40 tokens) }
service prod { mix = m }
measure prod.wait = 3 s as run { load = "m"; also = "x" }
evidence seen of prod.wait { load = "m"; also = "x" }
require prod.wait <= 4 s "quick"
report prod
"""


@pytest.mark.parametrize("edit", ["a = 5 -> a = 6", "fixed(40 -> fixed(50", "5; b -> 6; b"])
def test_a_verdict_on_a_measurement_that_names_what_changed_is_told(repo, edit):
    """The name says what was measured, and is still right; what stands under it is another."""
    after = NAMED.replace(*edit.split(" -> "))
    told = committed(repo, {"plans/n.plan": NAMED}, {"plans/n.plan": after}).out
    assert "measurement `prod.wait!run`: it names `m`, and what is in that changed since: `m." in told[:400]
    assert "evidence `seen`: it names `m`, and what is in that changed since: `m." in told
    renewed = NAMED.replace("3 s as", "2.9 s as")
    after = renewed.replace(*edit.split(" -> ")).replace("2.9 s", "3.1 s")
    assert "run`: it names" not in committed(repo, {"plans/n.plan": renewed}, {"plans/n.plan": after}).out


def test_what_changed_beside_a_named_thing_is_not_in_it(repo):
    after = NAMED.replace("mix m {", "mix mm { a = 3; b = fixed(2 tokens) }\nmix m {").replace("7 in", "6 in")
    assert "it names" not in committed(repo, {"plans/n.plan": NAMED}, {"plans/n.plan": after}).out


def test_a_violation_that_is_gone_for_good_is_better(repo):
    after = FAILING.replace("measure prod.wait = 3 s", "measure prod.wait = 2400 ms")
    ended = committed(repo, {"plans/p.plan": FAILING}, {"plans/p.plan": after})
    assert "quick: violated → holds.** `plans/p.plan`" in ended.out
    assert "no longer shown" not in ended.out


IGNORED = {
    ".gitignore": "private/\n",
    "capwright.toml": 'plans = ["plans"]\n[catalogues]\nfleet = "private/prices.plan"\n',
}
PRICES = 'use std\nuse "rates.plan"\nhourly : dollar/hour = rate confidential\n'
RATES = "use std\nrate : dollar/hour = 3.17 $/hour confidential\n"


@pytest.fixture
def ignoring(repo: Path) -> Path:
    """A project whose private catalogue, and what that uses, git was never given."""
    git(repo, "rm", "-q", "--cached", "private/fleet.plan")
    (repo / "private/fleet.plan").unlink()
    write(repo, {**IGNORED, "private/prices.plan": PRICES, "private/rates.plan": RATES})
    commit(repo)
    assert git(repo, "ls-files", "private") == ""
    return repo


def test_a_catalogue_that_git_does_not_keep_is_on_both_sides_as_it_is_here(ignoring):
    """Only what was edited is told: the total, and nothing of prices."""
    ended = committed(ignoring, {}, {"plans/a.plan": PLAN.replace("30 GiB", "50 GiB")})
    assert ended.code == 1
    first = before_folds(ended.out)
    assert "**it fits: holds → violated.** `plans/a.plan`" in first
    assert "not asked" not in ended.out
    assert "confidential: " not in first
    assert "`private/prices.plan`, which git does not keep, as now on both sides" in ended.out
    assert "rates" not in ended.out
    assert "3.17" not in ended.out + ended.err
    assert "hint[CW0759]: `private/prices.plan` is a catalogue that git does not keep: `HEAD~1`" in ended.err
    # What it holds is on both sides the same, so an edit of it affects nothing.
    write(ignoring, {"private/rates.plan": RATES.replace("3.17", "4.17")})
    assert run("affected", "HEAD", cwd=ignoring).out == ""
    told = run("diff", "HEAD~1:plans/a.plan", "plans/a.plan", cwd=ignoring)
    assert "holds → violated  it fits" in told.out
    assert "errors" not in told.out
    assert "hint[CW0759]" in told.err


def test_where_the_catalogue_is_missing_nothing_is_compared_and_the_comment_says_why(ignoring):
    (ignoring / "private/prices.plan").unlink()
    edited = {"plans/a.plan": PLAN.replace("30 GiB", "50 GiB")}
    ended = committed(ignoring, {}, edited)
    assert ended.code == 1
    assert ended.out.startswith("**does not compile, 1 error: nothing was compared.** `plans/a.plan`\n")
    assert "the catalogue `fleet` is not here" in before_folds(ended.out)
    assert "→" not in ended.out
    assert "as now on both sides" not in ended.out
    ended = committed(ignoring, {}, {"plans/c.plan": edited["plans/a.plan"], "plans/a.plan": PLAN})
    ended = committed(ignoring, {}, {"plans/c.plan": PLAN, **edited})
    assert ended.out.startswith("**2 plans: 2 do not compile; 2 could not be compared.**\n")


QUICK = 'use std\nx : second = 5 s\nrequire x <= 6 s "quick"\nreport x\n'


def test_any_other_file_that_cannot_be_read_hides_no_verdict(repo):
    """A mistake of the edit, told beside what the edit did."""
    edited = QUICK.replace("use std", 'use std\nuse "nope.plan"').replace("5 s", "8 s")
    ended = committed(repo, {"plans/p.plan": QUICK}, {"plans/p.plan": edited})
    assert ended.code == 1
    assert ended.out.startswith("**does not compile, 1 error. quick: holds → violated.** `plans/p.plan`\n")
    assert "there is no file `nope.plan`" in before_folds(ended.out)
    back = committed(repo, {}, {"plans/p.plan": QUICK})
    assert back.out.startswith("**quick: violated → holds.** `plans/p.plan`\n")
    for sides in (("HEAD~1:plans/p.plan", "plans/p.plan"), ("plans/p.plan", "HEAD~1:plans/p.plan")):
        assert "→ " in run("diff", *sides, cwd=repo).out


@pytest.mark.parametrize("edit", ["gone", "wrong"])
def test_a_catalogue_that_git_keeps_is_compared_though_it_cannot_be_read(repo, edit):
    if edit == "gone":
        git(repo, "rm", "-q", "private/fleet.plan")
    else:
        write(repo, {"private/fleet.plan": f'use "nope.plan"\n{FLEET}'})
    write(repo, {"plans/a.plan": PLAN.replace("30 GiB", "50 GiB")})
    commit(repo)
    ended = run("ci", "--base", "HEAD~1", "--print", cwd=repo)
    assert "it fits: holds → violated" in before_folds(ended.out)
    assert "nothing was compared" not in ended.out
    ended = committed(repo, {}, {"private/fleet.plan": FLEET, "plans/a.plan": PLAN})
    assert "it fits: violated → holds" in before_folds(ended.out)


def diffs(repo: Path, revision: str, *options: str) -> tuple[Ended, Ended]:
    sides = (f"{revision}:plans/a.plan", "plans/a.plan")
    return run("diff", *sides, *options, cwd=repo), run("diff", *reversed(sides), *options, cwd=repo)


def test_where_only_one_side_lacks_the_catalogue_nothing_is_compared(ignoring):
    """The state before names it elsewhere, where nothing is any more."""
    (ignoring / "private/prices.plan").rename(ignoring / "private/rented.plan")
    moved = IGNORED["capwright.toml"].replace("prices", "rented")
    ended = committed(
        ignoring, {}, {"capwright.toml": moved, "plans/a.plan": PLAN.replace("30 GiB", "50 GiB")}
    )
    assert ended.out.startswith("**nothing was compared: 1 violated.** `plans/a.plan`\n")
    assert "before: the catalogue `fleet` is not here" in before_folds(ended.out)
    assert "3.17" not in ended.out + ended.err
    told = diffs(ignoring, "HEAD~1")
    assert told[0].err == told[1].err
    assert (told[0].code, told[0].out) == (told[1].code, told[1].out) == (2, "")
    assert "[CW0150]" in told[0].err
    assert "in HEAD~1:plans/a.plan the catalogue" in told[0].err
    # The other way round the state after lacks it.
    (ignoring / "private/rented.plan").rename(ignoring / "private/prices.plan")
    told = diffs(ignoring, "HEAD~1")
    assert told[0].err == told[1].err
    assert "in plans/a.plan the catalogue" in told[0].err


def test_folders_are_compared_without_the_plans_that_lack_a_catalogue(ignoring):
    (ignoring / "private/prices.plan").unlink()
    write(ignoring, {"plans/b.plan": SMALL.replace("3 GiB", "5 GiB")})
    for form in ("terminal", "markdown", "json"):
        told = run("diff", "HEAD:plans", "plans", "--format", form, cwd=ignoring)
        assert told.code == 0
        assert "a.plan: nothing was compared: in " in told.out
        assert "b.plan" in told.out
    told = run("diff", "HEAD:plans", "plans", "--format", "html", "-o", "pages", cwd=ignoring)
    assert "a.plan: nothing was compared: in " in told.out
    assert not (ignoring / "pages/a.html").exists()


def test_what_only_a_private_catalogue_names_is_private_too(ignoring):
    (ignoring / "private/rates.plan").unlink()
    ended = committed(ignoring, {}, {"plans/a.plan": PLAN.replace("30 GiB", "50 GiB")})
    assert "nothing was compared" in before_folds(ended.out)
    assert "rates" not in ended.out
    told = diffs(ignoring, "HEAD~1", "--public")
    assert told[0].code == told[1].code == 2
    assert "in plans/a.plan there is no such file" in told[0].err
    assert "rates" not in told[0].err


def test_a_catalogue_that_git_has_now_or_had_is_compared(repo):
    """One that was added with this change is new, and no file of it is put into the past."""
    git(repo, "rm", "-q", "private/fleet.plan")
    commit(repo)
    ended = committed(repo, {}, {"private/fleet.plan": FLEET})
    assert "CW0759" not in ended.err
    assert "as now on both sides" not in ended.out
    assert "private/fleet.plan" in run("affected", "HEAD~1", cwd=repo).out


@pytest.mark.parametrize("place", ["out.plan", "private"])
def test_no_catalogue_is_taken_from_outside_of_the_project(ignoring, tmp_path, place):
    """Through a link of the working tree, to a file or to its folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    write(outside, {"prices.plan": "use std\nhourly : dollar/hour = 3.17 $/hour confidential\n"})
    for name in ("prices.plan", "rates.plan"):
        (ignoring / "private" / name).unlink()
    if place == "private":
        (ignoring / "private").rmdir()
        (ignoring / "private").symlink_to(outside)
    else:
        (ignoring / "private/prices.plan").symlink_to(outside / "prices.plan")
    ended = committed(ignoring, {}, {"plans/a.plan": PLAN.replace("30 GiB", "50 GiB")})
    assert "CW0759" not in ended.err
    assert "CW0152" in ended.out
    assert "nothing was compared" in ended.out


def test_a_report_that_git_would_take_warns_of_what_is_confidential(ignoring):
    told = run("build", "plans/a.plan", "-o", "kept", cwd=ignoring)
    assert "warning[CW0758]" in told.err
    assert "git does not ignore `kept/" in told.err
    write(ignoring, {".gitignore": "private/\nkept/\n"})
    told = run("build", "plans/a.plan", "-o", "kept", cwd=ignoring)
    assert "hint[CW0758]" in told.err
    git(ignoring, "add", "--force", "kept")
    told = run("build", "plans/a.plan", "-o", "kept", cwd=ignoring)
    assert "warning[CW0758]" in told.err


@pytest.mark.parametrize(
    ("ignored", "kept"),
    [
        ("*.md", ("html", "json")),
        ("*.html", ("md", "json")),
        ("kept/*\n!kept/a.json", ("json",)),
        ("nothing", ("md", "html", "json")),
        ("kept/a.*", ()),
    ],
)
def test_every_file_of_a_report_that_git_would_take_is_told(ignoring, ignored, kept):
    write(ignoring, {".gitignore": f"private/\n{ignored}\n"})
    told = run("build", "plans/a.plan", "-o", "kept", cwd=ignoring).err
    assert ("warning[CW0758]" in told) == bool(kept)
    for suffix in ("md", "html", "json"):
        assert (f"`kept/a.{suffix}`" in told) == (suffix in kept)
    git(ignoring, "add", "--force", "kept/a.md")
    told = run("build", "plans/a.plan", "-o", "kept", cwd=ignoring).err
    assert "warning[CW0758]" in told
    assert "`kept/a.md`" in told


@pytest.mark.parametrize("name", ["-a", ":a", "a b", "é"])
def test_a_report_of_any_name_is_asked_about(ignoring, name):
    write(ignoring, {f"plans/{name}.plan": PLAN, ".gitignore": "private/\n*.md\n"})
    told = run("build", f"plans/{name}.plan", "-o", "kept", cwd=ignoring).err
    assert f"git does not ignore `kept/{name}.html`, `kept/{name}.json`\n" in told


def test_what_is_below_zero_is_told_before_numbers_and_edits(repo):
    plan = 'use std\nweights : byte = 6 GiB\npool : byte = 8 GiB - weights\nrequire pool <= 4 GiB "small"\nreport pool\n'
    (repo / "plans/b.plan").write_text(SMALL, encoding="utf-8")
    ended = committed(repo, {"plans/p.plan": plan}, {"plans/p.plan": plan.replace("6 GiB", "9 GiB")})
    told = before_folds(ended.out).splitlines()
    assert told[:3] == [
        "**No verdict changed.** `plans/p.plan`",
        "",
        "- warning: `pool` is below zero: −1 GiB",
    ]


SHOWN_RATES = """use std
speed : GB/s = {speed} GB/s
rate : $/hour = {rate} $/hour{mark}
"""
RENTED = """use "../cat/rates.plan"
cost : $/hour = rate * 4
wait : s = 1_000 GB / speed
require cost <= {cost} $/hour "it pays"
require wait <= {wait} s "it is quick"
report cost, wait
"""


def rented(speed: str, rate: str, *asked: tuple[int, int], mark: str = "") -> dict[str, str]:
    """A shared file of rates, and a plan for each pair of limits."""
    plans = {f"plans/p{at}.plan": RENTED.format(cost=c, wait=w) for at, (c, w) in enumerate(asked)}
    return {"cat/rates.plan": SHOWN_RATES.format(speed=speed, rate=rate, mark=mark), **plans}


def test_the_lead_tells_what_changed_at_the_root_and_nothing_twice(repo):
    """4 times 2 are 8, and 4 times 3 are 12 dollars; 1,000 GB take 10 s, then 12.5 s: over 11, and within 14 as within 13."""
    before, after = rented("100", "2", (10, 11), (99, 13)), rented("80", "3", (10, 11), (99, 14))
    first = committed(repo, before, after).out.partition("\n")[0]
    assert first == (
        "**2 plans: 2 verdicts now violated; 1 requirement loosened.**"
        " holds → violated: it pays in `plans/p0.plan` (8 → 12 $/hour), it is quick in `plans/p0.plan`."
        " loosened: it is quick in `plans/p1.plan` (`13 → 14 s`)."
        " changed: `speed` in `plans/p0.plan` and 1 more (`100 → 80 GB/s`),"
        " `rate` in `plans/p0.plan` and 1 more (`2 → 3 $/hour`)."
    ), first


def test_the_lead_tells_a_number_of_another_size_and_a_limit_that_asks_less_of_what_is_confidential(repo):
    """A slip of a digit makes a thousand out of a hundred; nobody may be told the rate, and both limits are public."""
    before = rented("100", "3", (10, 9), (10, 9), mark=" confidential")
    after = rented("1_000", "3", (13, 9), (10, 9), mark=" confidential")
    first = committed(repo, before, after).out.partition("\n")[0]
    assert first.startswith("**2 plans: 1 requirement loosened; 3 verdicts changed, 3 for the better.**"), (
        first
    )
    assert "loosened, violated → holds: it pays in `plans/p0.plan` (`10 → 13 $/hour`)." in first
    assert "changed: `speed` in `plans/p0.plan` and 1 more (`100 → 1,000 GB/s`, ×10)." in first
    assert len(first) <= 400
    tighter = committed(repo, after, rented("1_000", "3", (11, 9), (10, 9), mark=" confidential")).out
    assert tighter.startswith("**it pays: holds → violated, requirement tightened.** `plans/p0.plan`"), (
        tighter[:400]
    )


def test_the_lead_tells_that_nothing_but_requirements_changed(repo):
    before, after = rented("100", "3", (10, 9), (99, 99)), rented("100", "3", (13, 11), (99, 99))
    after["plans/p1.plan"] = after["plans/p1.plan"].replace('require wait <= 99 s "it is quick"\n', "")
    first = committed(repo, before, after).out.partition("\n")[0]
    assert first == (
        "**2 plans: 2 requirements loosened, 1 removed, and no number moved; 2 for the better.**"
        " loosened, violated → holds: it pays in `plans/p0.plan` (`10 → 13 $/hour`),"
        " it is quick in `plans/p0.plan` (`9 → 11 s`)."
        " removed: it is quick in `plans/p1.plan` (was: holds)."
    ), first
