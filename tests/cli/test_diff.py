"""`diff` as a user runs it: files, folders, revisions, documents and options; every refusal a clear message."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from capwright.document.codec import diff_from_json, schema_errors
from tests.cli.running import ROOT, run

PLAN = """\
unit byte symbol B prefixes decimal binary
weights = 20 GiB
assume share = 0.9 in 0.8 .. 0.95 because "logs"
memory = 80 GiB
free : byte = memory * share - weights
require free >= {limit} "there is room"
report free
"""
EXAMPLE = str(ROOT / "plans/examples/llama-3.1-70b-long-context.plan")


def plan(limit: str = "30 GiB", memory: str = "80 GiB") -> str:
    return PLAN.format(limit=limit).replace("memory = 80 GiB", f"memory = {memory}")


def git(folder: Path, *words: str) -> None:
    who = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "commit.gpgsign=false",
    )
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """Two commits of a plan that uses another file, the second with less memory; then an edit on the disk."""
    top = tmp_path / "repo"
    (top / "plans").mkdir(parents=True)
    (top / "plans/base.plan").write_text(plan().replace("memory = 80 GiB\n", ""))
    (top / "plans/memory.plan").write_text("unit byte symbol B prefixes decimal binary\n")
    git(top, "init")
    (top / "plans/fleet.plan").write_text(plan())
    git(top, "add", ".")
    git(top, "commit", "-m", "one")
    git(top, "tag", "v1")
    (top / "plans/fleet.plan").write_text(plan(memory="60 GiB"))
    git(top, "commit", "-am", "two")
    (top / "plans/fleet.plan").write_text(plan(memory="40 GiB"))
    return top


def test_two_files(tmp_path):
    (tmp_path / "a.plan").write_text(plan())
    (tmp_path / "b.plan").write_text(plan(memory="40 GiB"))
    ended = run("diff", "a.plan", "b.plan", cwd=tmp_path)
    assert ended.code == 0
    assert ended.err == ""
    first, second = ended.out.splitlines()[:2]
    assert first == "a.plan → b.plan"
    assert second == "holds → violated  there is room"
    assert "memory: 80 GiB → 40 GiB" in ended.out
    assert run("diff", "a.plan", "b.plan", "--exit-code", cwd=tmp_path).code == 1
    assert run("diff", "a.plan", "a.plan", "--exit-code", cwd=tmp_path).code == 0


def test_a_revision_against_the_disk_and_another(repository):
    ended = run("diff", "v1:plans/fleet.plan", "plans/fleet.plan", cwd=repository)
    assert "memory: 80 GiB → 40 GiB" in ended.out
    ended = run("diff", "v1:plans/fleet.plan", "HEAD:plans/fleet.plan", cwd=repository)
    assert "memory: 80 GiB → 60 GiB" in ended.out
    ended = run("diff", "v1:./fleet.plan", "fleet.plan", cwd=repository / "plans")
    assert "memory: 80 GiB → 40 GiB" in ended.out


def test_what_a_plan_uses_comes_from_its_revision(repository):
    (repository / "plans/fleet.plan").write_text(
        f'use "facts.plan"\n{plan()}'.replace("memory = 80 GiB\n", "")
    )
    (repository / "plans/facts.plan").write_text("memory = 64 GiB\n")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "three")
    (repository / "plans/facts.plan").write_text("memory = 48 GiB\n")
    ended = run("diff", "HEAD:plans/fleet.plan", "plans/fleet.plan", cwd=repository)
    assert ended.code == 0, ended.err
    assert "memory: 64 GiB → 48 GiB" in ended.out


def test_the_shards_of_a_checkpoint_come_from_the_revision_of_their_index(repository):
    header = json.dumps({"lm_head.weight": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}).encode()
    (repository / "plans/1.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    index = {"weight_map": {"lm_head.weight": "1.safetensors"}}
    (repository / "plans/model.safetensors.index.json").write_text(json.dumps(index))
    text = 'use std\ncheckpoint files from safetensors("model.safetensors.index.json")\n'
    (repository / "plans/files.plan").write_text(text)
    git(repository, "add", ".")
    git(repository, "commit", "-m", "files")
    (repository / "plans/1.safetensors").unlink()
    ended = run("diff", "HEAD:plans/files.plan", "HEAD:plans/files.plan", cwd=repository)
    assert (ended.code, "CW0680" in ended.out) == (0, False), ended.out


def test_shards_and_documents_that_git_lfs_keeps_are_told_and_how_to_fetch_them(repository):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 4096\n"
    (repository / "plans/1.safetensors").write_text(pointer)
    (repository / "plans/model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"lm_head.weight": "1.safetensors"}})
    )
    (repository / "plans/a.plan").write_text(
        'use std\ncheckpoint files from safetensors("model.safetensors.index.json")\n'
    )
    (repository / "plans/a.json").write_text(pointer)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "shards")
    (repository / "plans/a.plan").write_text("x = 1\n")
    told = run("diff", "HEAD:plans/a.plan", "plans/a.plan", cwd=repository)
    assert "CW0162 `1.safetensors` is a pointer of git LFS" in told.out
    assert "plans/a.plan:2\n" in told.out
    for words in (
        ("diff", "HEAD:plans/a.json", "plans/a.plan"),
        ("import", "plans/1.safetensors"),
        ("import", "plans/a.json"),
        ("import", "plans/model.safetensors.index.json"),
    ):
        told = run(*words, cwd=repository)
        assert told.code == 2, told
        assert "CW0162" in told.err, told
        assert "git lfs pull" in told.err


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n".encode(), "git LFS"),
        (b"\xff", "UTF-8"),
    ],
    ids=["pointer", "bytes"],
)
def test_a_plan_that_cannot_be_read_keeps_no_other_from_being_compared(repository, content, code):
    (repository / "plans/bad.plan").write_bytes(content)
    (repository / "plans/good.plan").write_text("x = 1\nreport x\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "bad")
    (repository / "plans/good.plan").write_text("x = 2\nreport x\n")
    told = run("diff", "HEAD:plans", "plans", cwd=repository)
    assert told.code == 0, told.err
    lost = next(line for line in told.out.splitlines() if line.startswith("bad.plan: nothing was compared: "))
    assert code in lost
    assert "good.plan" in told.out
    assert run("diff", "HEAD:plans", "plans", "--exit-code", cwd=repository).code == 1


def test_a_revision_never_tells_what_is_on_the_disk_now(repository, tmp_path):
    outside = tmp_path / "outside.plan"
    outside.write_text("secret = 271_828_182\n")
    (repository / "plans/link.plan").symlink_to(outside)
    (repository / "plans/beyond").symlink_to(tmp_path)
    (repository / "plans/near.plan").symlink_to("fleet.plan")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "links")
    here = repository / "plans/fleet.plan"
    (repository / "plans/fleet.plan").write_text(plan(memory="9 GiB"))
    for word in (f"v1:{here}", "HEAD:plans/near.plan"):
        assert "→ 9 GiB" in run("diff", word, "plans/fleet.plan", cwd=repository).out
    for word, code in (
        (f"HEAD:{outside}", "CW0753"),
        (f"HEAD:../{outside.name}", "CW0753"),
        ("HEAD:..", "CW0753"),
        ("HEAD:plans/link.plan", "CW0152"),
        (f"HEAD:plans/beyond/{outside.name}", "CW0152"),
        ("HEAD:plans/beyond", "CW0152"),
    ):
        ended = run("diff", word, "plans/fleet.plan", cwd=repository)
        assert (ended.code, ended.out) == (2, ""), word
        assert f"[{code}]" in ended.err
        assert "828_182" not in ended.err


@pytest.mark.parametrize(
    "word, code",
    [
        ("nope:plans/fleet.plan", "CW0751"),
        ("v1:plans/nope.plan", "CW0753"),
        ("--upload-pack=x:a", "CW0751"),
        ("a b:c", "CW0751"),
    ],
)
def test_a_revision_that_cannot_be_read(repository, word, code):
    ended = run("diff", "--", word, "plans/fleet.plan", cwd=repository)
    assert ended.code == 2
    assert f"[{code}]" in ended.err
    assert "help:" in ended.err
    assert ended.out == ""


def test_a_shallow_clone_says_how_to_get_the_rest(repository, tmp_path):
    git(tmp_path, "clone", "--depth", "1", f"file://{repository}", "shallow")
    ended = run("diff", "v1:plans/fleet.plan", "plans/fleet.plan", cwd=tmp_path / "shallow")
    assert ended.code == 2
    assert "[CW0752]" in ended.err
    assert "fetch-depth: 0" in ended.err


def test_no_repository(tmp_path):
    (tmp_path / "a.plan").write_text(plan())
    ended = run("diff", "HEAD:a.plan", "a.plan", cwd=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert ended.code == 2
    assert "[CW0750]" in ended.err


def test_folders_are_paired_by_path(repository):
    (repository / "plans/new.plan").write_text(plan())
    ended = run("diff", "v1:plans", "plans", cwd=repository)
    assert ended.code == 0, ended.err
    assert "v1:plans/fleet.plan → plans/fleet.plan" in ended.out
    assert "new.plan: only in plans" in ended.out
    written = json.loads(run("diff", "v1:plans", "plans", "--format", "json", cwd=repository).out)
    assert [one["plan"] for one in written["diffs"]] == ["base.plan", "fleet.plan", "memory.plan"]
    assert run("diff", "v1:plans", "plans/fleet.plan", cwd=repository).code == 2
    assert "[CW0757]" in run("diff", "v1:plans", "plans", "--format", "html", cwd=repository).err
    ended = run("diff", "v1:plans", "plans", "--format", "html", "-o", "pages", cwd=repository)
    assert ended.code == 0
    assert (repository / "pages/fleet.html").read_text().startswith("<!doctype html>")
    again = run("diff", "v1:plans", "plans", "--format", "html", "-o", "pages", cwd=repository)
    assert again.code == 0
    (repository / "pages/fleet.html").write_text("mine\n")
    refused = run("diff", "v1:plans", "plans", "--format", "html", "-o", "pages", cwd=repository)
    assert refused.code == 2
    assert "CW0708" in refused.err
    assert (repository / "pages/fleet.html").read_text() == "mine\n"


def test_a_deleted_plan_is_told_apart_from_an_empty_folder(repository):
    (repository / "plans/base.plan").unlink()
    ended = run("diff", "HEAD:plans", "plans", cwd=repository)
    assert "base.plan: only in HEAD:plans" in ended.out


def test_documents(tmp_path):
    for name, memory in (("a", "80 GiB"), ("b", "40 GiB")):
        (tmp_path / f"{name}.plan").write_text(plan(memory=memory))
        built = run("build", f"{name}.plan", "-o", "out", cwd=tmp_path)
        assert "Traceback" not in built.err, built.err
    ended = run("diff", "out/a.json", "out/b.json", cwd=tmp_path)
    assert "memory: 80 GiB → 40 GiB" in ended.out
    assert run("diff", "out/a.json", "a.plan", "--exit-code", cwd=tmp_path).code == 0
    (tmp_path / "out/a.json").write_text('{"format": "capwright/plandoc", "version": "2.0"}')
    assert "[CW0722]" in run("diff", "out/a.json", "out/b.json", cwd=tmp_path).err
    (tmp_path / "out/a.json").write_text("{")
    ended = run("diff", "out/a.json", "out/b.json", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "[CW0720]" in ended.err


def test_two_options_of_one_plan():
    ended = run("diff", EXAMPLE, "prod", "prod@mi300x", cwd=ROOT)
    assert ended.code == 0
    assert ended.out.startswith("prod → prod@mi300x\n")
    assert "prod.device: h100 → amd.mi300x" in ended.out
    assert "assumption `bandwidth_share` no longer used" in ended.out
    ended = run("diff", EXAMPLE, "prod@h200", "prod@mi300x", "--facts", cwd=ROOT)
    assert "prod.device: nvidia.h200_sxm → amd.mi300x" in ended.out
    assert "bandwidth: 4.8 TB/s/device → 5.3 TB/s/device" in ended.out.replace("\N{NO-BREAK SPACE}", " ")
    ended = run("diff", EXAMPLE, "prod", "prod@x", cwd=ROOT)
    assert ended.code == 2
    assert "[CW0755]" in ended.err
    assert "prod@mi300x" in ended.err


OPTIONS = """\
unit byte symbol B prefixes decimal binary
entity box { size : byte }
box a { size = 1 GiB }
box b { size = 2 GiB }
option big of a { size = 4 GiB }
option wide of a { size = 8 GiB }
option big of b { size = 16 GiB }
"""


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [("a", "wide", "a → a@wide"), ("wide", "a@big", "a@wide → a@big"), ("b", "b@big", "b → b@big")],
)
def test_an_option_goes_by_the_name_that_the_plan_writes(tmp_path, first, second, names):
    (tmp_path / "a.plan").write_text(OPTIONS)
    ended = run("diff", "a.plan", first, second, cwd=tmp_path)
    assert (ended.code, ended.out.splitlines()[0]) == (0, names)


@pytest.mark.parametrize(
    ("word", "help"),
    [
        ("big", "say which: a@big, b@big"),
        ("wdie", "did you mean `a@wide`?"),
        ("a@wdie", "did you mean `a@wide`?"),
        ("xyz", "it has `a`, `a@big`, `a@wide`, `b`, `b@big`; `wide` is enough for `a@wide`"),
    ],
)
def test_an_option_that_is_none_or_several_is_told(tmp_path, word, help):
    (tmp_path / "a.plan").write_text(OPTIONS)
    ended = run("diff", "a.plan", "a", word, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "[CW0755]" in ended.err
    assert help in ended.err


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (("diff", "o.a", "o.a@wide"), "diff a.plan a a@wide"),
        (("diff", "o.a@big", "o.a@wide"), "diff a.plan a@big a@wide"),
        (("show", "o.a@wide.size"), "show a.plan a@wide.size"),
        (("explain", "o.b.size"), "show a.plan b.size"),
    ],
)
def test_an_option_of_a_file_behind_a_name_is_asked_of_the_file(tmp_path, words, there):
    (tmp_path / "a.plan").write_text(OPTIONS)
    (tmp_path / "b.plan").write_text('use "a.plan" as o\nmore = o.a.size * 2\nreport more\n')
    ended = run(words[0], "b.plan", *words[1:], cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "`o` is `a.plan`, of which this plan has only the numbers that it reads" in ended.err
    assert f"`capwright {there}`" in ended.err
    assert run(*there.split(), cwd=tmp_path).code == 0


def test_a_plan_with_errors_is_compared_as_far_as_it_is_sound(tmp_path):
    (tmp_path / "a.plan").write_text(plan())
    (tmp_path / "b.plan").write_text(f"{plan(memory='40 GiB')}wrong = nothing_here\n")
    ended = run("diff", "a.plan", "b.plan", cwd=tmp_path)
    assert ended.code == 0
    assert "b.plan has errors; only what is sound was compared" in ended.out
    assert "memory: 80 GiB → 40 GiB" in ended.out


BARE = PLAN.partition("require")[0]


@pytest.fixture(params=[("a",), ("b",), ("a", "b")])
def broken(request, tmp_path):
    """The names of the folders in which `y.plan` has an error, which is all that is other in it."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "good.plan").write_text(BARE)
        slip = "wrong = nothing_here\n" if name in request.param else ""
        (tmp_path / name / "y.plan").write_text(BARE + slip)
    return request.param


@pytest.mark.parametrize("form", ["terminal", "markdown", "json"])
def test_a_plan_with_errors_is_never_without_a_difference(tmp_path, broken, form):
    """Of what could not be worked out nobody knows whether it is another."""
    for sides in (("a", "b"), ("a/y.plan", "b/y.plan")):
        ended = run("diff", *sides, "--format", form, "--exit-code", cwd=tmp_path)
        assert ended.code == 1
        assert ended.out.count("CW0203") == len(broken)
        if form == "json":
            assert ended.out.count('"failed": true') == len(broken)
            continue
        for name in broken:
            assert re.search(rf"{name}/y.plan`? has errors[:;] only what is sound was compared", ended.out)
        assert "No difference." not in ended.out
        assert ("1 plan without a difference\n" in ended.out) == (sides[0] == "a")
    assert run("diff", "a/good.plan", "b/good.plan", "--exit-code", cwd=tmp_path).code == 0


def test_the_page_of_a_plan_with_errors_does_not_say_that_there_is_no_difference(tmp_path, broken):
    for sides, page in ((("a", "b"), "out/y.html"), (("a/y.plan", "b/y.plan"), "out.html")):
        words = ("--format", "html", "--exit-code", "-o", page.partition("/")[0])
        assert run("diff", *sides, *words, cwd=tmp_path).code == 1
        out = (tmp_path / page).read_text()
        assert "No difference in what was compared." in out
        assert out.count(" has errors</h2>") == len(broken)


def test_what_is_no_plan_is_a_message(tmp_path):
    (tmp_path / "a.plan").write_text(plan())
    ended = run("diff", "a.plan", "missing.plan", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "json"])
def test_every_format_to_a_file(tmp_path, form):
    (tmp_path / "a.plan").write_text(plan())
    (tmp_path / "b.plan").write_text(plan(memory="40 GiB"))
    ended = run("diff", "a.plan", "b.plan", "--format", form, "-o", "out.txt", cwd=tmp_path)
    assert (ended.code, ended.out) == (0, "")
    text = (tmp_path / "out.txt").read_text()
    assert "there is room" in text
    if form == "json":
        document, problems = diff_from_json(text)
        assert document is not None
        assert not problems
        schema = json.loads((ROOT / "grammar/diffdoc.schema.json").read_text())
        assert schema_errors(text, schema) == ()


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "a.plan").write_text(plan())
    (tmp_path / "file").write_text("")
    ended = run("diff", "a.plan", "a.plan", "-o", "file/out.md", cwd=tmp_path)
    assert ended.code == 2
    assert "[CW0701]" in ended.err


@pytest.mark.parametrize("form", ["terminal", "markdown", "json", "html"])
@pytest.mark.parametrize("same", [False, True])
def test_a_comparison_replaces_only_what_one_wrote(tmp_path, form, same):
    (tmp_path / "a.plan").write_text(plan())
    (tmp_path / "b.plan").write_text(plan() if same else plan(memory="40 GiB"))
    out = tmp_path / "out.html"
    words = ("diff", "a.plan", "b.plan", "--format", form, "-o", "out.html")
    for before in ("terminal", "markdown", "json", "html"):
        assert run(*words[:4], before, "-o", "out.html", cwd=tmp_path).code == 0
        assert run(*words, cwd=tmp_path).code == 0
    made = out.read_bytes()
    out.write_text("mine\n")
    refused = run(*words, cwd=tmp_path)
    assert refused.code == 2
    assert "[CW0708]" in refused.err
    assert out.read_text() == "mine\n"
    assert run(*words, "--force", cwd=tmp_path).code == 0
    assert out.read_bytes() == made


NOTES = (
    "Latency went 2 s → 3 s; everything else was unchanged.\n",
    "# Release notes\n\n1 plan without a difference\n",
    "a.plan → b.plan\n\nno difference; 3 quantities and 1 verdict are unchanged\n",
    "<!-- Written by `capwright diff`; SHA-256 of all above this line: -->\n",
    f"Mine.\n\nWritten by `capwright diff`; SHA-256 of all above this line: {'0' * 64}\n",
    '{"note": "reads \\"format\\": \\"capwright/diffdoc\\"", "inner": {"format": "capwright/diffdoc", "a": 1}}\n',
    "<!doctype html>\n<p>The causes of a difference are changed declarations; their parts add up to it exactly.</p>\n",
    "",
    "\n",
)


@pytest.mark.parametrize("form", ["terminal", "markdown", "json", "html"])
@pytest.mark.parametrize("notes", NOTES)
def test_notes_that_read_like_a_comparison_are_somebodys_own(tmp_path, form, notes):
    (tmp_path / "a.plan").write_text(plan())
    (tmp_path / "b.plan").write_text(plan(memory="40 GiB"))
    out = tmp_path / "notes.md"
    out.write_text(notes)
    refused = run("diff", "a.plan", "b.plan", "--format", form, "-o", "notes.md", cwd=tmp_path)
    assert refused.code == 2
    assert "[CW0708]" in refused.err
    assert out.read_text() == notes


@pytest.mark.parametrize("form", ["terminal", "markdown"])
@pytest.mark.parametrize("many", [False, True])
def test_notes_with_a_comparison_pasted_into_them_are_somebodys_own(tmp_path, form, many):
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "p.plan").write_text(plan(memory="40 GiB") if side == "b" else plan())
        (tmp_path / side / "q.plan").write_text(plan())
    sides = ("a", "b") if many else ("a/p.plan", "b/p.plan")
    words = ("diff", *sides, "--format", form, "-o", "out.md")
    out = tmp_path / "out.md"
    assert run(*words, cwd=tmp_path).code == 0
    made = out.read_text()
    printed = run(*words[:-2], cwd=tmp_path).out
    assert made.startswith(printed)
    assert len(made[len(printed) :].splitlines()) == 2
    assert run(*words, cwd=tmp_path).code == 0
    for notes in (f"Mine.\n\n{made}", f"{made}\nMine.\n", made.replace("80", "81"), printed):
        out.write_text(notes)
        refused = run(*words, cwd=tmp_path)
        assert refused.code == 2
        assert "[CW0708]" in refused.err
        assert out.read_text() == notes


COPIED = """\
use std
engine ours : vllm_0_22_1 {{ max_model_len = 32_768 tokens }}
entity serving {{ engine : vllm_0_22_1; left : byte/device = engine.activations * 2 }}
serving prod {{ engine = ours }}
option copy of prod {{ engine = vllm_0_22_1 {{ max_model_len = 16_384 tokens{again} }} }}
report prod.left
"""


def test_an_assumption_of_the_library_that_a_copy_has_too_is_neither_lost_nor_new(tmp_path):
    (tmp_path / "c.plan").write_text(COPIED.format(again=""), encoding="utf-8")
    out = run("diff", "c.plan", "prod", "prod@copy", cwd=tmp_path).out
    assert "prod.engine: ours → vllm_0_22_1" in out
    assert "assumption" not in out
    again = '; assume activations = 1 GiB/device in 0.5 GiB/device .. 2 GiB/device because "our log"'
    (tmp_path / "c.plan").write_text(COPIED.format(again=again), encoding="utf-8")
    out = run("diff", "c.plan", "prod", "prod@copy", cwd=tmp_path).out
    assert out.count("assumption `") == 1
    assert "`activations` no longer used, `prod.engine.activations` in its place" in out


PRICED = """\
use std
price : dollar/hour = {price} $/hour confidential
count = {count}
cost : dollar/hour = price * count
budget : dollar/hour = 8 $/hour
require cost <= 8 $/hour "within the budget"
require budget <= 9 $/hour "a budget is small"
report count, cost, budget
"""
SECRETS = ("1.87", "2.63", "3.74", "5.26", "187/", "263/")


@pytest.fixture
def priced(tmp_path):
    (tmp_path / "a.plan").write_text(PRICED.format(price="1.87", count=2))
    (tmp_path / "b.plan").write_text(PRICED.format(price="2.63", count=2))
    (tmp_path / "c.plan").write_text(PRICED.format(price="2.63", count=4))
    return tmp_path


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "json"])
def test_a_comparison_for_others_tells_no_confidential_number(priced, form):
    ended = run("diff", "a.plan", "b.plan", "--public", "--format", form, cwd=priced)
    assert ended.code == 0, ended.err
    assert ended.err == ""
    assert not any(number in ended.out for number in SECRETS)
    assert "price" in ended.out
    assert "No difference" not in ended.out
    assert "no difference" not in ended.out
    assert run("diff", "a.plan", "b.plan", "--public", "--exit-code", cwd=priced).code == 1


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "json"])
@pytest.mark.parametrize("secret_side", ["a", "b"])
def test_a_withheld_number_of_one_side_only_is_said_to_be_withheld(tmp_path, form, secret_side):
    for side in ("a", "b"):
        extra = "price = 1.87 confidential\ncost = price * 2\nx ~ 3\nreport price, cost, x\n"
        (tmp_path / f"{side}.plan").write_text("y = 3\nreport y\n" + extra * (side == secret_side))
    out = run("diff", "a.plan", "b.plan", "--public", "--format", form, cwd=tmp_path).out
    assert not any(number in out for number in SECRETS)
    told = {name: line for name in ("price", "cost", "x") for line in out.splitlines() if name in line}
    if form == "json":
        diff, problems = diff_from_json(out)
        assert not problems
        entries = diff.removed if secret_side == "a" else diff.added
        assert {one.address: one.withheld for one in entries} == {"price": True, "cost": True, "x": False}
        schema = json.loads((ROOT / "grammar/diffdoc.schema.json").read_text())
        assert schema_errors(out, schema) == ()
    elif form == "html":
        assert out.count("<dd>withheld</dd>") == 2
    else:
        assert "price  withheld" in out or "- `price` withheld" in out
        assert "cost  withheld" in out or "- `cost` withheld" in out
        assert "withheld" not in told["x"]


def test_a_comparison_for_others_tells_the_status(priced):
    """By hand: two at 1.87 are 3.74 $/hour of 8, four at 2.63 are 10.52."""
    ended = run("diff", "a.plan", "c.plan", "--public", cwd=priced)
    assert "holds → violated  within the budget" in ended.out
    assert "count: 2 → 4" in ended.out
    assert "`price` changed; what it says is confidential" in ended.out.replace(
        "price changed", "`price` changed"
    )
    assert not any(number in ended.out for number in (*SECRETS, "10.52"))


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        (
            "formula rebate(p: number) : number confidential = p * {secret}\nx = rebate(3)\nreport x\n",
            "rebate",
        ),
        ("y = 3\nx = y * {secret} confidential\nz = x + 1\nreport z\n", "x"),
        ("entity node {{ y : number; x : number = y * {secret} confidential }}\nnode n {{ y = 3 }}\n", "n.x"),
        ("x ~ 5 confidential\nmeasure x = {secret} as m {{ }} confidential\nreport x\n", "x!m"),
    ],
    ids=("formula", "binding", "field", "measurement"),
)
def test_each_confidential_declaration_that_changed_is_named(tmp_path, plan, name):
    for file, secret in (("a", "0.07"), ("b", "0.08"), ("c", "0.07")):
        (tmp_path / f"{file}.plan").write_text(plan.format(secret=secret))
    changed = run("diff", "a.plan", "b.plan", "--public", cwd=tmp_path)
    assert f"{name}` changed; what it says is confidential" in changed.out
    assert "no difference" not in changed.out
    assert "0.0" not in changed.out
    same = run("diff", "a.plan", "c.plan", "--public", cwd=tmp_path)
    assert "confidential" not in same.out
    assert "no difference" in same.out


def test_a_confidential_number_that_a_plan_uses_no_longer_did_not_change(tmp_path):
    """The plan takes another of the catalogue: what that says of either is what it was."""
    toml = '[catalogues]\nfleet = "fleet.plan"\n'
    prices = "h = 1.87 confidential\ng = 2.63 confidential\n"
    for name, text in (("capwright.toml", toml), ("fleet.plan", prices)):
        (tmp_path / name).write_text(text)
    for side, price in (("a", "h"), ("b", "g")):
        (tmp_path / f"{side}.plan").write_text(f"use fleet\ncost = fleet.{price} * 2\nreport cost\n")
    for form in ("terminal", "markdown"):
        out = run("diff", "a.plan", "b.plan", "--public", "--format", form, cwd=tmp_path).out
        out = out.replace("`", "")
        assert "fleet.h is no longer used; what it says is confidential" in out
        assert "fleet.g is used now; what it says is confidential" in out
        assert " changed" not in out.replace("No verdict changed", "")
        assert not any(number in out for number in SECRETS)


def test_what_derives_from_a_change_is_no_changed_declaration(tmp_path):
    for name, y in (("a", 3), ("b", 4)):
        (tmp_path / f"{name}.plan").write_text(f"y = {y}\nx = y * 7 confidential\nreport y, x\n")
    ended = run("diff", "a.plan", "b.plan", "--public", cwd=tmp_path)
    assert "y: 3 → 4" in ended.out
    assert "confidential" not in ended.out


def test_a_file_that_tells_what_is_confidential_is_told_of(priced):
    ended = run("diff", "a.plan", "b.plan", "--format", "markdown", "-o", "comment.md", cwd=priced)
    assert ended.code == 0
    assert "1.87" in (priced / "comment.md").read_text()
    assert "hint[CW0758]" in ended.err
    assert "`cost`" in ended.err
    assert "--public" in ended.err
    assert "hint[CW0758]" in run("diff", "a.plan", "b.plan", cwd=priced).err  # the log of a job may show it
    assert run("diff", "a.plan", "b.plan", "--public", cwd=priced).err == ""
    (priced / "d.plan").write_text(
        PRICED.format(price="1.87", count=2).replace("budget : dollar/hour = 8", "budget : dollar/hour = 7")
    )
    untold = run("diff", "a.plan", "d.plan", "--format", "markdown", cwd=priced)
    assert "budget" in untold.out
    assert untold.err == ""


SECRET_COST = """\
unit s
entity dep { time : s default 6 s }
dep prod { }
price : number = 3 confidential
cost : s = prod.time * price
require cost <= 7 s "dear"
"""


def test_an_edited_requirement_on_a_secret_is_told_though_its_numbers_are_not(tmp_path):
    """Moved goal posts: what is asked is written for all to see, what comes of it is not."""
    (tmp_path / "a.plan").write_text(SECRET_COST)
    (tmp_path / "b.plan").write_text(SECRET_COST.replace("<= 7 s", "<= 8 s"))
    ended = run("diff", "a.plan", "b.plan", "--public", "--exit-code", cwd=tmp_path)
    assert ended.code == 1
    assert "violated as before, requirement loosened  dear" in ended.out
    assert "it was require cost <= 7 s and is require cost <= 8 s" in ended.out
    assert "18" not in ended.out
    assert run("diff", "a.plan", "a.plan", "--public", "--exit-code", cwd=tmp_path).code == 0


LIMITED = """\
unit second, seconds symbol s prefixes decimal
time : s = 30 ms
goal : s = 35 ms
{asked}
report time
"""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("require time <= 40 ms", "require time <= 60 ms", "holds as before, requirement loosened"),
        ("require time <= 60 ms", "require time <= 40 ms", "holds as before, requirement tightened"),
        ("require time <= 20 ms", "require time <= 40 ms", "violated → holds, requirement loosened"),
        ("require time <= 40 ms", "require time <= 20 ms", "holds → violated, requirement tightened"),
        ("require time >= 20 ms", "require time >= 10 ms", "holds as before, requirement loosened"),
        ("require 20 ms <= time", "require 10 ms <= time", "holds as before, requirement loosened"),
        (
            "require time - goal <= 0 ms",
            "require time - goal <= 5 ms",
            "holds as before, requirement loosened",
        ),
        ("require time <= goal", "require time <= goal * 2", "holds as before, requirement loosened"),
        ("require time <= goal", "require time <= 40 ms", "holds as before, requirement loosened"),
        ("require time * 2 <= 70 ms", "require time <= 70 ms", "holds as before, requirement loosened"),
        ("require time < 40 ms", "require time <= 40 ms", "holds as before, requirement loosened"),
        ("require time <= 40 ms", "require time < 40 ms", "holds as before, requirement tightened"),
        (
            "require established time <= 40 ms",
            "require time <= 40 ms",
            "holds as before, requirement loosened",
        ),
        ("require time < 40 ms", "require time <= 39 ms", "holds as before, requirement edited"),
        ("require time <= 40 ms", "require time >= 20 ms", "holds as before, requirement edited"),
        ("require time <= 40 ms", "require goal <= 60 ms", "holds as before, requirement edited"),
        ("require time == 30 ms", "require time == 31 ms", "holds → violated, requirement edited"),
        ("require time == 31 ms", "require time == 29 ms", "violated as before, requirement edited"),
        ("require time != 30 ms", "require time != 31 ms", "violated → holds, requirement edited"),
        (
            "require time <= 40 ms",
            "expect time <= 40 ms",
            "expected (an estimate) as before, requirement loosened",
        ),
        (
            "require time <= 40 ms",
            "expect time <= 60 ms",
            "expected (an estimate) as before, requirement loosened",
        ),
        (
            "require time <= 40 ms",
            "expect time <= 35 ms",
            "expected (an estimate) as before, requirement edited",
        ),
        (
            "require time <= 20 ms",
            "expect time <= 20 ms",
            "violated → not expected (an estimate), no longer required, requirement loosened",
        ),
        (
            "require time <= 40 ms",
            "expect time <= 20 ms",
            "holds → not expected (an estimate), requirement edited",
        ),
        ("expect time <= 40 ms", "require time <= 40 ms", "holds as before, expectation tightened"),
        (
            "expect time <= 20 ms",
            "require time <= 20 ms",
            "not expected (an estimate) → violated, expectation tightened",
        ),
        (
            "expect time <= 40 ms",
            "expect time <= 60 ms",
            "expected (an estimate) as before, expectation loosened",
        ),
    ],
)
def test_an_edited_requirement_is_told_and_in_which_direction(tmp_path, before, after, said):
    """Whether or not its verdict is another: whoever moves a limit is not to be read as having met it."""
    for name, asked in (("a", before), ("b", after)):
        (tmp_path / f"{name}.plan").write_text(LIMITED.format(asked=f'{asked} "it is fast"'))
    out = run("diff", "a.plan", "b.plan", cwd=tmp_path).out.replace("\N{NO-BREAK SPACE}", " ")
    assert out.splitlines()[1] == f"{said}  it is fast"
    was, now = (words.removeprefix("require ").removeprefix("expect ") for words in (before, after))
    assert (
        f"the requirement itself was edited ({was} → {now})" in out
        or f"it was {before} and is {after}" in out
    )


NAMED = """\
unit second, seconds symbol s prefixes decimal
part : s = 15 ms
time : s = 2 * part
goal : s = {goal}
{asked} "it is fast"
report time
"""


@pytest.mark.parametrize(
    ("asked", "before", "after", "said"),
    [
        ("require time <= goal", "40 ms", "60 ms", "holds as before, requirement loosened"),
        ("require time <= goal", "20 ms", "40 ms", "violated → holds, requirement loosened"),
        ("require goal >= time", "60 ms", "40 ms", "holds as before, requirement tightened"),
        ("require time >= goal", "20 ms", "40 ms", "holds → violated, requirement tightened"),
        # Of two names that nothing else reads neither is the other's limit, and what is read elsewhere is no limit alone.
        ("half : s = goal / 2\nrequire time <= goal", "20 ms", "40 ms", "violated → holds"),
        ("fixed : s = 30 ms\nrequire fixed <= goal", "20 ms", "40 ms", "violated → holds"),
        # A fact is no limit that somebody chose.
        ("require time <= goal", '40 ms  source "a sheet"', '60 ms  source "a sheet"', "holds as before"),
    ],
)
def test_a_limit_that_has_a_name_is_moved_as_one_that_has_none(tmp_path, asked, before, after, said):
    for name, goal in (("a", before), ("b", after)):
        (tmp_path / f"{name}.plan").write_text(NAMED.format(asked=asked, goal=goal))
    out = run("diff", "a.plan", "b.plan", cwd=tmp_path).out.replace("\N{NO-BREAK SPACE}", " ")
    assert out.splitlines()[1] == f"{said}  it is fast"
    assert "it was" not in out
    assert f"goal: {before.partition('  ')[0]} → {after.partition('  ')[0]}" in out


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("time <= 40 ms", "time <= 60 ms", ["holds as before, requirement loosened  time <= 60 ms"]),
        ("20 ms <= time", "25 ms <= time", ["holds as before, requirement tightened  25 ms <= time"]),
        (
            "time <= 40 ms",
            "time >= 20 ms",
            ["not asked → holds  time >= 20 ms", "holds → not asked  time <= 40 ms"],
        ),
        (
            "time <= 40 ms",
            "goal <= 40 ms",
            ["not asked → holds  goal <= 40 ms", "holds → not asked  time <= 40 ms"],
        ),
    ],
)
def test_a_requirement_without_words_is_known_by_what_it_limits(tmp_path, before, after, said):
    for name, asked in (("a", before), ("b", after)):
        (tmp_path / f"{name}.plan").write_text(LIMITED.format(asked=f"require {asked}"))
    lines = run("diff", "a.plan", "b.plan", cwd=tmp_path).out.splitlines()
    assert sorted(line for line in lines if line.startswith(("holds", "not asked"))) == sorted(said)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("require time <= 40 ms", "require time <= 0.04 s"),
        ("require time <= 40 ms", "require 40 ms >= time"),
        ("require time <= 40 ms", "require   time<=40 ms"),
    ],
)
def test_another_spelling_is_no_edit(tmp_path, before, after):
    for name, asked in (("a", before), ("b", after)):
        (tmp_path / f"{name}.plan").write_text(LIMITED.format(asked=f'{asked} "it is fast"'))
    assert run("diff", "a.plan", "b.plan", "--exit-code", cwd=tmp_path).code == 0


def test_what_moves_a_number_edits_no_requirement(tmp_path):
    (tmp_path / "a.plan").write_text(LIMITED.format(asked='require time <= goal "it is fast"'))
    (tmp_path / "b.plan").write_text(
        LIMITED.format(asked='require time <= goal "it is fast"').replace("35 ms", "50 ms")
    )
    out = run("diff", "a.plan", "b.plan", cwd=tmp_path).out.replace("\N{NO-BREAK SPACE}", " ")
    assert out.splitlines()[1] == "holds as before  it is fast"
    assert "because goal +15 ms" in out


def test_the_part_of_an_edit_is_told_beside_those_of_numbers(tmp_path):
    """By hand: the goal is 15 ms further, the limit 1 ms nearer: 14 ms of room more, and the requirement is tighter."""
    (tmp_path / "a.plan").write_text(LIMITED.format(asked='require time <= goal "it is fast"'))
    (tmp_path / "b.plan").write_text(
        LIMITED.format(asked='require time <= goal - 1 ms "it is fast"').replace("35 ms", "50 ms")
    )
    out = run("diff", "a.plan", "b.plan", cwd=tmp_path).out.replace("\N{NO-BREAK SPACE}", " ")
    assert out.splitlines()[1] == "holds as before, requirement tightened  it is fast"
    assert (
        "because goal +15 ms, the requirement itself was edited (time <= goal → time <= goal - 1 ms) −1 ms"
        in out
    )


def test_an_option_by_a_slip_of_the_pen_is_told_with_all_there_are(tmp_path):
    (tmp_path / "a.plan").write_text(OPTIONS)
    ended = run("diff", "a.plan", "a", "a@wode", cwd=tmp_path)
    said = (
        "did you mean `a@wide`?; it has `a`, `a@big`, `a@wide`, `b`, `b@big`; `wide` is enough for `a@wide`\n"
    )
    assert ended.err.endswith(said)


UNJUDGED = """\
unit second, seconds symbol s prefixes decimal
time : s = gone
{}
"""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('require time <= 40 ms "fast"', 'require time <= 60 ms "fast"', "requirement loosened"),
        ('require time <= 60 ms "fast"', 'require time <= 40 ms "fast"', "requirement tightened"),
        ('require 20 ms <= time "fast"', 'require 10 ms <= time "fast"', "requirement loosened"),
        ('require time >= 20 ms "fast"', 'require time >= 10 ms * 3 "fast"', "requirement tightened"),
        ('require established time <= 1 s "fast"', 'require time <= 1 s "fast"', "requirement loosened"),
        ('require time < 40 ms "fast"', 'require time <= 39 ms "fast"', "requirement edited"),
        ('require time <= 40 ms "fast"', 'require time <= goal "fast"', "requirement edited"),
        ("require time <= 40 ms", "require time <= 50 ms", "requirement loosened"),
        ('require time <= 40 ms "fast"', 'require time <= 0.04 s "fast"', ""),
        ('require time <= 40 ms "fast"', 'require  time<=40 ms "quick"', ""),
    ],
)
def test_an_edited_requirement_is_told_though_an_error_leaves_it_no_verdict(tmp_path, before, after, said):
    """On both sides, or on one: what is written is there to be read."""
    for name, asked in (("a", before), ("b", after)):
        (tmp_path / f"{name}.plan").write_text(UNJUDGED.format(asked))
    out = run("diff", "a.plan", "b.plan", cwd=tmp_path).out
    assert ("no verdict as before, " in out) == bool(said)
    assert said in out
    assert "→ no verdict" not in out
    good = UNJUDGED.format(before).replace("gone", "30 ms")
    (tmp_path / "a.plan").write_text(good)
    there, back = (
        run("diff", *way, cwd=tmp_path).out for way in (("a.plan", "b.plan"), ("b.plan", "a.plan"))
    )
    assert f"holds → no verdict{', ' if said else ''}{said}" in there
    mirrored = {"loosened": "tightened", "tightened": "loosened"}
    turned = " ".join(mirrored.get(word, word) for word in said.split())
    assert f"no verdict → holds{', ' if said else ''}{turned}" in back


def test_what_is_only_expected_now_asks_less_though_an_error_leaves_it_no_verdict(tmp_path):
    for name, verb in (("a", "require"), ("b", "expect")):
        (tmp_path / f"{name}.plan").write_text(UNJUDGED.format(f'{verb} time <= 40 ms "fast"'))
    said = [run("diff", *way, cwd=tmp_path).out for way in (("a.plan", "b.plan"), ("b.plan", "a.plan"))]
    assert "no verdict as before, requirement loosened  fast" in said[0]
    assert "no verdict as before, expectation tightened  fast" in said[1]


def test_a_requirement_beside_an_expectation_of_one_label_is_gone_when_it_is(tmp_path):
    both = 'require time <= 40 ms "fast"\nexpect time <= 35 ms "fast"'
    for name, asked in (("a", both), ("b", 'expect time <= 35 ms "fast"')):
        (tmp_path / f"{name}.plan").write_text(LIMITED.format(asked=asked))
    out = run("diff", "a.plan", "b.plan", cwd=tmp_path).out
    assert "holds → not asked  fast" in out
    assert "loosened" not in out


def test_a_requirement_without_a_verdict_comes_and_goes(tmp_path):
    (tmp_path / "a.plan").write_text(UNJUDGED.format('require time <= 40 ms "fast"'))
    (tmp_path / "b.plan").write_text(UNJUDGED.format("").replace("gone", "30 ms"))
    assert "no verdict → not asked  fast" in run("diff", "a.plan", "b.plan", cwd=tmp_path).out
    assert "not asked → no verdict  fast" in run("diff", "b.plan", "a.plan", cwd=tmp_path).out


@pytest.mark.parametrize(
    ("before", "after", "said", "back"),
    [
        ('require time <= 40 ms "fast"', "", "no verdict → not asked  fast", "not asked → no verdict  fast"),
        ("expect time == 3 s", "expect time == 4 s", "no verdict as before, expectation edited", ""),
        ("require 3 s != time", "require 4 s != time", "no verdict as before, requirement edited", ""),
        ("require time <= 3 s", "require 4 s >= time", "requirement loosened", "requirement tightened"),
        ("require time <= 3 s", "require time >= 4 s", "not asked → no verdict", "no verdict → not asked"),
        ('require 1 s <= 2 s "sure"', "", "holds → not asked  sure", "not asked → holds  sure"),
    ],
)
def test_what_is_asked_is_compared_where_both_sides_have_errors(tmp_path, before, after, said, back):
    for name, asked in (("a", before), ("b", after)):
        (tmp_path / f"{name}.plan").write_text(UNJUDGED.format(asked))
    ways = ("a.plan", "b.plan"), ("b.plan", "a.plan")
    out = [run("diff", *way, cwd=tmp_path).out for way in ways]
    assert said in out[0]
    assert (back or said) in out[1]


def test_of_a_side_that_cannot_be_read_nobody_knows_what_it_asks(tmp_path):
    """A statement that is no statement may have been the requirement that the other side has."""
    asked = 'require 1 s <= 2 s "sure"\nrequire time <= 40 ms "fast"'
    (tmp_path / "a.plan").write_text(UNJUDGED.format(asked))
    (tmp_path / "b.plan").write_text(UNJUDGED.format("requires time <= = 40 ms"))
    for way in (("a.plan", "b.plan"), ("b.plan", "a.plan")):
        out = run("diff", *way, cwd=tmp_path).out
        assert "not asked" not in out
        assert ("holds → no verdict  sure" in out) == (way[0] == "a.plan")
        assert ("no verdict → holds  sure" in out) == (way[0] == "b.plan")


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "json"])
def test_what_has_no_verdict_is_written_in_every_format(tmp_path, form):
    (tmp_path / "a.plan").write_text(UNJUDGED.format('require time <= 40 ms "fast"').replace("gone", "30 ms"))
    (tmp_path / "b.plan").write_text(UNJUDGED.format('require time <= 60 ms "fast"'))
    out = run("diff", "a.plan", "b.plan", "--format", form, cwd=tmp_path).out
    assert "fast" in out
    assert "loosened" in out
    if form != "json":
        assert "no verdict" in out
        return
    diff, problems = diff_from_json(out)
    assert not problems
    assert [(one.before.status, one.after, one.edit) for one in diff.unjudged] == [
        ("holds", None, "loosened")
    ]
    assert schema_errors(out, json.loads((ROOT / "grammar/diffdoc.schema.json").read_text())) == ()


def test_two_requirements_of_one_label_are_two_edits(tmp_path):
    asked = 'require time <= {} ms "it is fast"\nrequire goal <= {} ms "it is fast"'
    (tmp_path / "a.plan").write_text(LIMITED.format(asked=asked.format(40, 41)))
    (tmp_path / "b.plan").write_text(LIMITED.format(asked=asked.format(50, 60)))
    out = run("diff", "a.plan", "b.plan", cwd=tmp_path).out.replace("\N{NO-BREAK SPACE}", " ")
    assert "the requirement itself was edited (time <= 40 ms → time <= 50 ms) +10 ms" in out
    assert "the requirement itself was edited (goal <= 41 ms → goal <= 60 ms) +19 ms" in out


def test_a_revision_without_a_path_says_how_one_is_written(tmp_path):
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(tmp_path)]
    (tmp_path / "a.plan").write_text("a = 1\nreport a\n", encoding="utf-8")
    for words in (["init", "-q"], ["add", "a.plan"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    ended = run("diff", "HEAD", "a.plan", cwd=tmp_path)
    assert ended.code == 2
    assert "`HEAD`; it is a revision of git" in ended.err
    assert "`capwright diff HEAD:plan.plan plan.plan`" in ended.err
    assert run("diff", "HEAD:a.plan", "a.plan", cwd=tmp_path).code == 0
    assert "it is a revision" not in run("diff", "none.plan", "a.plan", cwd=tmp_path).err


def test_a_limit_of_zero_is_a_number_too(tmp_path):
    """Of what is confidential nothing tells the direction but the limit itself."""
    for name, limit in (("a", "0 s"), ("b", "5 s")):
        text = SECRET_COST.replace("cost <= 7 s", f"cost - 30 s <= {limit}")
        (tmp_path / f"{name}.plan").write_text(text)
    assert "requirement loosened" in run("diff", "a.plan", "b.plan", "--public", cwd=tmp_path).out


def test_two_plans_never_share_a_page(tmp_path):
    for side, value in (("one", 1), ("two", 2)):
        (tmp_path / side / "a").mkdir(parents=True)
        for name in ("a/b.plan", "a.b.plan"):
            (tmp_path / side / name).write_text(f"x = {value}\nreport x\n")
    ended = run("diff", "one", "two", "--format", "html", "-o", "out", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    pages = sorted((tmp_path / "out").iterdir())
    assert [page.name for page in pages] == ["a.b-2.html", "a.b.html"]
    assert ["a/b.plan" in page.read_text() for page in pages] == [True, False]
