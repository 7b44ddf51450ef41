"""The text of a file's bytes: UTF-8, without a byte-order mark, of bounded length."""

from __future__ import annotations

from capwright.base.diagnostic import Diagnostic
from capwright.base.source import Span

_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def decoded(data: bytes, shown_path: str, most: int) -> tuple[str, Diagnostic | None]:
    """The text of at most `most` bytes, or a message: CW0616 too long, CW0611 a mark, CW0610 not UTF-8."""
    start = Span(shown_path, 0, 0)
    if len(data) > most:
        message = f"the file has {len(data):_} bytes, and at most {most:_} are read"
        return "", Diagnostic("CW0616", start, message, "leave out what the plan does not need")
    if data.startswith(_MARKS):
        help = "save it as UTF-8 without a byte-order mark"
        return "", Diagnostic("CW0611", start, "the file begins with a byte-order mark", help)
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode("utf-8"))
        message = f"byte {error.start:_} of the file is not UTF-8"
        return "", Diagnostic("CW0610", Span(shown_path, at, at), message, "save the file as UTF-8")
