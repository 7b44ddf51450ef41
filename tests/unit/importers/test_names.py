"""Names made of a stranger's words, and experts that no pattern tells from each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capwright.importers.module_names import Names, Tries, alike
from capwright.importers.words import identifier


@given(st.text(max_size=20), st.sets(st.text(alphabet="amy_ACausl", max_size=12)))
def test_a_name_is_none_of_those_that_are_taken(text: str, taken: set[str]) -> None:
    name = identifier(text, taken)
    assert name not in {each.lower() for each in taken}
    assert name.isidentifier()


def test_a_name_that_is_taken_with_its_prefix_too_gets_another() -> None:
    assert identifier("Causal", {"causal", "my_causal"}) == "my_my_causal"


@pytest.mark.parametrize(
    "pattern",
    [
        "*.experts.1*2*4*3",
        "*.experts.12*23",
        "*.experts.1**2",
        "*.experts.12",
        "*.experts.12*",
        "*.experts.*2",
        "*.experts.*2*",
        "*.experts.1*.w2",
        "*.experts.2?",
        "*.experts.[12]3",
    ],
)
def test_experts_of_one_group_are_meant_by_the_same_patterns(pattern: str) -> None:
    names = Names((pattern,))
    meant = {at: names.hold([f"m.experts.{at}.w2", f"m.experts.{at}"], Tries()) for at in range(1_500)}
    groups = alike(names.digits(), 1_500)
    assert sum(many for _, many in groups) == 1_500
    assert sum(many for first, many in groups if meant[first]) == sum(meant.values())
