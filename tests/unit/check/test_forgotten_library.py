"""A name that the library declares, in a file that does not use it, leads to `use std` and to no other spelling."""

from __future__ import annotations

import pytest

from tests.support.programs import compiled

FORGOTTEN = "the library declares it: write `use std` at the top of"


def found(text: str, **files: str) -> list[tuple[str, str]]:
    others = {f"{name}.plan": other for name, other in files.items()}
    return [(one.code, one.help) for one in compiled(text, others).diagnostics]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("model m { layers = 2 layers }", "CW0220"),
        ("a : byte = 1", "CW0303"),
        ("a : number = 1 GiB", "CW0303"),
        ("a = 1 as pool", "CW0330"),
        ("a = output_cost(1)", "CW0217"),
        ("a = bf16", "CW0203"),
        ("entity thing { }\nthing card from nvidia.h100_sxm", "CW0203"),
    ],
)
def test_every_sort_of_name(text, code):
    assert (code, f"{FORGOTTEN} `case.plan`") in found(f"{text}\n")


def test_a_name_of_the_library_is_no_misspelt_name_of_the_file():
    (one,) = found("entity models { }\nmodel m { }\n")
    assert one == ("CW0220", f"{FORGOTTEN} `case.plan`")


def test_a_file_behind_a_name_is_told_of_by_itself():
    text = 'use std\nuse "other.plan" as q\na = q.b\n'
    assert found(text, other="b = bf16\n") == [("CW0203", f"{FORGOTTEN} `other.plan`")]


def test_with_the_library_another_name_is_offered():
    assert found("use std\nmodle m { }\n") == [("CW0220", "did you mean `model`?")]


def test_a_sort_is_asked_for_the_names_of_its_own():
    assert found("bf16 m { }\n") == [("CW0220", "nothing of this sort is declared here")]


@pytest.mark.parametrize(
    "text",
    [
        'use "fleet.plan" as fleet\nx = fleet.bf16\n',
        'use "fleet.plan" as fleet\nreport fleet.bf16\n',
        'use "fleet.plan" as fleet\nfleet.bf16.x = 3\n',
        "entity part { w : number }\nentity set { parts : list of part named part }\nset s { }\ny = s.parts.bf16\n",
        'entity box { }\nbox b from output_cost("a.json")\n',
        "kind k : model\n",
    ],
)
def test_what_the_library_could_not_give_a_meaning_to_has_another_way_out(text):
    told = found(text, fleet="w : number = 3\n")
    assert told
    assert not [help for _, help in told if FORGOTTEN in help]


def test_a_unit_that_a_unit_is_defined_by():
    assert found("unit tray = 3 GiB\n") == [("CW0304", f"{FORGOTTEN} `case.plan`")]
