"""Making foreign text harmless, once for every place it is printed in.

Names, reasons, sources and source lines come from plans that a stranger may have written. Each function
returns text that shows the same characters and means nothing to the reader of that format.
"""

from __future__ import annotations

import re
from shlex import quote
from typing import Final

JOINER: Final = "\N{WORD JOINER}"
"""Breaks up what a forge would turn into a link or a mention, and shows nothing."""

_BLANKS: Final = "\t\n\r\v\f\x85\u2028\u2029"
_UNSEEN: Final = re.compile(
    rf"[\x00-\x1f\x7f-\x9f\ud800-\udfff\U000e0000-\U000e0fff{_BLANKS}"
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Breaks of lines, control characters, halves of a pair, what turns the direction of writing, and tags."""
_SIGNS: Final = re.compile(r"[&<>\"']")

_LINKS: Final = re.compile(
    r"@|#|(?i:\bgh-)(?=\d)|(?<=:)(?=//)|(?i:www)(?=\.)|(?i:mailto|xmpp)(?=:)|:(?=[\w+-]+(?::|$))"
)
_MARKUP: Final = {ord(sign): f"&#{ord(sign)};" for sign in "\\`*[]<>&|~$\"'!{}^="}
_UNDERSCORE: Final = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_TICKS: Final = re.compile(r"`+")


def one_line(text: str) -> str:
    """`text` on one line, with control and direction characters written out (`\\x1b`, `\\u202e`)."""
    return _UNSEEN.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    character = found[0]
    if character in _BLANKS:
        return " "
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def in_quotes(text: str) -> str:
    """A sentence of ours with its backticks as quotation marks, for pages on which they would be signs of their own.

    What a stranger wrote may stand in it, so no element is made of what is between them.
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    marks = ("\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}")
    return "".join(part + (marks[at % 2] if at < len(parts) - 1 else "") for at, part in enumerate(parts))


def shell_word(text: str) -> str:
    """`text` as one word of a command that a reader is to run, in a shell that knows `$'…'` as all but the oldest do.

    No sign in it means anything to the shell, nor to what a hint is printed in: what is unseen, a backquote and what opens
    a workflow command are written out as bytes.
    """
    if _UNSEEN.search(text) is None and not any(sign in text for sign in ("`", "##[", "::")):
        return quote(text)
    return "$'" + "".join(map(_shell_sign, text)) + "'"


def shell_path(path: str) -> str:
    """A path as one word of such a command, which is no option there whatever it begins with."""
    return shell_word(f"./{path}" if path.startswith("-") else path)


def _shell_sign(sign: str) -> str:
    if sign in "\\'":
        return f"\\{sign}"
    if sign in "`#:" or _UNSEEN.match(sign):
        # A byte of a file's name that is no text is half of a pair.
        how = "surrogateescape" if "\udc80" <= sign <= "\udcff" else "surrogatepass"
        return "".join(f"\\x{byte:02x}" for byte in sign.encode("utf-8", how))
    return sign


def html_text(text: str) -> str:
    """`text` for HTML content or a quoted attribute."""
    line = _UNSEEN.sub(_written_out, text)
    if _SIGNS.search(line) is None:
        return line
    from html import escape  # what a terminal is told has no need of its tables

    return escape(line, quote=True)


def markdown_text(text: str) -> str:
    """`text` as prose in Markdown: inline, in a table cell, or inside an HTML block.

    Only character references are used, since they work in all three and never make markup.
    """
    broken = _LINKS.sub(lambda found: found[0] + JOINER, one_line(text)).translate(_MARKUP)
    return _UNDERSCORE.sub("&#95;", broken)


def markdown_attribute(text: str) -> str:
    """`text` as the title of a Markdown link, which a forge does not look through for links."""
    return one_line(text).translate(_MARKUP)


def markdown_code(text: str, *, cell: bool = False) -> str:
    """`text` as a code span; in a table cell a `|` must be escaped even there."""
    line = one_line(text)
    longest = max((len(run) for run in _TICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if not line.strip() or line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{pad}{_cell_pipes(line) if cell else line}{pad}{fence}"


def _cell_pipes(line: str) -> str:
    # `\|` is a pipe in a table cell; a backslash that stands before it would turn it into a border.
    return line.replace("\\|", f"\\{JOINER}|").replace("|", "\\|")


def terminal_text(text: str) -> str:
    """`text` for a terminal or a build log: no control sequence, no workflow command."""
    line = one_line(text).replace("##[", f"##{JOINER}[")
    return f":{JOINER}{line[1:]}" if line.lstrip().startswith("::") and line[0] == ":" else line


def annotation_data(text: str) -> str:
    """The message of a workflow command, which may have several lines."""
    lines = [one_line(line).replace("##[", f"##{JOINER}[") for line in text.split("\n")]
    return "%0A".join(line.replace("%", "%25") for line in lines)


def annotation_property(text: str) -> str:
    """A property (file, title) of a workflow command."""
    return annotation_data(text.replace("\n", " ")).replace(":", "%3A").replace(",", "%2C")


def csv_text(text: str) -> str:
    """`text` as a spreadsheet cell that is no formula, in a file that may be printed to a build log."""
    line = terminal_text(text)
    return f"'{line}" if line[:1] in {"=", "+", "-", "@"} else line


def json_for_a_log(text: str) -> str:
    """JSON text as it is, with the older spelling of workflow commands broken up."""
    return text.replace("##[", "#\\u0023[")
