"""The documented state diagrams match the transition tables."""

from scripts.diagrams import FILE, page


def test_the_state_diagrams_match_the_transition_tables() -> None:
    assert FILE.read_text(encoding="utf-8") == page(), "run: python scripts/diagrams.py"
