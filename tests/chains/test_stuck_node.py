"""A node that stands still tells what was: that counts for nothing where balances must agree."""

from collections.abc import Iterator
from typing import Any

import pytest

from crossway.domain.errors import Unreachable
from tests.chains.anvil import Anvil, dollars
from tests.chains.front import GONE, HONEST, Front
from tests.chains.live import BASE
from tests.conformance.networks import made_up, open_evm

STUCK = "stuck"
_ABOUT_NOW = {"eth_call": 1, "eth_getBalance": 1, "eth_getBlockByNumber": 0}


class StuckNode(Front):
    """Answers as of the block at which it stopped."""

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        at = _ABOUT_NOW.get(asked["method"])
        if at is not None and asked["params"][at] == "latest":
            params = list(asked["params"])
            params[at] = hex(self.frozen_at)
            asked = {**asked, "params": params}
        return super()._one(asked)


@pytest.fixture
def nodes(chains: dict[str, Anvil]) -> Iterator[tuple[Front, StuckNode]]:
    good, stuck = Front(chains[BASE]), StuckNode(chains[BASE])
    yield good, stuck
    good.close()
    stuck.close()


def test_agreed_balances_are_not_those_of_a_node_that_is_behind(
    chains: dict[str, Anvil], nodes: tuple[Front, StuckNode]
) -> None:
    (good, stuck), base = nodes, chains[BASE]
    address = made_up("a deposit address")
    stuck.frozen_at, stuck.mood = base.height, STUCK
    base.pay(address, 7)
    chain = open_evm(base, good.url, stuck.url)
    chain.heads()
    assert chain.agreed_balances([address], dollars(BASE)) == {address: 7}
    good.mood = GONE
    with pytest.raises(Unreachable, match="behind"):
        chain.agreed_balances([address], dollars(BASE))
    stuck.mood = HONEST
    chain.close()
