"""What a comparison says of options: those that came and went, and the verdicts of those that stayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capwright.comparison.compare import compare
from capwright.comparison.options import alternatives, compare_options
from capwright.document.codec import diff_from_json, schema_errors, to_json
from capwright.document.diffdoc import DiffDoc
from tests.support.compared import document

SCHEMA = json.loads(Path("grammar/diffdoc.schema.json").read_text(encoding="utf-8"))
RACKS = """\
entity box { size : number; heat : number default 1; left : number = size - 10 * heat }
entity rack { box : box; load : number default 5; spare : number = box.left - load }
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


def test_other_options_or_another_order_are_no_difference():
    lines = RACKS.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith("option big"))
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    assert between(RACKS, "".join(lines)).empty


def test_two_options_of_one_plan_say_nothing_of_the_others():
    found = compare_options(alternatives(document(RACKS, "r.plan")), "r", "r", "r@hot")
    assert (found.answers, found.options, found.unchanged_answers) == ((), (), 0)


@pytest.mark.parametrize("edit", [("heat = 7", "heat = 6"), ("option hot", "option cold")])
def test_it_follows_the_schema_and_is_read_back(edit):
    diff = between(RACKS, RACKS.replace(*edit))
    text = to_json(diff)
    assert schema_errors(text, SCHEMA) == ()
    assert diff_from_json(text)[0] == diff
