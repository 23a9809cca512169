"""Payments whose start swaps the payer's token for what the bridge carries."""

from pathlib import Path

import pytest

from crossway.domain.bridge_transfer import Custody
from crossway.domain.clients import staff_principal
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind as K
from crossway.ports.sandbox import Faults, StrangerAction
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.world import BridgeWorld
from tests.harness import CATALOGUE
from tests.invariants import check_invariants

ETH = CATALOGUE.tokens["BASE_MAINNET", "ETH"].address


@pytest.fixture
def world(tmp_path: Path) -> BridgeWorld:
    return BridgeWorld(tmp_path, "CCTP")


def booked(world: BridgeWorld, account: Account, chain: str, token: str) -> int:
    with world.store.read() as unit:
        return unit.ledger.get_balances().get((account, chain, token), 0)


def test_a_token_that_no_bridge_carries_is_swapped_and_pays_the_recipient_exactly(
    world: BridgeWorld,
) -> None:
    intent = world.pay(token_in=ETH)
    swap = intent.swap
    assert swap is not None
    assert (intent.custody, intent.terms.bridge) == (Custody.BRIDGE, "CCTP")
    assert (swap.symbol, swap.exchange) == ("USDC", "Simulated exchange")
    world.wait_for_state(intent, State.COMPLETED, within=60)
    assert world.paid(intent) == 25_000_000
    # What the swap did not need of the deposit is the payer's.
    assert world.refunded(intent) == intent.terms.deposit_amount - swap.expected_input > 0
    assert world.txs(intent).keys() == {K.START, K.DELIVER}
    source, token = intent.terms.source_chain, intent.terms.token_in
    assert booked(world, Account.EXCHANGED, source, token) == swap.expected_input
    assert booked(world, Account.EXCHANGED, source, swap.token) == -swap.output
    assert booked(world, Account.HELD, source, token) == 0
    assert booked(world, Account.IN_TRANSIT, source, swap.token) == 0
    # The whole cent, whatever the swap cost beside it.
    to, out = intent.terms.destination_chain, intent.terms.token_out
    assert booked(world, Account.SERVICE_FEES, to, out) == 10_000


def test_a_swap_that_the_deposit_cannot_pay_for_reverts_and_is_refunded(
    world: BridgeWorld,
) -> None:
    world.set_faults("EXCHANGE", paused=True)
    intent = world.pay(token_in=ETH)
    world.pass_time(30)
    [start] = [tx for kind, tx in world.txs(intent).items() if kind is K.START]
    assert "the swap costs more than the deposit" in start.reason
    world.wait_for_state(intent, State.REFUNDED, within=4_000)
    assert world.refunded(intent) == intent.terms.deposit_amount
    assert world.paid(intent) == 0


def test_a_swap_is_made_after_a_strangers_bare_start(world: BridgeWorld) -> None:
    intent = world.pay(token_in=ETH)
    world.act(intent, StrangerAction.START)
    world.wait_for_state(intent, State.COMPLETED, within=60)
    assert world.paid(intent) == 25_000_000
    assert intent.swap is not None
    assert world.refunded(intent) == intent.terms.deposit_amount - intent.swap.expected_input
    source, token = intent.terms.source_chain, intent.terms.token_in
    assert booked(world, Account.ESCROW, source, token) == 0


def test_a_swap_that_a_reorganisation_removes_is_taken_back_and_made_again(
    world: BridgeWorld,
) -> None:
    world.set_faults("CCTP", late_seconds=600)
    intent = world.pay(token_in=ETH)
    world.wait_for(intent, "SEEN")
    swap, (source, token) = intent.swap, (intent.terms.source_chain, intent.terms.token_in)
    assert swap is not None
    world.reorganise(source, 2, drop=1)
    world.pass_time(4)
    assert booked(world, Account.EXCHANGED, source, token) in (0, swap.expected_input)
    world.wait_for_state(intent, State.COMPLETED, within=3_000)
    assert world.paid(intent) == 25_000_000
    assert world.refunded(intent) == intent.terms.deposit_amount - swap.expected_input
    assert booked(world, Account.EXCHANGED, source, token) == swap.expected_input
    assert booked(world, Account.EXCHANGED, source, swap.token) == -swap.output
    assert booked(world, Account.HELD, source, token) == 0


def test_change_that_the_refund_address_refuses_is_booked_where_it_is(world: BridgeWorld) -> None:
    intent = world.pay(token_in=ETH, amount="2500000000")
    source, token = intent.terms.source_chain, intent.terms.token_in
    world.sandbox.inject_faults(source, Faults(refuse=[intent.terms.refund_address]))
    world.wait_for_state(intent, State.COMPLETED, within=60)
    world.pass_time(30)
    left = world.held(intent, intent.address, at_source=True)
    assert intent.swap is not None
    assert left == intent.terms.deposit_amount - intent.swap.expected_input
    assert booked(world, Account.HELD, source, token) == left


def test_a_stranger_cannot_swap(world: BridgeWorld) -> None:
    intent = world.pay(token_in=ETH)
    world.act(intent, StrangerAction.SEND)
    world.pass_time(3)
    assert intent.swap is not None
    assert world.paid(intent) == 0
    world.wait_for_state(intent, State.COMPLETED, within=60)


@pytest.mark.parametrize(
    ("source", "symbol", "bridge", "to"),
    [
        ("SOLANA_MAINNET", "SOL", "GATEWAY", "BASE_MAINNET"),
        ("STARKNET_MAINNET", "STRK", "RHINOFI", "BASE_MAINNET"),
        ("TRON_MAINNET", "TRON", "RHINOFI", "ETHEREUM_MAINNET"),
        ("BSC_MAINNET", "BNB", "RHINOFI", "BASE_MAINNET"),
    ],
)
def test_a_payment_out_of_inventory_swaps_at_its_start_on_every_family(
    tmp_path: Path, source: str, symbol: str, bridge: str, to: str
) -> None:
    world = BridgeWorld(tmp_path, bridge, chains=(source, to))
    out = "USDT" if source.startswith("TRON") else "USDC"
    intent = world.pay(
        source=source,
        to=to,
        token_in=CATALOGUE.tokens[source, symbol].address,
        token_out=CATALOGUE.tokens[to, out].address,
    )
    swap = intent.swap
    assert swap is not None
    assert (intent.custody, swap.symbol) == (Custody.OPERATOR, out)
    world.wait_for_state(intent, State.COMPLETED, within=120)
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.refunded(intent) == intent.terms.deposit_amount - swap.expected_input
    world.pass_time(120)
    chain = intent.terms.source_chain
    # The escrow repaid the relayer in what it holds since the swap; the spread stays with it.
    assert world.txs(intent)[K.REIMBURSE].token == swap.token
    assert booked(world, Account.ESCROW, chain, swap.token) == 0
    assert booked(world, Account.HELD, chain, intent.terms.token_in) == 0
    cent = 10 ** (swap.decimals - 2)
    assert cent - 1 <= booked(world, Account.SERVICE_FEES, chain, swap.token) <= cent


def test_dollars_of_tron_pay_who_wants_other_dollars_and_nothing_is_swapped(
    tmp_path: Path,
) -> None:
    """rhino.fi exchanges on the way, so the escrow holds what the payer deposited."""
    source, to = "TRON_MAINNET", "BASE_MAINNET"
    world = BridgeWorld(tmp_path, "RHINOFI", chains=(source, to))
    usdt, usdc = CATALOGUE.tokens[source, "USDT"].address, CATALOGUE.tokens[to, "USDC"].address
    intent = world.pay(source=source, to=to, token_in=usdt, token_out=usdc)
    assert (intent.custody, intent.terms.bridge, intent.swap) == (Custody.OPERATOR, "RHINOFI", None)
    world.wait_for_state(intent, State.COMPLETED, within=120)
    assert world.paid(intent) == intent.terms.payout_amount
    world.pass_time(120)
    assert world.txs(intent)[K.REIMBURSE].token == usdt
    assert booked(world, Account.ESCROW, source, usdt) == 0
    assert booked(world, Account.SERVICE_FEES, source, usdt) > 0


def test_a_swapped_deposit_that_is_not_paid_out_goes_back_as_what_it_was_swapped_for(
    tmp_path: Path,
) -> None:
    world = BridgeWorld(tmp_path, "GATEWAY", chains=("SOLANA_MAINNET", "BASE_MAINNET"))
    intent = world.pay(
        source="SOLANA_MAINNET",
        to="BASE_MAINNET",
        token_in=CATALOGUE.tokens["SOLANA_MAINNET", "SOL"].address,
    )
    swap = intent.swap
    assert swap is not None
    world.wait_for_state(intent, State.FUNDED)
    # The start is on its way: before it, the simulation would have shown the refusal.
    world.sandbox.inject_faults("BASE_MAINNET", Faults(refuse=[intent.terms.recipient]))
    world.wait_for_state(intent, State.REFUNDED, within=600)
    accounts = world.services.chains["SOLANA_MAINNET"].balances(
        [intent.terms.refund_address], swap.token
    )
    assert accounts[intent.terms.refund_address] >= swap.output - swap.network_fee_units


@pytest.mark.parametrize("bridge", ["CCTP", "GATEWAY"])
def test_books_and_chains_agree_after_a_swap_and_after_its_reorganisation(
    tmp_path: Path, bridge: str
) -> None:
    world = BridgeWorld(tmp_path, bridge)
    intent = world.pay(token_in=ETH)
    world.wait_for_state(intent, State.INITIATED, State.COMPLETED, within=60)
    world.reorganise(intent.terms.source_chain, 3)
    world.wait_for_state(intent, State.COMPLETED, within=600)
    world.pass_time(300)
    assert world.paid(intent) == intent.terms.payout_amount
    assert intent.swap is not None
    assert world.refunded(intent) == intent.terms.deposit_amount - intent.swap.expected_input
    check_invariants(world, reorged=True)
    found = reconcile(world.services, staff_principal("an operator"))
    assert found.sentences() == ["The books and the chains agree."]


@pytest.mark.parametrize("earlier", ["RHINOFI", "GATEWAY"])
def test_the_exchange_sells_to_a_bridge_after_it_sold_to_the_relayer(
    tmp_path: Path, earlier: str
) -> None:
    """Where the operator pays the recipient, the exchange sells what it need not hold."""
    first = BridgeWorld(tmp_path, earlier)
    collected = first.pay(token_in=ETH)
    assert collected.swap is not None
    first.wait_for_state(collected, State.COMPLETED, within=120)
    first.store.close()
    world = BridgeWorld(tmp_path, "CCTP")
    intent = world.pay(token_in=ETH)
    assert intent.swap is not None
    world.wait_for_state(intent, State.COMPLETED, within=60)
    assert world.paid(intent) == 2 * 25_000_000
