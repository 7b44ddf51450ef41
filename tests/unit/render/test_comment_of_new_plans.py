"""The fold of a plan that is new: its verdicts, what needs attention first, and the rest counted."""

from __future__ import annotations

import pytest

from capwright.comparison.compare import compare
from capwright.render.comment import comment
from capwright.render.diff_markdown import BUDGET, diff_markdown
from capwright.render.plan_change import PlanChange
from tests.support.compared import document

HOLD = "".join(f'require r.cost <= {limit} "below {limit}"\n' for limit in range(10, 34))
PLAN = f"""\
entity room {{ w : number; cost : number = w * 2 }}
room r {{ w = 3 }}
{HOLD}require r.cost <= 1 "the one that fails"
"""


def test_what_fails_last_is_listed_first_and_what_is_not_listed_is_counted():
    text = comment([PlanChange("p.plan", "new", None, document(PLAN, "p.plan"), None)], "main")
    listed = [line for line in text.partition("<details>")[2].splitlines() if line.startswith("- ")]
    assert listed[0] == "- violated: the one that fails"
    assert listed[-1] == "- and 5 more verdicts: 5 holds"
    assert len(listed) == 21


def test_what_nothing_takes_away_leaves_room_for_the_rest():
    """A plan may say any number of permanent caveats: a comment beyond its limit would be none at all."""
    said = " ".join(f'caveat c{n} permanent for time "{"word " * 60}{n}"' for n in range(400))
    plan = (
        "unit second, seconds symbol s\nkind wait : s for time\n"
        f'x : s kind wait = 3 s caveat short permanent for time "no promise" {said}\n'
        'require x <= 4 s "soon"\nreport x\n'
    )
    found = document(plan, "p.plan")
    text = comment([PlanChange("p.plan", "new", None, found, None)], "main")
    assert len(text.encode()) <= BUDGET
    assert "> no promise\n" in text
    assert (
        "> and 352 more caveats that nothing takes away: `capwright ci --base main --print` tells them\n"
        in text
    )
    assert "holds: soon" in text
    other = document(plan.replace("= 3 s", "= 2 s"), "p.plan")
    assert len(diff_markdown(compare(found, other)).encode()) <= BUDGET
    assert "more caveats that nothing takes away" not in comment(
        [PlanChange("p.plan", "new", None, found, None)], "main", None
    )


FIT = "> Not a fit guarantee: validate with this workload on this serving configuration.\n"
LARGE = """\
use std
use "std/models/gpt_oss_120b.plan"
{first}
workload agents {{ concurrency = 2 requests; class session {{ input = 2_000 tokens; output = 100 tokens }} }}
deployment prod {{
  model = gpt_oss_120b; cache = bf16_paged; device = nvidia.h100_sxm; workload = agents
  engine = vllm_0_22_1 {{ max_model_len = {longest} tokens }}
}}
require prod.kv.request_bytes <= prod.kv.pool "fits"
{last}
report prod.memory
"""
ROOM = "room : byte/device kind pool = 3 byte/device {caveats}\n"


def _documents(first="", last=""):
    return [
        document(LARGE.format(longest=longest, first=first, last=last), "p.plan")
        for longest in (4_096, 8_192)
    ]


def _told(before, after):
    """The texts that a change is told in: a comment on the new plan, one on the change, and the comparison."""
    diff = compare(before, after)
    return (
        comment([PlanChange("p.plan", "new", None, after, None)], "main"),
        comment([PlanChange("p.plan", "changed", before, after, diff)], "main"),
        diff_markdown(diff),
    )


def test_what_the_library_says_is_not_crowded_out_by_what_a_plan_says_itself():
    own = " ".join(f'caveat c{n} permanent for capacity "ok {n}."' for n in range(2_000))
    asked = 'caveat z permanent for capacity "Asked about."'
    last = f"{ROOM.format(caveats=own)}more : byte/device kind pool = 3 byte/device {asked}\n"
    last += 'require more <= 4 byte/device "little"\n'
    for text in _told(*_documents(last=last)):
        assert text.count(FIT) == 1
        assert text.index(FIT) < text.index("> Asked about.\n") < text.index("> ok 0.\n")
        assert len(text.encode()) <= BUDGET
    whole = _told(*_documents(last=last))
    assert all("`capwright ci --base main --print` tells them" in text for text in whole[:2])
    assert "`capwright diff` tells them" in whole[2]


def test_what_several_plans_or_names_say_alike_is_told_once():
    last = ROOM.format(caveats=f'caveat same permanent for capacity "{FIT[2:-1]}"')
    for text in _told(*_documents(last=last)):
        assert text.count(FIT) == 1


@pytest.mark.parametrize("scope", ["capacity", "time"])
@pytest.mark.parametrize("permanent", ["permanent", ""])
def test_no_namesake_takes_the_place_of_what_the_library_says(scope, permanent):
    """Neither its words nor its scope, wherever it stands: here before all that the library computes."""
    first = ROOM.format(caveats=f'caveat not_a_fit_guarantee {permanent} for {scope} "It fits."')
    first += 'require room <= 4 byte/device "little"\n'
    before, after = _documents(first=first)
    for text in _told(before, after):
        assert FIT in text
        assert "It fits." not in text
    pool = next(one for one in after.quantities if one.address == "prod.kv.pool")
    assert "not_a_fit_guarantee" in pool.caveats_inherited + pool.caveats_here
