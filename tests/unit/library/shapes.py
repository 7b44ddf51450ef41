"""Random model shapes, as plans: what laws of the library are tried on."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

HEADER = "use std\n"
DIMS = "q_heads = {q} q_heads; kv_heads = {kv} kv_heads; key_dim = {dim}"


@dataclass(frozen=True)
class Shape:
    """A model of a few layer groups, a sharding and an engine's settings."""

    groups: tuple[tuple[str, int, int], ...]
    kv_heads: int
    dim: int
    tensor: int
    stages: int
    block: int
    budget: int
    hybrid: bool
    profile: str

    @property
    def layers(self) -> int:
        return sum(count for _, count, _ in self.groups)

    def plan(self) -> str:
        """The plan's declarations: model `m`, cache `c`, sharding `spread`, engine `e`."""
        return HEADER + "\n".join(
            [
                "model m {",
                "  hidden_size = 1_024; vocabulary = 1_000; max_context = 1_000_000 tokens; dtype = bf16",
                *(self._group(at) for at in range(len(self.groups))),
                "}",
                f"cache c : paged {{ element = bf16; block = {self.block} tokens/block }}",
                f"sharding spread {{ tensor = {self.tensor} devices; stages = {self.stages} stages }}",
                (
                    f"engine e : {self.profile} {{ max_model_len = 100_000 tokens"
                    f"; max_num_batched_tokens = {self.budget} tokens; hybrid_kv_cache_manager = {str(self.hybrid).lower()} }}"
                ),
                "",
            ]
        )

    def _group(self, at: int) -> str:
        sort, count, window = self.groups[at]
        # Interleaved as real models are: one group after another, over and over, as far as counts go.
        dims = DIMS.format(q=self.kv_heads * self.tensor, kv=self.kv_heads, dim=self.dim)
        stage_layers = ", ".join(f"{part} layers" for part in self._split(count))
        fields = f"layers = {count} layers; stage_layers = [{stage_layers}]; {dims}"
        if sort != "grouped_query":
            fields += f"; window = {window} tokens"
        return f"  group g{at} : {sort} {{ {fields} }}"

    def _split(self, count: int) -> list[int]:
        size, rest = divmod(count, self.stages)
        return [size + (at < rest) for at in range(self.stages)]


GROUPS = st.tuples(
    st.sampled_from(["grouped_query", "sliding", "chunked"]),
    st.integers(4, 40),
    st.sampled_from([128, 1_024, 4_096]),
)

SHAPES = st.builds(
    Shape,
    groups=st.lists(GROUPS, min_size=1, max_size=3).map(tuple),
    kv_heads=st.sampled_from([1, 2, 8]),
    dim=st.sampled_from([64, 128]),
    tensor=st.sampled_from([1, 2, 4, 16]),
    stages=st.sampled_from([1, 2, 3]),
    block=st.sampled_from([8, 16, 64]),
    budget=st.sampled_from([512, 8_192]),
    hybrid=st.booleans(),
    profile=st.sampled_from(["vllm_0_10_1", "vllm_0_22_1"]),
)
