"""The tests by which docs/contracts.md proves its lines exist."""

import re

from tests.contracts.test_build import SOURCES
from tests.processes import ROOT


def test_every_test_that_the_page_names_exists() -> None:
    text = (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", text))
    existing = {
        name
        for path in SOURCES.glob("test/*.t.sol")
        for name in re.findall(r"function (test_\w+)", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 40
    assert named - existing == set()
