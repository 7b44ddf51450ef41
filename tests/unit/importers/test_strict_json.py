"""JSON read strictly: each way in which a file can be broken has its own code and place."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capwright.importers import read_json
from capwright.importers.strict_json import MAX_BYTES, NotFinite
from tests.support.pace import within

DEEP = b"[" * 65 + b"]" * 65


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b'{"a": "\xff"}', "CW0610", "byte 7 of the file"),
        (b'\xef\xbb\xbf{"a": 1}', "CW0611", "byte-order mark"),
        ("{}".encode("utf-16"), "CW0611", "byte-order mark"),
        (b"", "CW0612", "empty"),
        (b"  \n", "CW0612", "empty"),
        (b'{"a": 1', "CW0612", "ends in the middle"),
        (b'{"a": "x', "CW0612", "ends in the middle"),
        (b'{"a": 1,}', "CW0613", "line 1, column 9"),
        (b"{'a': 1}", "CW0613", "line 1, column 2"),
        (b'{"a": 1} 2', "CW0613", "extra data"),
        (b'{"a": 1, "a": 2}', "CW0614", "`a` stands twice"),
        (b'{"x": {"a": 1, "a": 1}}', "CW0614", "at /x/a"),
        (b'{"a": ' + b" " * MAX_BYTES + b"1}", "CW0616", "bytes"),
        (DEEP, "CW0617", "more than 64 deep"),
        (b"[" * 100_000, "CW0617", "more than 64 deep"),
        (b'{"a": ' + b"9" * 1_001 + b"}", "CW0618", "/a"),
        (b'{"a": [1e999999]}', "CW0618", "/a/0"),
        (b'{"a": 1e' + b"9" * 5_000 + b"}", "CW0618", "/a"),
    ],
    ids=lambda value: value[:24] if isinstance(value, bytes) else None,
)
def test_what_is_refused(data, code, words):
    value, found = read_json(data, "config.json")
    assert value is None
    assert [each.code for each in found] == [code]
    assert words in found[0].message
    assert found[0].help
    assert found[0].span.file == "config.json"


def test_nesting_up_to_the_limit_is_read():
    value, found = read_json(DEEP[1:-1])
    assert isinstance(value, list)
    assert not found


def test_brackets_in_text_are_no_nesting():
    assert read_json(json.dumps({"a": "[" * 200 + '\\"' + "{" * 200}).encode())[1] == ()


def test_a_repeated_key_is_shown_where_it_repeats():
    text = b'{"size": 1, "other": 2, "size": 3}'
    (found,) = read_json(text, "c.json")[1]
    assert text[found.span.start : found.span.end] == b"3"


def test_ten_mistakes_are_ten_messages_in_order():
    text = "{" + ", ".join(f'"k{n}": 1, "k{n}": 2' for n in range(10)) + "}"
    found = read_json(text.encode())[1]
    assert [each.code for each in found] == ["CW0614"] * 10
    assert [each.span.start for each in found] == sorted(each.span.start for each in found)


def test_what_is_not_finite_is_a_warning_and_no_number():
    value, (one, two) = read_json(b'{"limit": [0, Infinity], "n": NaN}')
    assert value == {"limit": [0, NotFinite("Infinity")], "n": NotFinite("NaN")}
    assert {one.code, two.code} == {"CW0615"}
    assert one.severity == two.severity == "warning"


def test_numbers_are_exact_and_keep_their_sort():
    value, _ = read_json(b'{"whole": 8192, "decimal": 8192.0, "small": 1e-05}')
    assert value == {"whole": 8192, "decimal": Fraction(8192), "small": Fraction(1, 100_000)}
    assert type(value["whole"]) is int
    assert type(value["decimal"]) is Fraction


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_a_message(data):
    value, found = read_json(data, "x")
    assert bool(found) == (value is None and data.strip() != b"null")
    assert all(each.help and each.code.startswith("CW06") for each in found)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_what_a_lenient_reader_reads_is_read_alike(value):
    assert read_json(json.dumps(value).encode()) == (value, ())


def test_a_hostile_file_is_refused_in_time():
    with within(1):
        read_json(b"[" * 5_000_000)
        read_json(b'{"a":1,' * 2_000_000)
