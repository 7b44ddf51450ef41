"""Reading the files that importer calls name: a model's config, a trace of lengths."""

from __future__ import annotations

from pathlib import Path

from capwright.loading.calls import reader_calls
from capwright.loading.reading import Reading


def read_imports(reading: Reading, key: str, real: Path) -> None:
    """Read what the importer calls of one module name."""
    try:
        from capwright.importers import READERS
    except ImportError:
        return
    for call in reader_calls(reading.modules[key], reading.sources[key], READERS):
        raise NotImplementedError(call, real)
