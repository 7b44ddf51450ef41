"""The device catalogues against the collected facts: every figure stands in a row that no other row disputes."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from tests.unit.library.answers import Answers, compiled
from tests.unit.library.cases import DATA

FACTS = DATA / "devices.tsv"

NAMES = {
    "nvidia.a100_sxm_40gb": "A100 40GB SXM",
    "nvidia.a100_sxm_80gb": "A100 80GB SXM",
    "nvidia.a100_pcie_80gb": "A100 80GB PCIe",
    "nvidia.h100_sxm": "H100 SXM",
    "nvidia.h100_pcie": "H100 PCIe",
    "nvidia.h200_sxm": "H200 SXM",
    "nvidia.h20": "H20",
    "nvidia.l40s": "L40S",
    "nvidia.l4": "L4",
    "nvidia.a10": "A10",
    "nvidia.t4": "T4",
    "amd.mi300x": "MI300X",
}
FIELDS = {
    "memory": ("mem_capacity", "byte/device kind advertised_memory"),
    "driver_total": ("mem_driver", "byte/device kind driver_total"),
    "bandwidth": ("mem_bw", "byte/s/device kind memory_rate"),
    "peak": ("bf16_dense fp16_dense", "FLOP/s/device kind compute_rate"),
    "peak_8bit": ("fp8_dense int8", "FLOP/s/device kind compute_rate"),
    "link": ("nvlink_per_dir pcie_per_dir interconnect_per_dir", "byte/s/device"),
}
# Totals that drivers report, where the collected facts have none: read off public logs, as the catalogue's sources say.
LOGGED = {
    "nvidia.h100_pcie": 81_559 * 2**20,
    "nvidia.a100_pcie_80gb": 81_920 * 2**20,
    "amd.mi355x": 309_220_868_096,
}
# Of the same processor, where the facts of one board leave a rate out.
SAME_PROCESSOR = {"nvidia.a100_pcie_80gb": ("int8", "A100 80GB SXM")}
SIZES = {
    "GB": 10**9,
    "GiB": 2**30,
    "MiB": 2**20,
    "GB/s": 10**9,
    "TB/s": 10**12,
    "TFLOP/s": 10**12,
    "TOP/s": 10**12,
    "bytes": 1,
}


def _facts() -> Iterator[tuple[str, str, Fraction]]:
    with FACTS.open(encoding="utf-8") as file:
        for row in csv.reader((line for line in file if not line.startswith("#")), delimiter="\t"):
            device, fact, value, unit, *rest = row
            if unit in SIZES and not any(word in " ".join(rest) for word in ("CONFLICT", "WRONG", "SPARSE")):
                yield device, fact, Fraction(value) * SIZES[unit]


@pytest.mark.skipif(not FACTS.is_file(), reason="the collected facts are not at hand")
@pytest.mark.parametrize("name", NAMES)
def test_every_stated_figure_is_a_collected_fact(name: str, tmp_path: Path) -> None:
    known = {(fact, value) for device, fact, value in _facts() if device == NAMES[name]}
    if name in LOGGED:
        known.add(("mem_driver", Fraction(LOGGED[name])))
    if name in SAME_PROCESSOR:
        left_out, board = SAME_PROCESSOR[name]
        known |= {(fact, value) for device, fact, value in _facts() if (fact, device) == (left_out, board)}
    stated = _stated(name)
    text = "".join(f"{field}_of : {FIELDS[field][1]} = {name}.{field}\n" for field in stated)
    got = Answers(compiled(f"use std\n{text}", tmp_path))
    for field in stated:
        figure = got.number(f"{field}_of")
        assert any((fact, figure) in known for fact in FIELDS[field][0].split()) or _binary(
            name, field, known, figure
        )


@pytest.mark.parametrize("space", ["amd", "nvidia"])
def test_every_device_has_the_name_that_measurements_cite(space: str) -> None:
    root = Path(__file__).resolve().parents[3]
    text = (root / "plans" / "std" / "devices" / f"{space}.plan").read_text(encoding="utf-8")
    devices = re.findall(r"^device (\w+) \{\n  name = \"(.+)\"$", text, re.MULTILINE)
    assert len(devices) == len(re.findall(r"^device ", text, re.MULTILINE))
    for device, name in devices:
        assert set(device.split("_")) == set(name.casefold().split())


@pytest.mark.parametrize("space", ["amd", "nvidia"])
def test_every_figure_says_where_it_comes_from(space: str) -> None:
    root = Path(__file__).resolve().parents[3]
    text = (root / "plans" / "std" / "devices" / f"{space}.plan").read_text(encoding="utf-8")
    figures = re.findall(r"^  (?:memory|driver_total|bandwidth|peak\w*|link|power) = .*$", text, re.MULTILINE)
    assert len(figures) > 10
    assert [line for line in figures if not re.search(r' source "[^"]{8,}"$', line)] == []


@pytest.mark.parametrize("name", [*NAMES, "nvidia.b200_sxm", "amd.mi355x"])
def test_four_bits_multiply_as_fast_as_eight_or_twice_that(name: str, tmp_path: Path) -> None:
    """No such cores, or twice the rate: what rounds, by a figure in its last place."""
    kind = "FLOP/s/device kind compute_rate"
    text = f"use std\nnarrow : {kind} = {name}.peak_4bit\neight : {kind} = {name}.peak_8bit\n"
    got = Answers(compiled(text, tmp_path))
    ratio = got.number("narrow") / got.number("eight")
    assert ratio == 1 or abs(ratio - 2) <= Fraction(5, 1000)


@pytest.mark.parametrize("name", [*NAMES, "nvidia.b200_sxm", "amd.mi355x"])
def test_what_a_driver_reports_is_read_and_no_advertised_size(name: str, tmp_path: Path) -> None:
    """Stated and exact; and a device that only says its advertised size has a range that holds it."""
    text = f"""use std
device bare {{ memory = {name}.memory; bandwidth = {name}.bandwidth; peak = {name}.peak }}
read : byte/device kind driver_total = {name}.driver_total
taken : byte/device kind driver_total = bare.driver_total
"""
    document = compiled(text, tmp_path)
    read = Answers(document).number("read")
    taken = next(q for q in document.quantities if q.address == "taken")
    assert "driver_total" in _stated(name)
    assert taken.low is not None
    assert taken.high is not None
    assert Fraction(taken.low) < read < Fraction(taken.high)
    assert "driver_total_unread" in {*taken.caveats_here, *taken.caveats_inherited}
    if name in LOGGED:
        assert read == LOGGED[name]


def _stated(name: str) -> list[str]:
    """The fields that the catalogue itself gives a device: the rest are defaults."""
    space, device = name.split(".")
    root = Path(__file__).resolve().parents[3]
    text = (root / "plans" / "std" / "devices" / f"{space}.plan").read_text(encoding="utf-8")
    body = text.split(f"device {device} {{")[1].split("\n}")[0]
    return [field for field in FIELDS if f"\n  {field} = " in body]


def _binary(name: str, field: str, known: set[tuple[str, Fraction]], figure: Fraction) -> bool:
    """What AMD calls 192 GB are 192 GiB, as the row's own note says."""
    decimal = figure * 10**9 / 2**30
    return name == "amd.mi300x" and field == "memory" and ("mem_capacity", decimal) in known
