"""What docs/contracts.md says the contracts cost is what they cost."""

import re

from tests.contracts import bridge_gas, gas
from tests.processes import ROOT

ROW = re.compile(r"^\| (.+?) \| ([\d,]+) \|$", re.MULTILINE)


def test_the_gas_table_has_the_measured_values() -> None:
    text = (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")
    told = {what: int(used.replace(",", "")) for what, used in ROW.findall(text)}
    found = dict([*gas.measured(), *bridge_gas.measured()])
    assert list(told) == list(found)
    # Addresses are part of the calls: a zero in one costs less than another digit.
    far = {what: (told[what], used) for what, used in found.items() if abs(told[what] - used) > 300}
    assert far == {}
