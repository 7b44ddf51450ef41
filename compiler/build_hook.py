"""Building the package: the grammar's tables, the parsed library and the templates' code are made here, once, and shipped."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuiltFiles(BuildHookInterface):  # type: ignore[type-arg]  # hatchling ships no types
    """Writes `capwright/_built/`; an editable install reads it from the checkout, a wheel carries it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (the hook's signature)
        """Called by hatchling before it collects files."""
        source_root = Path(self.root) / "compiler"
        sys.path.insert(0, str(source_root))
        try:
            from capwright.building import write_built

            write_built()
        finally:
            sys.path.remove(str(source_root))
        build_data["artifacts"].append("compiler/capwright/_built/**")
