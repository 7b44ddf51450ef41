"""Plans of any size, with the operations that real ones have."""

from __future__ import annotations

WIDTH = 10
"""Quantities in one group; each group starts from the one before it."""


def plan_of(quantities: int) -> str:
    """A plan with this many named quantities: sums, products, ratios, rounding, ranges, and a few verdicts."""
    lines = ["use std", 'assume share = 0.80 in 0.70 .. 0.90 because "a bench needs a range"']
    for number in range(quantities - 1):
        group, place = divmod(number, WIDTH)
        before = f"q{number - 1}"
        lines.append(
            {
                0: f"q{number} : byte = {group + 1} GiB",
                1: f"q{number} : byte = {before} * share",
                2: f"q{number} : byte = {before} + 512 MiB",
                3: f"q{number} : s = {before} / 3.35 TB/s",
                4: f"q{number} : s = max({before}, 20 us)",
                5: f"q{number} : token = ceil({before} * 40_000 tokens/s)",
                6: f"q{number} : byte = {before} * 81_920 byte/token",
                7: f"q{number} : byte = if {before} > 1 GiB then {before} else 1 GiB",
                8: f"q{number} : byte = min({before}, q{number - 6} * 8)",
                9: f"q{number} : number = {before} / q{number - 9}",
            }[place]
        )
        if number % 1_000 == 8:
            lines.append(f'require q{number} <= 100 TiB  "group {group}"')
    return "\n".join(lines) + "\n"


def summed_plan(quantities: int, edited: int = 0) -> str:
    """`plan_of` with a report of one quantity in ten groups, and of sums over all groups.

    Of the first quantities of the groups, `edited` ones, spread evenly, are a GiB larger.
    """
    text = plan_of(quantities)
    groups = range(0, quantities - 1, WIDTH)
    every = max(1, len(groups) // edited) if edited else len(groups) + 1
    for group in list(groups)[::every][:edited]:
        size = group // WIDTH + 1
        text = text.replace(f"\nq{group} : byte = {size} GiB\n", f"\nq{group} : byte = {size + 1} GiB\n")
    sums = [groups[at : at + 100] for at in range(0, len(groups), 100)]
    lines = [f"sum{n} : byte = {' + '.join(f'q{g + 2}' for g in each)}" for n, each in enumerate(sums)]
    names = [f"sum{n}" for n in range(len(sums))]
    reported = [f"q{group + 6}" for group in groups[::10]]
    lines += [f"total : byte = {' + '.join(names)}", f"report total, {', '.join([*names, *reported])}"]
    return text + "\n".join(lines) + "\n"


def folder_of(plans: int, example: str) -> dict[str, str]:
    """Texts by path: the things that the example plan declares as a catalogue, and plans that share it.

    Each has the example's deployment with its own workload and one option, and all that the example requires.
    """
    shared, lead, own = example.partition("workload ")
    kept = [line for line in own.splitlines() if not line.startswith("option ") or "h200" in line]
    text = "\n".join(["use std", 'use "catalogue.plan"', "", lead + kept[0], *kept[1:], ""])
    return {
        "catalogue.plan": shared,
        **{
            f"plan{at:03}.plan": text.replace("concurrency = 3", f"concurrency = {1 + at % 9}")
            for at in range(plans)
        },
    }
