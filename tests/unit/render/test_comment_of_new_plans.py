"""The fold of a plan that is new: its verdicts, what needs attention first, and the rest counted."""

from __future__ import annotations

from capwright.render.comment import comment
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
