"""What ends a command before it could do its work."""

from __future__ import annotations


class CannotRun(Exception):
    """A command that could not run: exit code 2, with a code, what is wrong and the way out."""

    def __init__(self, code: str, message: str, help: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help
