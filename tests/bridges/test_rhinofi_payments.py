"""Payments under RHINOFI on live chains: rhino.fi brings what the destination lacks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, State
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.rhinofi_chains import (
    AMOUNT,
    CONTRACTS,
    configs,
    invoke,
    profile_with_rhinofi,
    put_rhinofi,
    rhinofi_key,
)
from tests.bridges.rhinofi_service import RhinofiService, running_rhinofi
from tests.chains.anvil import RELAYER, RELAYER_KEY, RICH, STOCK, Anvil, dollars
from tests.chains.live import ARBITRUM, LiveWorld, two_chains

# Services are asked ever more seldom by the clock, which blocks on demand do not follow.
BLOCKS = 2_000


@pytest.fixture
def service() -> Iterator[tuple[dict[str, Anvil], RhinofiService]]:
    with two_chains() as chains, running_rhinofi(chains=configs()) as running:
        for one in chains.values():
            put_rhinofi(one)
        yield chains, running


@pytest.fixture
def world(tmp_path: Path, service: tuple[dict[str, Anvil], RhinofiService]) -> Iterator[LiveWorld]:
    chains, running = service
    with rhinofi_key():
        built = LiveWorld(tmp_path, chains, profile_with_rhinofi(tmp_path, chains, running.url))
        yield built
        built.close()


def moved(world: LiveWorld, intent: Intent) -> InventoryTransfer | None:
    with world.services.store.read() as unit:
        transfers = unit.inventory_transfers.list_by_intents([intent.id])
    return transfers[0] if transfers else None


def wait(world: LiveWorld, intent: Intent, state: str) -> InventoryTransfer:
    def reached() -> bool:
        transfer = moved(world, intent)
        return transfer is not None and transfer.state == state

    world.until(reached, BLOCKS)
    transfer = moved(world, intent)
    assert transfer is not None
    return transfer


def pay_out(world: LiveWorld, running: RhinofiService, transfer: InventoryTransfer) -> None:
    """rhino.fi pays the relayer on the destination, and says so."""
    one, call = world.hands[ARBITRUM], "withdrawV2(address,address,uint256)"
    assert isinstance(one, Anvil)
    tx_id = invoke(one, CONTRACTS[ARBITRUM], call, dollars(ARBITRUM), RELAYER, AMOUNT)
    bridged = running.bridged[transfer.reference]
    bridged.state, bridged.payout_tx = "EXECUTED", tx_id


def test_it_is_brought_where_inventory_lacks(
    world: LiveWorld, service: tuple[dict[str, Anvil], RhinofiService]
) -> None:
    chains, running = service
    other = chains[ARBITRUM]
    to, units = address_word("evm", RICH.address), number_word(STOCK)
    other.call_token(other.token, "transfer(address,uint256)", to, units, key=RELAYER_KEY)
    world.record_openings()
    intent = world.pay()
    assert (intent.terms.bridge, intent.custody) == ("RHINOFI", Custody.OPERATOR)
    world.deposit(intent)
    sent = wait(world, intent, "SENT")
    assert world.now(intent).state is State.INITIATED
    assert AMOUNT < sent.source_amount <= intent.terms.deposit_amount
    pay_out(world, running, sent)
    world.ends(intent, State.COMPLETED, BLOCKS)
    assert other.balance(intent.terms.recipient) == AMOUNT
    wait(world, intent, "CLOSED")
    world.settled(intent)
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def test_what_was_paid_out_of_inventory_is_put_back_after_the_repayment(
    world: LiveWorld, service: tuple[dict[str, Anvil], RhinofiService]
) -> None:
    chains, running = service
    world.record_openings()
    before = chains[ARBITRUM].balance(RELAYER)
    intent = world.pay()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    sent = wait(world, intent, "SENT")
    assert chains[ARBITRUM].balance(RELAYER) == before - AMOUNT
    pay_out(world, running, sent)
    wait(world, intent, "CLOSED")
    assert chains[ARBITRUM].balance(RELAYER) == before
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]
