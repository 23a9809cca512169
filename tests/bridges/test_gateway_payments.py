"""A payment under GATEWAY on live chains: priced by Circle's estimate, paid out of inventory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, default_deployment, init_code
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import State
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.cctp_chains import call
from tests.bridges.gateway_chains import STOCK, following, two_gateway_chains
from tests.bridges.gateway_service import GatewayService
from tests.chains.anvil import RELAYER_KEY, RICH, Anvil
from tests.chains.live import LiveWorld
from tests.chains.service import paid, profile_of


@pytest.fixture
def service() -> Iterator[tuple[dict[str, Anvil], GatewayService]]:
    with two_gateway_chains() as chains, following(chains) as running:
        for one in chains.values():
            for name in ("IntentFactory", "Escrow2", "Filler2"):
                one.transact(DEPLOYER, SALT + init_code(name))
                one.mine()
            words = address_word("evm", default_deployment().filler2), number_word(2**255)
            call(one, one.token, "mint(address,uint256)", RICH.address, STOCK)
            one.call_token(one.token, "approve(address,uint256)", *words, key=RELAYER_KEY)
            one.mine(10)
        yield chains, running


def test_it_is_paid_out_of_inventory_and_the_payer_is_told_whom_to_trust(
    tmp_path: Path, service: tuple[dict[str, Anvil], GatewayService]
) -> None:
    chains, running = service
    profile = profile_of(tmp_path, chains.values(), bridges=("GATEWAY",))
    profile.write_text(profile.read_text() + f'[gateway]\nurl = "{running.url}"\n')
    world = LiveWorld(tmp_path, chains, profile)
    try:
        world.record_openings()
        intent = world.pay()
        assert (intent.terms.bridge, intent.custody) == ("GATEWAY", Custody.OPERATOR)
        # Half a basis point, and what Circle takes for a burn on Base.
        assert intent.costs.bridge_micro_usd >= 1_250 + 10_000
        world.deposit(intent)
        world.ends(intent, State.COMPLETED)
        world.settled(intent)
        assert world.held(intent) == paid(intent, 2 * STOCK)
        assert {path for path, _ in running.requests} == {"/v1/estimate"}
        assert reconcile(world.services, world.operator).sentences() == [
            "The books and the chains agree."
        ]
    finally:
        world.close()
