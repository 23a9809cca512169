"""A payment under GATEWAY on live chains: priced by Circle's estimate, paid out of inventory."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, State
from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.gateway_chains import AMOUNT, GATEWAY, STOCK, following, paying_gateway_chains
from tests.bridges.gateway_service import GatewayService
from tests.chains.anvil import RELAYER_KEY, RICH, Anvil
from tests.chains.live import ARBITRUM, BASE, LiveWorld
from tests.chains.service import paid, profile_of

# Services are asked ever more seldom by the clock, which blocks on demand do not follow.
BLOCKS = 2_000
MINT, DEPOSIT = InventoryTransferKind.MINT, InventoryTransferKind.DEPOSIT


@pytest.fixture
def service() -> Iterator[tuple[dict[str, Anvil], GatewayService]]:
    with paying_gateway_chains() as chains, following(chains) as running:
        yield chains, running


@pytest.fixture
def world(tmp_path: Path, service: tuple[dict[str, Anvil], GatewayService]) -> Iterator[LiveWorld]:
    chains, running = service
    profile = profile_of(tmp_path, chains.values(), bridges=("GATEWAY",))
    profile.write_text(profile.read_text() + f'[gateway]\nurl = "{running.url}"\n')
    built = LiveWorld(tmp_path, chains, profile)
    yield built
    built.close()


def state_of(world: LiveWorld, intent: Intent, kind: InventoryTransferKind) -> str:
    with world.services.store.read() as unit:
        transfers = unit.inventory_transfers.list_by_intents([intent.id])
    return next((t.state for t in transfers if t.kind is kind), "")


def test_it_is_paid_out_of_inventory_and_the_payer_is_told_whom_to_trust(
    world: LiveWorld, service: tuple[dict[str, Anvil], GatewayService]
) -> None:
    _, running = service
    world.record_openings()
    intent = world.pay()
    assert (intent.terms.bridge, intent.custody) == ("GATEWAY", Custody.OPERATOR)
    # Half a basis point, and what Circle takes for a burn on Base.
    assert intent.costs.bridge_micro_usd >= 1_250 + 10_000
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    # What came back is deposited, with an approval of exactly that.
    world.until(lambda: state_of(world, intent, DEPOSIT) == "CLOSED", BLOCKS)
    held = paid(intent, 2 * STOCK)
    assert world.held(intent) == replace(held, relayer=held.relayer - AMOUNT)
    assert "/v1/transfer" not in {path for path, _ in running.requests}
    assert sum(world.services.inventory_bridges["GATEWAY"].balances().values()) == AMOUNT
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def test_it_is_minted_where_inventory_lacks_and_settled(
    world: LiveWorld, service: tuple[dict[str, Anvil], GatewayService]
) -> None:
    chains, running = service
    base, arbitrum = chains[BASE], chains[ARBITRUM]
    rich, units = address_word("evm", RICH.address), number_word(STOCK)
    arbitrum.call_token(arbitrum.token, "transfer(address,uint256)", rich, units, key=RELAYER_KEY)
    wallet, deposit = address_word("evm", GATEWAY.wallet), number_word(2 * AMOUNT)
    base.call_token(base.token, "approve(address,uint256)", wallet, deposit, key=RELAYER_KEY)
    token = address_word("evm", base.token)
    base.call_token(GATEWAY.wallet, "deposit(address,uint256)", token, deposit, key=RELAYER_KEY)
    for one in chains.values():
        one.mine(12)
    world.record_openings()
    bridge = world.services.inventory_bridges["GATEWAY"]
    assert sum(bridge.balances().values()) == 2 * AMOUNT
    intent = world.pay()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    assert arbitrum.balance(intent.terms.recipient) == AMOUNT
    world.settled(intent)
    world.until(lambda: state_of(world, intent, MINT) == "CLOSED", BLOCKS)
    world.until(lambda: state_of(world, intent, DEPOSIT) == "CLOSED", BLOCKS)
    assert [path for path, _ in running.requests].count("/v1/transfer") == 1
    with world.services.store.read() as unit:
        transfers = unit.inventory_transfers.list_by_intents([intent.id])
    mint = next(t for t in transfers if t.kind is MINT)
    fee = mint.source_amount - mint.amount
    assert fee > 0
    assert sum(bridge.balances().values()) == 2 * AMOUNT - fee
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def test_two_deposits_at_once_use_an_approval_each(
    world: LiveWorld, service: tuple[dict[str, Anvil], GatewayService]
) -> None:
    """An approval replaces the one before, so the next is made once the last was used."""
    world.record_openings()
    intents = [world.pay(name) for name in ("one", "two")]
    for intent in intents:
        world.deposit(intent)
    for intent in intents:
        world.ends(intent, State.COMPLETED)
    for intent in intents:
        world.until(lambda intent=intent: state_of(world, intent, DEPOSIT) == "CLOSED", BLOCKS)
    bridge = world.services.inventory_bridges["GATEWAY"]
    assert sum(bridge.balances().values()) == 2 * AMOUNT
    with world.services.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id for intent in intents])
    assert {t.attempt_count for t in txs if t.kind == "INVENTORY_SEND"} == {0}
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]
