"""The code of templates, made when the package is built: compiling them takes longer than filling them."""

from __future__ import annotations

import jinja2
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from capwright.syntax.grammar import BUILT


class CompiledTemplates(BytecodeCache):
    """Code by the template's name and Jinja's release. It carries a checksum of the text and the version of Python."""

    def __init__(self, *, escaping: bool, leaving: bool = False) -> None:
        self.folder = BUILT.parent / "templates" / ("escaping" if escaping else "plain")
        self.leaving = leaving

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002 (the hook's signature)
        """Not the file's path: an installed package lies elsewhere than where it was built."""
        return f"{name}-{jinja2.__version__}"

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take the code that was left for this text, if there is some."""
        path = self.folder / bucket.key
        if path.is_file():
            bucket.bytecode_from_string(path.read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Leave the code where it will be looked for, while the package is built and at no other time."""
        if self.leaving:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / bucket.key).write_bytes(bucket.bytecode_to_string())
