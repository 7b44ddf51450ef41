"""What declarations have in a difference, beside what the plan says when it is compiled under every coalition of the edits."""

from __future__ import annotations

from capwright.document.compare import compare
from tests.support.compared import document, made, told, true_parts

SHAPES = """\
unit byte, bytes symbol B
entity shape { v : byte }
entity square : shape { }
entity round : shape { edge : byte }
formula area(s: shape) : byte
formula area(s: square) : byte = s.v
formula area(s: round) : byte = s.v + s.edge
entity pair { a : shape; b : shape; both : byte = area(a) + area(b) }
square tile { v = 4 bytes }
round slab { v = 40 bytes; edge = 7 bytes }
pair p { a = tile; b = slab }
report p
"""


def test_edits_of_two_overloads_of_one_formula_are_two_declarations():
    docs = made(
        SHAPES, (("byte = s.v\nformula", "byte = s.v * 2\nformula"), ("s.v + s.edge", "s.v + 3 * s.edge"))
    )
    square, round_ = true_parts(docs, "p.both")
    diff = compare(docs[0], docs[-1])
    assert (square, round_) == (4, 14)
    assert told(diff, "p.both") == {("area(s: square)",): square, ("area(s: round)",): round_}
    assert {(d.address, d.after) for d in diff.declarations} == {
        ("area(s: square)", "byte = s.v * 2"),
        ("area(s: round)", "byte = s.v + 3 * s.edge"),
    }


QUOTED = """\
unit byte, bytes symbol B
formula twice(n: byte) : byte because "as  #1 of the \\"#2 list\\" has it" = n * 2  # comments do not count
held : byte = twice(3 bytes)
report held
"""


def test_what_stands_behind_a_stroke_in_quotes_is_the_formula_too():
    before, after = document(QUOTED), document(QUOTED.replace("n * 2", "n * 3"))
    [formula] = before.formulas
    assert formula.text == 'byte because "as  #1 of the \\"#2 list\\" has it" = n * 2'
    assert told(compare(before, after), "held") == {("twice(…)",): 3}
    other = document(QUOTED.replace("as  #1", "as #1").replace("comments do not", 'no "comment" does'))
    assert other.formulas[0].text == formula.text.replace("as  #1", "as #1")
