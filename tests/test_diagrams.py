"""The diagrams of the documentation are those of the tables."""

from scripts.diagrams import FILE, page


def test_the_diagrams_are_drawn_from_the_tables_as_they_are() -> None:
    assert FILE.read_text(encoding="utf-8") == page(), "run: python scripts/diagrams.py"
