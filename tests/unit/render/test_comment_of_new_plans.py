"""The fold of a plan that is new: its verdicts, what needs attention first, and the rest counted."""

from __future__ import annotations

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
    assert "> and 352 more caveats that nothing takes away" in text
    assert "holds: soon" in text
    other = document(plan.replace("= 3 s", "= 2 s"), "p.plan")
    assert len(diff_markdown(compare(found, other)).encode()) <= BUDGET
    assert "more caveats that nothing takes away" not in comment(
        [PlanChange("p.plan", "new", None, found, None)], "main", None
    )
