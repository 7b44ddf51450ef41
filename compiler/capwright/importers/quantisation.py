"""How the weights of a checkpoint are stored, by tensor: number format, scales, and which modules are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from capwright.importers.descriptions import Tensor


@dataclass(frozen=True, slots=True)
class Stored:
    """How one tensor is stored."""

    dtype: str

    def fields(self, shape: Sequence[int], count: int) -> Iterator[str]:
        """Fields of a tensor in a plan."""
        yield f"dtype = {self.dtype}"


@dataclass(frozen=True, slots=True)
class Quantisation:
    """A checkpoint's quantisation; the plain one stores everything as the model's dtype says."""

    def of(self, tensor: Tensor, layer: int | None) -> Stored | None:
        """How a tensor of a layer is stored; None for the model's own dtype."""
        return None
