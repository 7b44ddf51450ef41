"""The library's page of what it declares. Run as a module, this writes it anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from capwright.document.declarations import EntityText, declared
from capwright.document.declared_fields import FieldText
from capwright.render.terminal.declarations import how, remark
from tests.support.programs import compiled
from tests.unit.library.cases import ROOT

PAGE: Final = ROOT / "plans" / "std" / "README.md"
HEAD: Final = """\
# What the library declares

Written by `python -m tests.unit.library.reference_page` from the files beside it. A test says when it is stale. Of each
entity: its fields with type and kind, how each comes by its value, the library's own variants and things, and the
formulas that a new variant must write where a plan asks for them. An entity has the fields of the one that it is a
variant of, too. `capwright explain PLAN NAME` tells the same of a name in a terminal, also of a thing
(`nvidia.h200_sxm`), a formula with its bodies (`row_bytes`), and what a plan of your own declares.

How to write a variant, and which formulas it inherits: [the language](../../grammar/reference.md), 5 and 7. What is
promised of the library, and what shows it: [COVERAGE.md](COVERAGE.md).

What plans often need, and where it is:

- Money: `price : $/device/hour = 2.20 $/GPU-hour` and `cost : $/Mtoken = output_cost(price, prod.sharding,
  prod.throughput.tokens)`. All devices are paid for; as the output is bounded from above, the cost is from below.
- Weights in eight bits of a model whose config says 16: `model m8 from m { tensors.query.dtype = fp8_e4m3;
  tensors.down.dtype = fp8_e4m3 }`, every tensor that is quantised by its name (`capwright import CONFIG` prints them);
  its scales are fields of it too. A checkpoint that is quantised already says so in its own config, or in its headers.
- The average mix against the pool: `mean : byte/device kind pool_demand = prod.kv.mean_live as pool_demand`, then
  `require mean <= prod.kv.pool`. Live bytes are not whole blocks and a mean is no worst case, so the kinds do not meet by
  themselves. It is of requests at their ends: where it holds, mixes above the average may still wait or be preempted;
  where it is violated, the average one does not lie in the pool.
- A cache layout of one's own, whole, with an engine version and a mask: [own-layout.plan](../examples/own-layout.plan). It
  writes `row_bytes`, `block_tokens` and `memory_saving`; `kept_bytes` and `residual_room` for the layer groups that it
  keeps, of all tokens of a sequence: the library deals them out to devices; and, where it keeps newest tokens apart,
  `packed_prefix`. One that keeps nothing apart writes the same two, and no `packed_prefix`: `token_bytes(g, c, s) *
  retained(g, n)` as its `kept_bytes`, and `0 byte/layer/device` as its `residual_room`. An engine's own pool is `usable_pool`; what every
  answer owes stands with the deployment's quantities and is not written anew. A row that takes less than its scalars
  would at 16 bits owes evidence that answers hold, and `token_bytes` says so of any layout: one that counts its rows
  without it, in a `token_bytes` or `kept_bytes` of its own, takes `stored_row`, not `row_bytes`.
- A mask of one's own: `model m2 from m { groups.full.mask = causal and window(4_096 tokens) }`. It moves the work and the reads,
  and not what the cache keeps. Times carry `mask_not_shown` where it hides keys, until evidence of answers takes it off.
- A cache that an engine does not have, with an engine that would have it: a layout of the library's in other number formats, or
  one that packs, is refused where the version is known to store none such (`--kv-cache-dtype`), and carries `layout_not_checked`
  where that was not looked up. `ideal` takes any; a profile of one's own, `entity mine : vllm_0_22_1 { inherits all from vllm_0_22_1 }`,
  which a thing is made of, `engine mine : mine { max_model_len = 131_072 tokens }`, to be taken by a deployment (`engine = mine`),
  says `formula stores(e: mine, m: model, g: layer_group, c: paged) : bool default = true`; of a layout that packs, with its
  name in the place of `paged`, that too, and both `formula has_layout(e: mine, c: head_packed) : bool = true` and
  `formula lists(e: mine, g: layer_group, c: head_packed) : bool default = true`.
"""


def page() -> str:
    """The whole page, worked out anew."""
    found = _entities()
    names = " · ".join(f"[{one.name}](#{one.name})" for one in found)
    return "\n".join([HEAD, names, *(line for one in found for line in _entity(one))]) + "\n"


def _entities() -> list[EntityText]:
    made = compiled("use std\n")
    scope = made.judged.expansion.ctx.program.main
    found = (one for name in scope.entities for one in declared(name, scope, made.sources, {}))
    return [one for one in found if isinstance(one, EntityText)]


def _entity(one: EntityText) -> Iterator[str]:
    yield from ("", f"## {one.name}", "")
    if one.comment:
        yield from (one.comment, "")
    place = one.place.partition(":")[0].removeprefix("std/")
    facts = [f"In [{place}]({place})."]
    if len(one.line) > 1:
        facts.append(f"A variant of {_linked(one.line[1:2])}.")
    if one.variants:
        facts.append(f"Variants: {_linked(one.variants)}.")
    if one.things:
        facts.append(f"Declared: {', '.join(f'`{name}`' for name in one.things)}.")
    yield " ".join(facts)
    own = [field for field in one.fields if field.owner == one.name]
    blocks = [(f"{block.name.rpartition('.')[2]}.", field) for block in one.blocks for field in block.fields]
    if rows := [("", field) for field in own] + blocks:
        yield from ("", "| field | takes | value | |", "|---|---|---|---|")
        yield from (_row(lead, field) for lead, field in rows)
    if one.unanswered:
        yield from ("", "A new variant must write, where a plan asks for it:", "")
        for family in one.unanswered:
            yield f"- `{family.signature}`" + (f" {family.comment}" if family.comment else "")


def _row(lead: str, field: FieldText) -> str:
    kind = f" kind {field.kind}" if field.kind else ""
    cells = (f"`{lead}{field.name}`", f"`{field.type}{kind}`", _how(field), _plain(remark(field)))
    return f"| {' | '.join(cells)} |"


def _how(field: FieldText) -> str:
    word = how(field).removesuffix(field.value) if field.value else how(field)
    return f"{word}`{field.value.replace('|', chr(92) + '|')}`" if field.value else word


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _linked(names: tuple[str, ...]) -> str:
    return ", ".join(f"[{name}](#{name})" for name in names)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write("wrote the page of what the library declares\n")
