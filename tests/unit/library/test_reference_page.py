"""The page of what the library declares is that of today, and has what one needs to write a variant."""

from __future__ import annotations

from tests.support.programs import library
from tests.unit.library.reference_page import PAGE, page

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_is_not_stale() -> None:
    assert page() == TEXT


def test_every_field_of_the_library_stands_on_it() -> None:
    """With its own entity, once."""
    for name, entity in library().entities.items():
        section = TEXT.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        inherited = entity.parent.fields if entity.parent is not None else {}
        for field, one in entity.fields.items():
            assert (f"\n| `{field}` |" in section) is (one is not inherited.get(field)), (name, field)


def test_a_cache_must_say_its_row_and_its_blocks() -> None:
    section = TEXT.partition("\n## cache\n")[2].partition("\n## ")[0]
    assert "- `row_bytes(g: layer_group, c: cache) : byte`" in section
    assert "- `block_tokens(c: cache) : token/block`" in section
