"""`capwright weave` on files: what is filled in, and that nothing else changes by a byte."""

from __future__ import annotations

import html
import io
import os
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capwright.cli import main
from capwright.weave.regions import find_regions

PLAN = """use std
kind store : byte for capacity "store"
pool : byte kind store = 30 GiB caveat not_measured for capacity "nobody has looked"
half : byte = pool / 2
secret : dollar/hour = 3.17 $/hour confidential
bill : dollar/hour = secret * 2
report pool, half
"""
VALUE = "<!-- capwright: value a.plan half -->{}<!-- /capwright -->"
TABLE = "<!-- capwright: table a.plan pool half -->{}<!-- /capwright -->"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "capwright.toml").write_text("", encoding="utf-8")
    (tmp_path / "a.plan").write_text(PLAN, encoding="utf-8")
    return tmp_path


def weave(path: Path, *words: str) -> tuple[int, str]:
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = main(["weave", *words, str(path)])
    return code, told.getvalue()


def is_fresh(path: Path) -> bool:
    """Whether `--check` finds nothing stale, and says that and nothing else."""
    code, told = weave(path, "--check")
    return code == 0 and re.fullmatch(r"\d+ regions? of 1 file (is|are) fresh\n", told) is not None


def woven(folder: Path, data: bytes) -> bytes:
    path = folder / "doc.md"
    path.write_bytes(data)
    code, told = weave(path)
    assert code == 0, told
    assert is_fresh(path)
    return path.read_bytes()


def plain(data: bytes) -> str:
    return data.decode().replace("\N{NO-BREAK SPACE}", " ")


def test_a_value(folder):
    told = VALUE.format("15\u00a0GiB (nobody has looked)")
    assert woven(folder, VALUE.format("old").encode()) == told.encode()


def test_caveats_travel_with_a_capacity(folder):
    text = plain(woven(folder, b"<!-- capwright: value a.plan pool --><!-- /capwright -->"))
    assert "30 GiB (nobody has looked)" in text


def test_caveats_in_a_line_are_whole(folder):
    """What they ask for may stand in their last sentence; no name of the library, and one sign between two."""
    (folder / "c.plan").write_text(
        "unit byte, bytes symbol B\n"
        "kind store : byte for capacity\n"
        "pool : byte kind store = 3 bytes\n"
        '  caveat no_promise permanent for capacity "No promise: try it."\n'
        '  caveat read_elsewhere for capacity "Read off another log. Read your own."\n'
    )
    text = plain(woven(folder, b"<!-- capwright: value c.plan pool --><!-- /capwright -->"))
    assert "3 bytes (No promise: try it; Read off another log. Read your own)" in text
    text = plain(woven(folder, b"<!-- capwright: table c.plan pool -->\n<!-- /capwright -->\n"))
    assert "> No promise: try it.\n>\n> Read off another log. Read your own.\n" in text


RANGES = """use std
kind store : byte for capacity "store"
assume share = 0.8 in 0.7 .. 0.9 because "two weeks of logs"
pool : byte kind store = 50 GiB * share caveat not_measured for capacity "nobody has looked"
plain_pool : byte = 50 GiB * share
least : s >= 20 ms
guess : s ~ 20 ms
"""


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("plain_pool", "40 GiB (established: 35 .. 45 GiB)"),
        ("pool", "40 GiB (established: 35 .. 45 GiB; nobody has looked)"),
        ("least", "≥ 20 ms"),
        ("guess", "~ 20 ms (established: nothing)"),
    ],
)
def test_a_range_is_never_passed_as_one_number(folder, address, said):
    (folder / "r.plan").write_text(RANGES, encoding="utf-8")
    marker = f"<!-- capwright: value r.plan {address} -->"
    text = plain(woven(folder, f"{marker}<!-- /capwright -->".encode()))
    assert html.unescape(text) == f"{marker}{said}<!-- /capwright -->"
    step = plain(
        woven(folder, f"<!-- capwright: derivation r.plan {address} -->\n<!-- /capwright -->\n".encode())
    )
    assert said.split(";")[0].rstrip(")") in step


def test_a_range_stands_before_the_marks_of_caveats(folder):
    (folder / "r.plan").write_text(RANGES, encoding="utf-8")
    told = "<!-- capwright: caveats -->\n<!-- /capwright -->\n"
    text = plain(
        woven(folder, f"<!-- capwright: value r.plan pool --><!-- /capwright -->\n\n{told}".encode())
    )
    assert "-->40 GiB (established: 35 .. 45 GiB)<sup>[1]</sup><!--" in text
    assert "> <sup>[1]</sup> nobody has looked\n" in text


def test_caveats_of_a_passage_stand_where_it_has_a_region_for_them(folder):
    pool = "<!-- capwright: value a.plan pool -->{}<!-- /capwright -->"
    told = "<!-- capwright: caveats -->\n{}<!-- /capwright -->\n"
    half = VALUE.format("")
    before = f"A {pool.format('')} b {pool.format('')} c {half}.\n\n{told.format('')}\nD {pool.format('')}.\n"
    text = plain(woven(folder, before.encode()))
    passage, _, after = text.partition(told.partition("{}")[0])
    assert passage.count("30 GiB<sup>[1]</sup><!-- /capwright -->") == 2
    assert (
        "15 GiB<sup>[1]</sup><!-- /capwright -->" in passage
    )  # without a kind, half of a pool owes what the pool does
    assert after.startswith("> <sup>[1]</sup> nobody has looked\n<!-- /capwright -->")
    assert "30 GiB (nobody has looked)" in after  # no region for caveats follows
    assert plain(woven(folder, woven(folder, before.encode()))) == text


def test_a_table_and_its_caveats(folder):
    text = plain(woven(folder, TABLE.format("").encode()))
    assert "| `half` | 15 GiB | exact |" in text
    assert "> nobody has looked" in text


NOTED = """use std
kind store : byte for capacity "store"
kind floor : s for time "floor"
formula least(n: number) : s kind floor >= n * 1 s  excludes "queues", "norms"
one : byte kind store = 3 GiB caveat read_elsewhere for capacity "Read off another log."
two : byte kind store = one caveat taken_evenly for capacity "Taken to be even."
wait = least(3)
view bars of sizes "Sizes" : one, two
"""


def test_a_table_says_of_which_rows_a_caveat_and_an_exclusion_are(folder):
    (folder / "n.plan").write_text(NOTED, encoding="utf-8")
    marker = "<!-- capwright: table n.plan {} -->\n<!-- /capwright -->\n"
    text = html.unescape(plain(woven(folder, marker.format("one two wait").encode())))
    assert "`one` | 3 GiB<sup>[a]</sup> |" in text
    assert "`two` | 3 GiB<sup>[a]</sup><sup>[b]</sup> |" in text
    assert "`wait` | ≥ 3 s<sup>[c]</sup> |" in text
    assert text.partition("\n\n")[2].startswith(
        "> <sup>[a]</sup> Read off another log.\n>\n> <sup>[b]</sup> Taken to be even.\n>\n"
        '> <sup>[c]</sup> Excludes "norms", "queues"\n'
    )
    # What stands on every row needs no mark.
    text = html.unescape(plain(woven(folder, marker.format("one two").encode())))
    assert "`one` | 3 GiB |" in text
    assert "`two` | 3 GiB<sup>[a]</sup> |" in text
    assert "> Read off another log.\n>\n> <sup>[a]</sup> Taken to be even.\n" in text


def test_a_floor_is_woven_with_what_it_excludes(folder):
    (folder / "n.plan").write_text(NOTED, encoding="utf-8")
    text = html.unescape(plain(woven(folder, b"<!-- capwright: value n.plan wait --><!-- /capwright -->")))
    assert '≥ 3 s (excludes "norms", "queues")' in text
    text = html.unescape(
        plain(woven(folder, b"<!-- capwright: derivation n.plan wait -->\n<!-- /capwright -->\n"))
    )
    assert '> Excludes "norms", "queues"\n' in text


def test_a_drawing_names_what_a_caveat_is_of(folder):
    (folder / "n.plan").write_text(NOTED, encoding="utf-8")
    text = html.unescape(
        plain(woven(folder, b"<!-- capwright: chart n.plan sizes -->\n<!-- /capwright -->\n"))
    )
    assert "> Read off another log.\n>\n> Taken to be even. (`two`)\n" in text


SHARED = """use std
entity part { n : whole; price : dollar/hour; size : byte; total : dollar/hour = price * n }
part prod { n = 3; price = 1 $/hour; size = 3 byte }
part dear { n = 4; price = prod.price; size = 4 byte }
part box { n = 4; price = 2 $/hour; size = prod.size }
entity pair { of : part; cost : dollar/hour = of.total * 2 }
pair two { of = prod }
option alt of prod { n = 5 }
report prod, box
"""


def rows(folder: Path, *addresses: str) -> dict[str, str]:
    """The rows of a table by name, and their values."""
    (folder / "s.plan").write_text(SHARED, encoding="utf-8")
    marker = f"<!-- capwright: table s.plan {' '.join(addresses)} -->\n<!-- /capwright -->\n"
    text = plain(woven(folder, marker.encode()))
    return dict(re.findall(r"^\| [^|]*`([^`]+)` \| ([^|]+) \|", text, re.MULTILINE))


def test_what_names_share_has_a_row_for_each_name(folder):
    assert list(rows(folder, "prod.size", "box.size")) == ["prod.size", "box.size"]
    assert list(rows(folder, "box.size")) == ["box.size"]
    assert rows(folder, "dear.price") == {"dear.price": rows(folder, "prod.price")["prod.price"]}


def test_below_an_option_and_a_reference_nothing_is_left_out(folder):
    alt = rows(folder, "prod@alt")
    assert set(alt) == {f"prod@alt.{name}" for name in ("n", "price", "size", "total")}
    assert alt["prod@alt.size"] == "3 bytes"
    assert set(rows(folder, "two.of")) == {f"two.of.{name}" for name in ("n", "price", "size", "total")}
    assert set(rows(folder, "two.of.total", "two")) == {"two.of.total", "two.cost"}
    assert set(rows(folder, "box")) == {f"box.{name}" for name in ("n", "price", "size", "total")}


def test_a_derivation_goes_by_the_name_that_is_asked_for(folder):
    (folder / "s.plan").write_text(SHARED, encoding="utf-8")
    marker = b"<!-- capwright: derivation s.plan box.size -->\n<!-- /capwright -->\n"
    assert plain(woven(folder, marker)).split("```")[1].startswith("text\nbox.size\n")


def test_a_derivation(folder):
    text = woven(folder, b"<!-- capwright: derivation a.plan half -->\n<!-- /capwright -->\n").decode()
    assert "half\n  = pool / 2\n  = 30 GiB / 2\n  = 15 GiB\n" in text.replace("\N{NO-BREAK SPACE}", " ")


def test_names_alone_are_one_step_of_a_derivation(folder):
    (folder / "n.plan").write_text(
        "a = 2\nsum = a * 3\nnamed = sum\nagain = named\nreport again\n", encoding="utf-8"
    )
    text = plain(woven(folder, b"<!-- capwright: derivation n.plan again -->\n<!-- /capwright -->\n"))
    assert "\nagain\n  = named = sum\n  = a × 3\n  = 2 × 3\n  = 6\na\n" in text


def test_a_derivation_says_why_an_assumption_was_made(folder):
    (folder / "s.plan").write_text(
        'assume share = 0.8 in 0.7 .. 0.9 because "a trial"\nhalf = share / 2\nreport half\n',
        encoding="utf-8",
    )
    text = plain(woven(folder, b"<!-- capwright: derivation s.plan half -->\n<!-- /capwright -->\n"))
    assert text.count("0.8 in 0.7 .. 0.9") == 1
    assert "share\n  = 0.8 in 0.7 .. 0.9\n" in text
    assert "\n    a trial, s.plan:1\n" in text


def test_a_chart_is_what_a_forge_draws():
    example = Path(__file__).parents[2] / "plans" / "examples" / "llama-3.1-70b-long-context.plan"
    from capwright.compiling import compile_plan
    from capwright.loading import load
    from capwright.render.index import index
    from capwright.render.woven import chart

    of = index(compile_plan(load(str(example))).sound)
    text = chart(next(view for view in of.doc.views if view.owner == "prod.memory"), of)
    assert re.search(r"```mermaid\nxychart-beta horizontal\n(  .*\n)*  bar \[[-\d., ]+\]\n```\n", text)
    assert len(text) < 50_000
    assert "> Not a fit guarantee" in text


def test_a_chart_says_what_its_bars_leave_out(folder):
    (folder / "n.plan").write_text(
        'assume a = 8 in 6 .. 9 because "a trial"\nb = 4\nc = 3 confidential\n'
        'view bars of sizes "Sizes" : a, b, c\nreport a, b\n',
        encoding="utf-8",
    )
    text = plain(woven(folder, b"<!-- capwright: chart n.plan sizes -->\n<!-- /capwright -->\n"))
    assert "  bar [8, 4]\n```\n\n> Established: a: 6 .. 9\n>\n> Withheld: c\n" in text


def test_confidential_numbers_are_withheld(folder):
    words = b"".join(
        b"<!-- capwright: %s a.plan bill secret -->\n<!-- /capwright -->\n" % shape for shape in (b"table",)
    )
    words += b"<!-- capwright: value a.plan bill --><!-- /capwright -->\n"
    words += b"<!-- capwright: derivation a.plan bill -->\n<!-- /capwright -->\n"
    text = woven(folder, words).decode()
    assert "3.17" not in text
    assert "6.34" not in text
    assert text.count("withheld") >= 4


@pytest.mark.parametrize(
    "before, after",
    [
        (b"\xef\xbb\xbf", b""),
        (b"line\r\n", b"\r\nend"),
        (b"caf\xe9 \xff\x00 ", b" \x80"),
        (b"", b""),
        ("Ünï — ☃ ".encode(), "…\n\n\n".encode()),
        (b"a\rb\r", b"\r"),
        (b"tail \t ", b"   \t"),
    ],
)
def test_the_rest_stays_byte_for_byte(folder, before, after):
    text = woven(folder, before + VALUE.format("old").encode() + after)
    assert text.startswith(before)
    assert text.endswith(after)


def test_a_block_takes_the_files_line_ends_and_quote_signs(folder):
    data = TABLE.format("\r\n").replace("<!--", "> <!--").encode() + b"\r\n> end\r\n"
    lines = woven(folder, data).split(b"\r\n")
    assert all(b"\n" not in line for line in lines)
    assert all(line.startswith(b">") for line in lines[:-1])


def test_another_encoding_gets_ascii(folder):
    text = woven(folder, b"caf\xe9 <!-- capwright: value a.plan pool --><!-- /capwright -->")
    assert b"30&#160;GiB" in text


def test_stale_is_said(folder):
    path = folder / "doc.md"
    path.write_bytes(b"x\n" + VALUE.format("14 GiB").encode())
    code, told = weave(path, "--check")
    assert (code, "doc.md:2: value a.plan half" in told) == (1, True)
    assert path.read_bytes() == b"x\n" + VALUE.format("14 GiB").encode()


@pytest.mark.parametrize(
    "marker, code",
    [
        ("<!-- capwright: value a.plan hlaf --><!-- /capwright -->", "CW0703"),
        ("<!-- capwright: valeu a.plan half --><!-- /capwright -->", "CW0800"),
        ("<!-- capwright: value a.plan --><!-- /capwright -->", "CW0800"),
        ("<!-- capwright: caveats a.plan half --><!-- /capwright -->", "CW0800"),
        ("<!-- capwright: value gone.plan half --><!-- /capwright -->", "CW0150"),
        ("<!-- capwright: value ../../a.plan half --><!-- /capwright -->", "CW0151"),
        ("<!-- capwright: value bad.plan half --><!-- /capwright -->", "CW0805"),
        ("<!-- capwright: chart a.plan prod.memory --><!-- /capwright -->", "CW0806"),
        ("text <!-- capwright: table a.plan half --><!-- /capwright -->", "CW0804"),
        ("<!-- capwright: value a.plan half -->", "CW0801"),
        (
            "<!-- capwright: value a.plan half --><!-- capwright: value a.plan half --><!-- /capwright -->",
            "CW0802",
        ),
        ("<!-- /capwright -->", "CW0803"),
    ],
)
def test_a_mistake_leaves_the_file_alone(folder, marker, code):
    (folder / "bad.plan").write_text("half : byte = nothing\n", encoding="utf-8")
    path = folder / "doc.md"
    data = (VALUE.format("old") + "\n" + marker + "\n").encode()
    path.write_bytes(data)
    result, told = weave(path)
    assert (result, code in told) == (1, True), told
    assert path.read_bytes() == data


def test_a_plan_that_is_wrong_is_told_once_with_its_cause(folder):
    (folder / "bad.plan").write_text("a = 1\nhalf : byte = nothing\nmore = 1 / 0\n", encoding="utf-8")
    path = folder / "doc.md"
    path.write_text(3 * "<!-- capwright: value bad.plan half --><!-- /capwright -->\n", encoding="utf-8")
    code, told = weave(path)
    assert code == 1
    assert told.count("CW0805") == 1
    assert re.search(r"`bad\.plan` has an error at bad\.plan:2: `byte` is .* \(CW0303\), and 1 more", told), (
        told
    )


def test_the_cause_in_a_plan_with_confidential_numbers_is_no_number(folder):
    (folder / "bad.plan").write_text(
        "secret = 473_917 confidential\nx : whole = secret / 10 confidential\n", encoding="utf-8"
    )
    path = folder / "doc.md"
    path.write_text("<!-- capwright: value bad.plan x --><!-- /capwright -->\n", encoding="utf-8")
    code, told = weave(path)
    assert (code, told.count("CW0805")) == (1, 1)
    assert "473917" not in re.sub(r"[,.\s]", "", told)


def test_all_mistakes_of_a_document_are_told_at_once(folder):
    path = folder / "doc.md"
    first = "<!-- capwright: value a.plan hlaf --><!-- /capwright -->\n"
    third = "<!-- capwright: value gone.plan half --><!-- /capwright -->\n"
    data = f"{first}{VALUE.format('old')}\n{third}<!-- /capwright -->\n".encode()
    path.write_bytes(data)
    code, told = weave(path)
    assert (code, path.read_bytes()) == (1, data)
    assert re.findall(r"error\[(\w+)\]|doc\.md:(\d)", told) == [
        ("CW0703", ""), ("", "1"), ("CW0150", ""), ("", "3"), ("CW0803", ""), ("", "4"),
    ]  # fmt: skip


def test_utf_16_is_refused(folder):
    path = folder / "doc.md"
    path.write_bytes(VALUE.format("old").encode("utf-16"))
    code, told = weave(path)
    assert (code, "CW0807" in told) == (2, True)


def test_a_hostile_label_stays_text(folder):
    words = "</table> | x | `y` <!-- /capwright --> <script> @octocat ```"
    (folder / "a.plan").write_text(
        f'use std\nhalf : byte = 15 GiB "{words}"\nreport half\n', encoding="utf-8"
    )
    markers = "\n".join(
        f"<!-- capwright: {shape} a.plan half -->\n<!-- /capwright -->\n" for shape in ("table", "derivation")
    )
    text = woven(folder, markers.encode()).decode()
    assert "<script>" not in text.split("```text")[0]
    assert len(find_regions(text.encode().decode("latin-1"))[0]) == 2


PROSE = st.binary(max_size=30).filter(lambda data: not data.startswith((b"\xff\xfe", b"\xfe\xff")))
PIECE = st.one_of(
    PROSE,
    st.sampled_from(
        [
            *(b"\r\n", b"\n\n", b"```\n", b"~~~\n", b"`", b"> ", b"- ", b"    "),
            b"\n" + VALUE.format("x").encode(),
            b"\n" + TABLE.format("\nx\n").encode() + b"\n",
        ]
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECE, max_size=10))
@example([b"`", b"\n" + TABLE.format("\nx\n").encode() + b"\n"])
def test_only_regions_change(tmp_path_factory, pieces):
    """On any document: what is outside of the regions stays, weaving again changes nothing."""
    folder = tmp_path_factory.mktemp("weave")
    (folder / "capwright.toml").write_text("", encoding="utf-8")
    (folder / "a.plan").write_text(PLAN, encoding="utf-8")
    data = b"".join(pieces)
    path = folder / "doc.md"
    path.write_bytes(data)
    code, _ = weave(path)
    after = path.read_bytes()
    if code:
        assert after == data
        return
    assert outside(after) == outside(data)
    assert weave(path, "--check")[0] == 0
    assert weave(path)[0] == 0
    assert is_fresh(path)
    assert path.read_bytes() == after


def outside(data: bytes) -> list[str]:
    text = data.decode("latin-1")
    at, found = 0, []
    for region in find_regions(text)[0]:
        found.append(text[at : region.start])
        at = region.end
    return [*found, text[at:]]


LAB = """use std
unit request, requests counting
entity bench {
  peak : FLOP/s = 100e12 FLOP/s
  bandwidth : byte/s = 1e12 byte/s
  intensity : FLOP/byte = 40 FLOP/byte
  attainable : FLOP/s = min(peak, bandwidth * intensity)
  longest : s default 2 s
  view ceiling of roof "Roof of <us> & them" : peak, bandwidth, intensity, attainable
  view line of over_time "Line" : longest, attainable, longest, peak
  view scatter of points "Points" : longest, attainable
  view waterfall of fall "Fall" : peak, attainable
}
bench lab { }
bench hidden { } confidential
report lab, hidden
"""


@pytest.fixture
def lab(folder: Path) -> Path:
    (folder / "lab.plan").write_text(LAB.replace("unit request, requests counting\n", ""), encoding="utf-8")
    return folder


def chart(view: str, file: str = "") -> bytes:
    return f"<!-- capwright: chart lab.plan {view} {file}-->\n<!-- /capwright -->\n".encode()


@pytest.mark.parametrize("view", ["roof", "over_time", "points", "fall"])
def test_every_view_of_a_report_is_drawn_into_a_file(lab, view):
    import xml.etree.ElementTree as ET

    text = woven(lab, chart(f"lab.{view}", f"{view}.svg ")).decode()
    assert f"]({view}.svg)" in text
    root = ET.fromstring((lab / f"{view}.svg").read_text(encoding="utf-8"))
    kinds = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert "a" not in kinds
    assert {"line", "text"} <= kinds
    assert root.attrib["viewBox"].startswith("0 0 752 ")


def test_a_picture_alone_has_the_drawing_of_the_report(lab):
    from capwright.compiling import compile_plan
    from capwright.loading import load
    from capwright.render.charts.pictures import picture
    from capwright.render.index import index

    woven(lab, chart("lab.roof", "roof.svg "))
    of = index(compile_plan(load(str(lab / "lab.plan"))).sound)
    drawn = picture(next(view for view in of.doc.views if view.name == "lab.roof"), of)
    body = re.sub(r"</?a\b[^>]*>", "", drawn.partition(">")[2])
    assert body in (lab / "roof.svg").read_text(encoding="utf-8")


def test_a_changed_picture_is_stale(lab):
    woven(lab, chart("lab.roof", "roof.svg "))
    picture = lab / "roof.svg"
    picture.write_text(picture.read_text().replace("100", "101", 1))
    assert weave(lab / "doc.md", "--check")[0] == 1
    picture.unlink()
    code, told = weave(lab / "doc.md", "--check")
    assert (code, "roof.svg" in told) == (1, True)
    assert weave(lab / "doc.md")[0] == 0
    assert is_fresh(lab / "doc.md")


@pytest.mark.parametrize(
    "words, code",
    [
        (chart("lab.roof"), "CW0806"),
        (chart("lab.roof", "roof.png "), "CW0808"),
        (chart("lab.roof", "none/roof.svg "), "CW0808"),
        (chart("lab.roof", "mine.svg "), "CW0808"),
        (chart("lab.roof", "../roof.svg "), "CW0151"),
        (chart("hidden.roof", "roof.svg "), "CW0806"),
        (chart("lab.roof", "a.svg ") + chart("lab.points", "a.svg "), "CW0808"),
        (chart("lab.roof", "a.svg b.svg "), "CW0800"),
    ],
)
def test_a_picture_that_cannot_be_written_leaves_all_as_it_was(lab, words, code):
    (lab / "mine.svg").write_text("<svg/>", encoding="utf-8")
    (lab / "doc.md").write_bytes(words)
    before = sorted(lab.iterdir())
    status, told = weave(lab / "doc.md")
    assert (status, code in told) == (1, True), told
    assert (lab / "doc.md").read_bytes() == words
    assert sorted(lab.iterdir()) == before
    assert (lab / "mine.svg").read_text(encoding="utf-8") == "<svg/>"


@pytest.mark.parametrize(
    "file, said",
    [
        ("roof.png", "`roof.png` does not end in `.svg`"),
        ("docs/roof.svg", "there is no folder `docs` for the picture"),
        ("docs/roof.svg", "the path is relative to the document's folder"),
        ("mine.svg", "`mine.svg` holds something else than a picture of a plan's"),
        ("mine.svg", "the path is relative to the document's folder"),
    ],
)
def test_what_is_wrong_with_the_file_of_a_picture_is_told(lab, file, said):
    (lab / "docs").mkdir()
    (lab / "docs/mine.svg").write_text("<svg/>", encoding="utf-8")
    document = lab / "docs/doc.md"
    document.write_bytes(chart("lab.roof", f"{file} ").replace(b"lab.plan", b"../lab.plan"))
    status, told = weave(document)
    assert (status, "CW0808" in told, said in told) == (1, True, True), told


def test_a_view_goes_by_its_name_or_its_chart_or_its_only_owner(lab):
    plan = lab / "lab.plan"
    for view in ("lab.roof", "lab.ceiling"):
        woven(lab, chart(view, "roof.svg "))
    (lab / "doc.md").write_bytes(chart("lab", "roof.svg "))
    code, told = weave(lab / "doc.md")
    assert (code, "`lab` has 4 views" in told) == (1, True)
    plan.write_text(
        plan.read_text(encoding="utf-8")
        .replace("  view line", "# ")
        .replace("  view scatter", "# ")
        .replace("  view waterfall", "# "),
        encoding="utf-8",
    )
    woven(lab, chart("lab", "roof.svg "))


def test_without_a_name_all_documents_of_the_project_are_taken(folder, monkeypatch):
    """A plan that changed makes documents stale that nobody named."""
    for name in ("doc.md", "docs/design.md", ".hidden/old.md", "node_modules/other/README.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(
            VALUE.replace("a.plan", "/".join([".."] * name.count("/") + ["a.plan"])).format("old")
        )
    (folder / "plain.md").write_text("# nothing to weave\n")
    monkeypatch.chdir(folder / "docs")
    told = io.StringIO()
    with redirect_stdout(told):
        assert main(["weave", "--check"]) == 1
    assert [line.partition(":")[0] for line in told.getvalue().splitlines()] == [
        "stale ../doc.md",
        "stale design.md",
    ]
    with redirect_stdout(io.StringIO()):
        assert main(["weave"]) == 0
        assert main(["weave", "--check"]) == 0
    assert "old" not in (folder / "doc.md").read_text()
    assert "old" in (folder / ".hidden/old.md").read_text()


def test_a_measurement_can_be_woven_and_a_confidential_one_is_withheld(folder):
    plan = "use std\nwait : s >= 1 s\nmeasure wait = 3 s in 2 s .. 4 s as night { }%s\nreport wait\n"
    marker = b"<!-- capwright: value m.plan wait!night --><!-- /capwright -->\n"
    (folder / "m.plan").write_text(plan % "", encoding="utf-8")
    text = woven(folder, marker).decode().replace("\N{NO-BREAK SPACE}", " ")
    assert "≈ 3 s (range: 2 .. 4 s) (measured, gap closed)" in text
    (folder / "m.plan").write_text(plan % " confidential", encoding="utf-8")
    text = woven(folder, marker).decode()
    assert "withheld" in text
    assert "3" not in text
    (folder / "doc.md").write_text(
        "<!-- capwright: table m.plan wait!night -->\n<!-- /capwright -->\n", encoding="utf-8"
    )
    code, said = weave(folder / "doc.md")
    assert code == 1
    assert "CW0703" in said
    assert (
        f"it is a measurement: `capwright explain {os.path.relpath(folder / 'm.plan')} 'wait!night'` tells it"
        in said
    )


def test_a_path_that_is_not_relative_to_the_document_says_what_it_is_relative_to(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "a.plan").write_text("a = 1\n", encoding="utf-8")
    for path in ("a.plan", "plans/a.plan"):
        marker = f"<!-- capwright: value {path} a -->1<!-- /capwright -->\n"
        (tmp_path / "docs/d.md").write_text(marker, encoding="utf-8")
        told = io.StringIO()
        with redirect_stderr(told), redirect_stdout(told):
            assert main(["weave", str(tmp_path / "docs/d.md")]) != 0

        assert "relative to the document" in told.getvalue()


@pytest.mark.parametrize("form", ["utf-8", "latin-1"])
def test_a_marker_names_files_in_any_script(folder, form):
    """Whatever the encoding of the document is."""
    (folder / "größe.plan").write_text(PLAN, encoding="utf-8")
    data = "<!-- capwright: value größe.plan half --><!-- /capwright -->".encode(form)
    assert b"15" in woven(folder, data)


def test_a_marker_names_a_picture_in_any_script(folder):
    (folder / "a.plan").write_text(f"{PLAN}view bars of both : pool, half\n", encoding="utf-8")
    text = "<!-- capwright: chart a.plan both größe.svg -->\n<!-- /capwright -->\n"
    assert "(gr%C3%B6%C3%9Fe.svg)" in woven(folder, text.encode()).decode()
    assert (folder / "größe.svg").is_file()


def test_no_word_of_a_stale_marker_reaches_the_terminal(folder):
    (folder / "a.plan").write_text(f"{PLAN}view bars of both : pool, half\n", encoding="utf-8")
    path = folder / "doc.md"
    path.write_text(
        '<!-- capwright: chart a.plan both "x\x1b[31m.svg" -->\n<!-- /capwright -->\n', encoding="utf-8"
    )
    code, told = weave(path, "--check")
    assert code == 1
    assert "\x1b" not in told
