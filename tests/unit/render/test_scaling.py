"""Units in which numbers read well, out of the sizes that the document lists."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from capwright.document.plandoc import UnitText
from capwright.document.sizes import chosen, families_of
from capwright.render.figures import headline, quantity_ends
from capwright.render.pieces import plain
from capwright.render.scaling import readable
from tests.support.sample import sample


def sizes(symbol, **factors):
    return tuple(UnitText(name, str(factor), {symbol: 1}) for name, factor in factors.items())


BYTES = sizes(
    "byte", bytes=1, kB=10**3, KiB=2**10, MB=10**6, MiB=2**20, GB=10**9, GiB=2**30, TB=10**12, TiB=2**40
)
SECONDS = sizes("second", ns=Fraction(1, 10**9), µs=Fraction(1, 10**6), ms=Fraction(1, 1000), s=1)
FLOPS = sizes("operation", FLOP=1, kFLOP=10**3, MFLOP=10**6, GFLOP=10**9, TFLOP=10**12, PFLOP=10**15)
SCALES = {"byte": BYTES, "s": SECONDS, "FLOP": FLOPS, "block": sizes("block", blocks=1)}


def printed(value, symbol, scales=SCALES, factor="1"):
    doc = sample()
    exact = str(Fraction(value))
    unit = UnitText(symbol, factor, {"x": 1})
    one = replace(doc.quantities[0], low=exact, nominal=exact, high=exact, unit=unit)
    shown = readable(replace(doc, quantities=(one,), scales=scales)).quantities[0]
    return plain(headline(quantity_ends(shown))).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("value", "symbol", "text"),
    [
        (80 * 10**9, "byte/device", "80 GB/device"),
        (85_520_809_984, "byte/device", "79.65 GiB/device"),
        (30 * 2**30, "byte", "30 GiB"),
        (3_350 * 10**9, "byte/s/device", "3.35 TB/s/device"),
        (327_680, "byte/token", "327,680 bytes/token"),
        ("0.014953", "s", "14.95 ms"),
        ("9.61664", "s", "9.617 s"),
        (90_000, "s", "90,000 s"),
        (22_518_169_935_544_320, "FLOP", "22.52 PFLOP"),
        (0, "byte", "0 bytes"),
        (1, "byte", "1 byte"),
        (-1, "byte", "−1 byte"),
        (1, "block/request", "1 block/request"),
        (8, "block/request", "8 blocks/request"),
        ("3.5", "block", "3.5 blocks"),
        (8, "block^2", "8 block²"),
        (12_345_678, "token", "12,345,678 token"),
        (8_590_000_128, "byte^2", "8,590,000,128 byte²"),
        (-(5 * 2**30), "byte", "−5 GiB"),
    ],
)
def test_a_readable_size(value, symbol, text):
    assert printed(value, symbol) == text


def test_a_unit_that_somebody_chose_stays():
    assert printed(80 * 10**9, "MiB", {"MiB": BYTES, **SCALES}, str(2**20)) == "76,293.9 MiB"


def test_without_sizes_nothing_changes():
    assert readable(sample()) == sample()


def test_both_sides_of_a_verdict_share_one_unit():
    doc = sample()
    verdict = replace(doc.verdicts[0], unit=UnitText("byte/device", "1", {"byte": 1, "device": -1}))
    (shown,) = readable(replace(doc, verdicts=(verdict,), scales=SCALES)).verdicts
    assert shown.unit.symbol == "GiB/device"


@pytest.mark.parametrize(
    ("values", "symbol"),
    [
        ((Fraction("1.2") * 2**40 + 1, 42 * 2**30 + 1), "GiB"),
        ((80 * 2**30 + 1, Fraction("0.09") * 2**30), "GiB"),
        ((30 * 2**30 + 1, 2**29 + 1), "GiB"),
        ((80 * 10**9, 3 * 10**9), "GB"),
        ((2 * 10**12, 80 * 10**9), "GB"),
        ((Fraction("1.5"), Fraction("0.004")), "ms"),
        ((Fraction("150"), Fraction("0.004")), "s"),
    ],
)
def test_numbers_side_by_side_have_a_size_in_which_all_read_well(values, symbol):
    head = "s" if symbol.endswith("s") else "byte"
    assert chosen(UnitText(head, "1", {head: 1}), values, families_of(SCALES)).symbol == symbol
