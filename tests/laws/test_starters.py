"""What `new` says of a count is true: the plan it writes compiles, and a refusal names the counts and a sharding that do."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from capwright.cli import main
from tests.cli.test_new import EXPERTS

NAMED = re.compile(r"take `--count` ((?:\d, )*\d(?: or \d)?)")
OWN = re.compile(r"`(sharding spread \{.*?\})`, which does")
FIELDS = re.compile(r"\b(tensor|data|replicas) = ([\d_]+)")


def ended(*words: str) -> tuple[int, str]:
    """The exit code of a command, and what it told of mistakes."""
    told = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(told):
        return main(list(words)), told.getvalue()


def devices(plan: str) -> int:
    """The devices that the sharding of a plan uses."""
    spread = re.search(r"sharding spread \{.*?\}", plan)
    assert spread is not None
    product = 1
    for _, count in FIELDS.findall(spread[0]):
        product *= int(count.replace("_", ""))
    return product


@settings(max_examples=4, deadline=None)  # a refusal compiles some thirty plans
@given(
    kv_heads=st.integers(1, 6),
    per_head=st.integers(1, 4),
    experts=st.sampled_from([3, 4, 8, 16]),
    blocks=st.integers(1, 8),
    count=st.integers(1, 20),
    other=st.integers(1, 8),
)
def test_a_plan_holds_together_and_a_refusal_names_what_does(
    kv_heads: int, per_head: int, experts: int, blocks: int, count: int, other: int
) -> None:
    sizes = {"num_attention_heads": kv_heads * per_head, "num_key_value_heads": kv_heads}
    sizes |= {"num_experts": experts, "moe_intermediate_size": 128 * blocks}
    with tempfile.TemporaryDirectory() as folder:
        config, plan = Path(folder, "config.json"), Path(folder, "start.plan")
        config.write_text(json.dumps(EXPERTS | sizes), encoding="utf-8")
        start = ("new", str(config), "--device", "h200_sxm", "-o", str(plan), "--force", "--count")
        code, told = ended(*start, str(count))
        if code == 0:
            assert devices(plan.read_text(encoding="utf-8")) == count
            assert ended("check", str(plan)) == (0, "")
            return
        assert code == 2
        assert "CW0696" in told
        named, own = NAMED.search(told), OWN.search(told)
        assert named is not None
        assert own is not None
        assert (str(other) in named[1]) is (ended(*start, str(other))[0] == 0)
        assert ended(*start, "1")[0] == 0
        text = re.sub(r"sharding spread \{.*?\}", own[1], plan.read_text(encoding="utf-8"))
        plan.write_text(text, encoding="utf-8")
        assert devices(text) == count
        assert ended("check", str(plan)) == (0, "")
