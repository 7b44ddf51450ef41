"""Answers kept for the latest object."""

from __future__ import annotations

from capwright.base.latest import Latest


def test_the_answer_is_made_once_for_one_object_and_anew_for_an_equal_one() -> None:
    made: list[str] = []

    def make() -> str:
        made.append("made")
        return f"answer {len(made)}"

    latest = Latest[list[int], str]()
    first, equal = [1], [1]
    assert [latest.get(first, make), latest.get(first, make)] == ["answer 1", "answer 1"]
    assert latest.get(equal, make) == "answer 2"
    assert latest.get(first, make) == "answer 3"
