"""Every diagnostic code has its page, and every page's plan gives that code and no other."""

from __future__ import annotations

import re

import pytest

from capwright import codes
from capwright.commands.verdict_messages import findings
from tests.repo.sources import PACKAGE
from tests.spec.cases import Case, cases
from tests.spec.compiled import compile_case

VERDICTS = {"CW0705", "CW0706", "CW0707"}
CODE = re.compile(r"\bCW\d{4}\b")


def used() -> set[str]:
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]
    return {code for path in files for code in CODE.findall(path.read_text(encoding="utf-8"))}


def examples() -> list[pytest.ParameterSet]:
    return [
        pytest.param(code, case, id=f"{code}-{number}")
        for code in codes.known()
        for number, case in enumerate(cases(codes.page(code) or ""), 1)
    ]


def test_every_code_has_a_page_and_every_page_a_code():
    assert used() == set(codes.known())


@pytest.mark.parametrize("code", codes.known())
def test_a_page_has_a_title_words_and_a_plan(code):
    page = codes.page(code) or ""
    title, _, rest = page.partition("\n\n")
    assert re.fullmatch(rf"# {code}: [^A-Z\n]?.+[^.\n]", title)
    assert len(rest.partition("```")[0].strip()) > 40
    assert "```plan" in rest


@pytest.mark.parametrize("code, case", examples())
def test_a_pages_plan_gives_the_code(code: str, case: Case, tmp_path):
    outcome = compile_case(case, tmp_path)
    found = [diagnostic.code for diagnostic in outcome.diagnostics]
    if code in VERDICTS and outcome.document is not None:
        found += [finding.code for finding in findings(outcome.document, "a.plan", outcome.loaded.sources)]
    wanted = [] if "fixed" in case.words else [code]
    assert sorted(set(found)) == wanted, outcome.told()


@pytest.mark.parametrize("code", ["", "CW1", "../cli", "CW015", "cw0150", "CW9999"])
def test_what_is_no_code_has_no_page(code):
    assert codes.page(code) is None
