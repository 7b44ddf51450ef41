"""What a comparison says of options: those that came and went, and the verdicts of those that stayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from capwright.comparison.compare import compare
from capwright.comparison.options import Alternatives, compare_options
from capwright.document.codec import diff_from_json, from_json, schema_errors, to_json
from capwright.document.diffdoc import DiffDoc, Remark
from capwright.document.plandoc import PlanDoc
from capwright.render.diff import comparison
from tests.support.compared import document

SCHEMA = json.loads(Path("grammar/diffdoc.schema.json").read_text(encoding="utf-8"))
RACKS = """\
entity box { size : number; heat : number default 1; left : number = size - 10 * heat }
entity rack { box : box; load : signed number default 5; spare : number = box.left - load }
box small { size = 30 }
box large { size = 80 }
rack r { box = small }
option big of r { box = large }
option hot of r { box = large; box.heat = 7 } "hot and large"
require r.spare >= 10 "there is room"
report r
"""
"""By hand, room left over 10: of `r` 30 - 10 - 5 - 10 = 5, of `big` 80 - 10 - 5 - 10 = 55, of `hot` -5."""


def between(before: str, after: str) -> DiffDoc:
    return compare(document(before, "r.plan"), document(after, "r.plan"), ("a", "b"))


def changed(diff: DiffDoc) -> list[tuple[str, str, str | None, str]]:
    return [
        (each.option, each.what, each.before and each.before.status, each.after.status)
        for each in diff.answers
    ]


def test_a_verdict_of_an_option_changes_where_that_of_its_base_does_not():
    """The load falls by two: `r` has two more, and still holds; `hot` has -3, still violated. By six, `hot` holds."""
    less = between(RACKS, RACKS.replace("rack r {", "rack r { load = 3;"))
    assert [v.what for v in less.verdicts] == ["margin"]
    assert changed(less) == [
        ("r@big", "margin", "holds", "holds"),
        ("r@hot", "margin", "violated", "violated"),
    ]
    none = between(RACKS, RACKS.replace("rack r {", "rack r { load = -1;"))
    assert changed(none) == [
        ("r@hot", "status", "violated", "holds"),
        ("r@big", "margin", "holds", "holds"),
    ]
    [hot] = [each for each in none.answers if each.what == "status"]
    named = {d.id: d.address for d in none.declarations}
    assert [(named[c.declarations[0]], c.share) for c in hot.change.causes] == [("r.load", "6")]
    assert (none.unchanged_answers, none.unchanged_verdicts) == (0, 0)


def test_what_becomes_worse_stands_before_what_becomes_better():
    full = RACKS.replace("option big of r { box = large }", "option big of r { box = large; load = 90 }")
    assert changed(between(full.replace("heat = 7", "heat = 1"), RACKS)) == [
        ("r@hot", "status", "holds", "violated"),
        ("r@big", "status", "violated", "holds"),
    ]


def test_an_edit_of_an_option_alone_is_a_declaration_that_moves_its_verdict():
    diff = between(RACKS, RACKS.replace("heat = 7", "heat = 6"))
    assert changed(diff) == [("r@hot", "status", "violated", "holds")]
    assert not diff.verdicts
    assert not diff.empty
    named = {d.id: d.address for d in diff.declarations}
    [answer] = diff.answers
    assert [named[i] for c in answer.change.causes for i in c.declarations] == ["r@hot.box.heat"]
    assert diff.unchanged_answers == 1


def test_options_come_and_go_by_name_with_what_they_come_to():
    without = RACKS.replace('option hot of r { box = large; box.heat = 7 } "hot and large"\n', "")
    gone = between(RACKS, without)
    [option] = gone.options
    assert (option.what, option.address, option.base, option.label) == (
        "removed",
        "r@hot",
        "r",
        "hot and large",
    )
    assert [(s.label, s.status) for s in option.statuses] == [("there is room", "violated")]
    back = between(without, RACKS)
    assert [(o.what, o.address, o.statuses) for o in back.options] == [("added", "r@hot", option.statuses)]
    assert option.quantities == len([q for q in gone.removed if q.address.startswith("r@hot.")]) > 0
    assert not gone.answers
    assert gone.unchanged_answers == 1


def test_a_renamed_option_is_neither_new_nor_gone():
    renamed = RACKS.replace("option hot of", "option warm of") + "moved r@hot to r@warm\n"
    diff = between(RACKS, renamed)
    assert not diff.options
    assert not diff.answers


def test_a_new_requirement_that_an_option_does_not_meet_is_told_of_it():
    asked = f'{RACKS}require r.box.heat <= 5 "it stays cool"\n'
    assert changed(between(RACKS, asked)) == [("r@hot", "added", None, "violated")]


def test_a_requirement_that_is_gone_is_told_of_the_option_that_did_not_meet_it():
    """The mirror: neither of them is told of an option that meets it as its base does."""
    asked = f'{RACKS}require r.box.heat <= 5 "it stays cool"\n'
    [one] = between(asked, RACKS).answers
    assert (one.option, one.what, one.label, one.after) == ("r@hot", "removed", "it stays cool", None)
    assert one.before is not None
    assert one.before.status == "violated"


LACKING = """\
entity box { width : number }
box b { width = 2; price : number = 3 }
box c { width = 4 }
entity room { box : box; cost : number = box.price * 2; wide : number = box.width * 2 }
room r { box = b }
require r.cost <= 20 "cheap"
require r.wide <= 4 "narrow"
"""
OPTION = "option other of r { box = c }\n"


def test_an_option_that_comes_says_how_many_requirements_cannot_be_asked_of_it():
    """`c` has no price; its width of 4, doubled, is more than 4."""
    [option] = between(LACKING, LACKING + OPTION).options
    assert ([(s.label, s.status) for s in option.statuses], option.unasked) == ([("narrow", "violated")], 1)
    [seen] = comparison(between(LACKING, LACKING + OPTION)).options
    assert seen.tally == "1 violated, 1 requirement cannot be asked of it"
    one = LACKING.replace('require r.wide <= 4 "narrow"\n', "")
    [seen] = comparison(between(one, one + OPTION)).options
    assert seen.tally == "1 requirement cannot be asked of it"
    none = one.replace('require r.cost <= 20 "cheap"\n', "")
    [seen] = comparison(between(none, none + OPTION)).options
    assert seen.tally == "no requirement"


def test_that_nothing_can_be_asked_of_an_option_any_more_is_told():
    one = LACKING.replace('require r.wide <= 4 "narrow"\n', "") + OPTION
    priced = one.replace("width = 4", "width = 4; price : number = 5")
    assert changed(between(one, priced)) == [("r@other", "added", None, "holds")]
    assert [(a.option, a.what) for a in between(priced, one).answers] == [("r@other", "removed")]


def older(text: str) -> PlanDoc:
    """The document as a version before 1.3 wrote it, which does not say what options come to."""
    raw = json.loads(to_json(document(text, "r.plan")))
    raw["version"] = "1.2"
    del raw["answers"]
    read, told = from_json(json.dumps(raw))
    assert read is not None
    assert not told
    return read


def test_a_document_that_does_not_say_what_options_come_to_is_not_compared_by_it():
    now, was = document(RACKS.replace("heat = 7", "heat = 1"), "r.plan"), older(RACKS)
    for diff, when in ((compare(was, now), "was before"), (compare(now, was), "is now")):
        assert (diff.answers, diff.unchanged_answers) == ((), 0)
        assert diff.remarks == ()
        [said] = diff.uncompared
        assert not diff.empty
        assert [note.text for note in comparison(diff).remarks] == [said]
        assert said == (
            f"the document of what {when} does not say what its options come to (`r@big`, `r@hot`); "
            "they are not compared"
        )
        text = to_json(diff)
        assert schema_errors(text, SCHEMA) == ()
        assert diff_from_json(text)[0] == diff
    without = document(
        RACKS.replace('option hot of r { box = large; box.heat = 7 } "hot and large"\n', ""), "r.plan"
    )
    [option] = compare(was, without).options
    assert (option.address, option.statuses, option.unasked) == ("r@hot", (), None)
    assert comparison(compare(was, without)).options[0].tally == "its document does not say what it comes to"


def test_what_the_base_alone_is_asked_is_told_of_the_base_alone():
    """An option that stands on its base's sides in both documents has its base's verdict, which is told once."""
    apart = RACKS + 'limit = 3\nrequire limit <= 4 "low"\n'
    diff = between(apart, apart.replace("limit = 3", "limit = 5"))
    assert [(v.label, v.after and v.after.status) for v in diff.verdicts] == [("low", "violated")]
    assert diff.answers == ()


def test_a_new_requirement_that_is_not_met_is_worse_and_one_that_is_met_is_not():
    asked = f'{RACKS}require r.box.heat <= 5 "it stays cool"\nrequire r.box.size <= 10 "small"\nrequire r.load <= 9 "light"\n'
    diff = between(RACKS, asked)
    assert {v.label: v.worse for v in diff.verdicts} == {
        "it stays cool": False,
        "small": True,
        "light": False,
    }
    assert diff.verdicts[0].label == "small"
    assert [(a.option, a.worse) for a in diff.answers] == [("r@hot", True)]


def test_a_comparison_of_an_older_version_is_read_with_what_newer_ones_say_outright():
    without = RACKS.replace('option hot of r { box = large; box.heat = 7 } "hot and large"\n', "")
    diff = between(without.replace("number default 5;", "number default 50;"), RACKS)
    assert any(each.option for each in diff.added)
    assert any(each.worse is not True for each in diff.verdicts)
    back = between(RACKS, RACKS.replace("heat = 7", "heat = 1").replace("size = 30", "size = 9"))
    assert any(each.worse for each in back.verdicts)
    for one in (diff, back):
        raw = json.loads(to_json(one))
        raw["version"] = "1.3"
        for name, key in (
            ("verdicts", "worse"),
            ("answers", "worse"),
            ("added", "option"),
            ("removed", "option"),
        ):
            for each in raw[name]:
                del each[key]
        assert diff_from_json(json.dumps(raw))[0] == one


def test_a_remark_of_a_sort_that_a_newer_version_has_is_left_out():
    """An older minor version reads a newer one without its additions (CW0723); of its own version it is a mistake."""
    diff = between(f'assume a = 1 in 0 .. 2  because "x"\n{RACKS}', RACKS)
    raw = json.loads(to_json(replace(diff, remarks=(Remark("bound", "new", "a", "a text", None, ()),))))
    raw["remarks"] += [{**raw["remarks"][0], "sort": "invented"}]
    assert diff_from_json(json.dumps(raw))[1][0].code == "CW0724"
    raw["version"] = "1.99"
    read, [told] = diff_from_json(json.dumps(raw))
    assert told.code == "CW0723"
    assert read is not None
    assert [remark.sort for remark in read.remarks] == ["bound"]
    raw["remarks"][0]["sort"] = 3
    assert diff_from_json(json.dumps(raw))[1][0].code == "CW0724"


def test_a_remark_of_what_was_not_compared_is_read_as_what_tells_that_since():
    """Comparisons of version 1.4 told it in a remark of a sort of its own, which later ones do not have."""
    diff = compare(older(RACKS), document(RACKS.replace("heat = 7", "heat = 1"), "r.plan"))
    raw = json.loads(to_json(replace(diff, remarks=(Remark("bound", "new", "a", "a text", None, ()),))))
    [text] = raw.pop("uncompared")
    raw["remarks"].insert(
        0,
        {
            "sort": "option",
            "what": "changed",
            "name": "",
            "text": text,
            "cause": None,
            "addresses": [],
            "leaned": False,
        },
    )
    assert diff_from_json(json.dumps(raw))[1][0].code == "CW0724"
    raw["version"] = "1.4"
    read, told = diff_from_json(json.dumps(raw))
    assert told == ()
    assert read is not None
    assert read.uncompared == diff.uncompared == (text,)
    assert [remark.sort for remark in read.remarks] == ["bound"]
    raw["remarks"][0]["text"] = 3
    assert diff_from_json(json.dumps(raw))[1][0].code == "CW0724"


def test_other_options_or_another_order_are_no_difference():
    lines = RACKS.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith("option big"))
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    assert between(RACKS, "".join(lines)).empty


def test_two_options_of_one_plan_say_nothing_of_the_others():
    found = compare_options(Alternatives(document(RACKS, "r.plan")), "r", "r", "r@hot")
    assert (found.answers, found.options, found.unchanged_answers) == ((), (), 0)


@pytest.mark.parametrize("edit", [("heat = 7", "heat = 6"), ("option hot", "option cold")])
def test_it_follows_the_schema_and_is_read_back(edit):
    diff = between(RACKS, RACKS.replace(*edit))
    text = to_json(diff)
    assert schema_errors(text, SCHEMA) == ()
    assert diff_from_json(text)[0] == diff


def test_what_compares_an_option_with_its_base_is_asked_of_the_plan_alone():
    """With the option on both sides it would hold of anything; a name in between, and another option, change nothing."""
    apart = RACKS.replace("report r", "gain : signed number = r@big.spare - r.spare\nreport r, gain\n") + (
        'require r@hot.spare >= r.spare "by itself"\n'
        'require gain <= 40 "by a name"\n'
        'require r.spare <= 10 "of the base"\n'
    )
    found = document(apart, "r.plan")
    labels = {verdict.id: verdict.label for verdict in found.verdicts}
    told = {(each.option, labels[each.id]): each.verdict and each.verdict.status for each in found.answers}
    assert {v.label: v.status for v in found.verdicts if v.label != "there is room"} == {
        "by itself": "violated",
        "by a name": "violated",
        "of the base": "violated",
    }
    assert told["r@big", "by itself"] is told["r@hot", "by itself"] is told["r@hot", "by a name"] is None
    assert (told["r@big", "of the base"], told["r@hot", "of the base"]) == ("violated", "holds")
    assert not any(q.address.startswith("gain@") for q in found.quantities)
