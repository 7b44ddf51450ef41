"""What ends a command before it could do its work."""

from __future__ import annotations


class CannotRun(Exception):
    """A command that could not run: exit code 2, with a code, what is wrong and the way out."""

    def __init__(self, code: str, message: str, help: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help


def path_word(word: str) -> str:
    """A path as it was typed; raises `CannotRun` (CW0160) for an empty word, which a variable that is not set leaves."""
    if not word:
        raise CannotRun(
            "CW0160",
            "an empty word is no path",
            "name a file or a folder, or leave the word out: a variable of the shell may be empty here",
        )
    return word
