"""Every number printed has an address, and its text is the rounding of the exact value; a document survives JSON."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from capwright.document.codec import from_json, to_json
from capwright.document.plandoc import UnitText
from capwright.render.html import html
from capwright.render.markdown import markdown
from tests.support.numerals import of_html, of_markdown
from tests.support.sample import sample

DOC = sample()
SIZES = tuple(
    UnitText(symbol, factor, {"byte": 1})
    for symbol, factor in (("B", "1"), ("kB", "1000"), ("KiB", "1024"), ("GiB", str(2**30)))
)
numbers = st.one_of(
    st.integers(-(10**6), 10**6),
    st.integers(-(10**30), 10**30),
    st.fractions(),
    st.builds(lambda n, d: Fraction(n, d) / 10**9, st.integers(), st.integers(1)),
)
units = st.sampled_from(
    [
        UnitText("", "1", {}),
        UnitText("%", "1/100", {}),
        UnitText("B/device", "1", {"byte": 1, "device": -1}),
        UnitText("ms", "1/1000", {"second": 1}),
        UnitText("token^2", "1", {"token": 2}),
    ]
)


@st.composite
def parts(draw):
    low, nominal, high = sorted(draw(st.tuples(numbers, numbers, numbers)))
    if draw(st.booleans()):
        return (str(nominal),) * 3
    return tuple(str(part) if draw(st.booleans()) else None for part in (low, nominal, high))


@st.composite
def documents(draw):
    given_parts = draw(st.lists(parts(), min_size=4, max_size=4))
    given_units = draw(st.lists(units, min_size=4, max_size=4))

    def revalued(at, holder):
        low, nominal, high = given_parts[at % 4]
        return replace(holder, low=low, nominal=nominal, high=high, unit=given_units[at % 4])

    verdict = DOC.verdicts[2]
    left, right, margin = (given_parts[at] for at in range(3))
    judged = replace(
        verdict,
        unit=given_units[3],
        left=replace(verdict.left, low=left[0], nominal=left[1], high=left[2]),
        right=replace(verdict.right, low=right[0], nominal=right[1], high=right[2]),
        margin_low=margin[0],
        margin_nominal=margin[1],
        margin_high=margin[2],
    )
    return replace(
        DOC,
        quantities=tuple(revalued(at, quantity) for at, quantity in enumerate(DOC.quantities)),
        sources=tuple(revalued(at, source) for at, source in enumerate(DOC.sources)),
        verdicts=(judged, *DOC.verdicts[:2]),
        scales={"B": SIZES} if draw(st.booleans()) else {},
    )


@settings(max_examples=60, deadline=None)
@given(documents())
def test_every_number_printed_has_an_address_and_is_a_rounding(doc):
    for found in (of_html(html(doc), doc), of_markdown(markdown(doc), doc)):
        assert not found.mistakes
        assert not found.dead_links()


@settings(max_examples=60, deadline=None)
@given(documents())
def test_a_document_survives_json(doc):
    text = to_json(doc)
    assert from_json(text) == (doc, ())
    assert to_json(doc) == text
