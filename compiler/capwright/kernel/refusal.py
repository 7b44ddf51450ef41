"""How a primitive says that it cannot give a number."""

from __future__ import annotations


class KernelRefusal(Exception):
    """A value that cannot be built or counted, with the code, the words and the way out of a diagnostic.

    The checker and the evaluator turn it into a `Diagnostic` at the place of the call; it never reaches a
    user as an exception. `least` is the smallest whole number that would do, where nothing else is wrong.
    """

    def __init__(self, code: str, message: str, help: str, least: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help
        self.least = least
