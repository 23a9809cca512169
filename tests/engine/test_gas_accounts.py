"""Accounts that hold gas alone send what anyone may send, each with nonces of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.dashboard.views.treasury import build_kpis, list_shortages
from crossway.dashboard.views.treasury_details import build_gas_rows
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.sandbox import Faults
from crossway.usecases.money.inventory import get_inventory
from crossway.usecases.money.reconciliation import compare
from tests.bridges.world import BridgeWorld
from tests.harness import CATALOGUE
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
KIND, STATE = OutboundTxKind, OutboundTxState


@pytest.fixture
def world(tmp_path: Path) -> Iterator[BridgeWorld]:
    built = BridgeWorld(tmp_path, "CCTP", gas_accounts=2)
    yield built
    built.store.close()


def accounts_of(world: BridgeWorld, chain: str = BASE) -> ChainAddresses:
    return world.services.chains[chain].accounts


def pay(world: BridgeWorld, count: int, whose: str = "first") -> list[Intent]:
    """Payments to recipients of their own, so that each balance belongs to one payment."""
    wallets = [world.wallet(ARBITRUM, f"{whose} {number}") for number in range(count)]
    return [world.pay(recipient=wallet) for wallet in wallets]


def complete(world: BridgeWorld, made: list[Intent]) -> None:
    for intent in made:
        world.wait_for_state(intent, State.COMPLETED, within=900)
    while not nothing_outstanding(world):
        world.pass_time(5)
    assert [world.paid(intent) for intent in made] == [i.terms.payout_amount for i in made]


def senders_of(world: BridgeWorld, made: list[Intent], kind: OutboundTxKind) -> list[str]:
    """The account of each attempt at the transactions of this kind, oldest first."""
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id for intent in made], kind)
        return [a.signed.account for a in unit.outbound_txs.list_attempts([t.id for t in txs])]


def test_sends_and_deliveries_are_spread_over_the_gas_accounts(world: BridgeWorld) -> None:
    made = pay(world, 6)
    complete(world, made)
    for chain, kind in ((BASE, KIND.START), (ARBITRUM, KIND.DELIVER)):
        sent = senders_of(world, made, kind)
        assert set(sent) == set(accounts_of(world, chain).gas_accounts)
        assert {sent.count(account) for account in sent} == {3}
    check_invariants(world)
    compared = compare(world.services)
    assert (compared.differences, compared.unknown_txs, compared.unavailable) == ([], [], {})


def test_payouts_and_refunds_are_left_to_the_relayer(tmp_path: Path) -> None:
    world = BridgeWorld(tmp_path, "ACROSS", gas_accounts=2)
    paid = pay(world, 2)
    for intent in paid:
        world.wait_for_state(intent, State.COMPLETED, within=900)
    under = world.create_intent(refund_address=world.wallet(BASE, "payer"))
    world.deposit(under, "1000000")
    world.wait_for_state(under, State.REFUNDED, within=4_500)
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id for intent in (*paid, under)])
        attempts = unit.outbound_txs.list_attempts([tx.id for tx in txs])
    relayers = {chain.accounts.relayer for chain in world.services.chains.values()}
    assert {attempt.signed.account for attempt in attempts} <= relayers
    assert KIND.REFUND in {tx.kind for tx in txs}
    check_invariants(world)
    world.store.close()


def test_what_a_gas_account_sent_is_sent_again_when_it_is_lost_or_reorganised(
    world: BridgeWorld,
) -> None:
    world.sandbox.inject_faults(BASE, Faults(drop_next=5))
    made = pay(world, 6)
    for intent in made:
        world.wait_for_state(intent, State.INITIATED, State.COMPLETED, within=300)
    world.reorganise(BASE, 3, drop=3)
    complete(world, made)
    assert set(senders_of(world, made, KIND.START)) == set(accounts_of(world).gas_accounts)
    check_invariants(world, reorged=True)


def test_a_stuck_transaction_keeps_its_account_when_its_fee_is_raised(world: BridgeWorld) -> None:
    made = pay(world, 3)
    world.wait_for_state(made[0], State.FUNDED, within=60)
    world.sandbox.inject_faults(BASE, Faults(fee_factor=3, slow_blocks=3))
    complete(world, made)
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id for intent in made], KIND.START)
        attempts = unit.outbound_txs.list_attempts([tx.id for tx in txs])
    by_tx = {tx.id: [a.signed for a in attempts if a.outbound_tx_id == tx.id] for tx in txs}
    assert all(len({signed.slot for signed in of}) == 1 for of in by_tx.values())
    check_invariants(world)


def test_an_unused_nonce_of_a_gas_account_is_skipped_by_that_account(world: BridgeWorld) -> None:
    gas = accounts_of(world).gas_accounts[0]
    world.store.write(lambda unit: unit.account_nonces.reserve(BASE, gas, 2, 0))
    made = pay(world, 3)
    complete(world, made)
    with world.store.read() as unit:
        skips = unit.outbound_txs.list_by_intents([intent.id for intent in made], KIND.SKIP_NONCE)
        attempts = unit.outbound_txs.list_attempts([skip.id for skip in skips])
    assert [attempt.signed.slot for attempt in attempts] == [(gas, 0), (gas, 1)]
    assert [skip.cause for skip in skips] == [f"nonce:0:{gas}", f"nonce:1:{gas}"]
    assert {skip.state for skip in skips} <= {STATE.CONFIRMED, STATE.FINAL}
    check_invariants(world)


def test_an_account_without_gas_is_left_out(world: BridgeWorld) -> None:
    accounts, native = accounts_of(world), world.services.catalogue.native_token(BASE)
    empty, full = accounts.gas_accounts
    world.sandbox.refund_by_stranger(BASE, empty, native, world.wallet(BASE, "thief"))
    made = pay(world, 4)
    for intent in made:
        world.wait_for_state(intent, State.COMPLETED, within=900)
    sent = senders_of(world, made, KIND.START)
    assert set(sent) == {full}
    world.sandbox.refund_by_stranger(BASE, full, native, world.wallet(BASE, "thief"))
    more = pay(world, 2, "second")
    for intent in more:
        world.wait_for_state(intent, State.COMPLETED, within=900)
    assert set(senders_of(world, more, KIND.START)) == {accounts.relayer}


def test_the_treasury_tells_an_empty_gas_account_from_an_empty_relayer(
    world: BridgeWorld,
) -> None:
    accounts, native = accounts_of(world), world.services.catalogue.native_token(BASE)
    world.sandbox.refund_by_stranger(BASE, accounts.gas_accounts[0], native, "0x" + "99" * 20)
    inventory = get_inventory(world.services, world.operator)
    assert list_shortages(CATALOGUE, inventory, inventory.positions) == [
        f"Base: gas of account {accounts.gas_accounts[0]} lasts for 0 transactions. "
        "Without any, others send in its place."
    ]
    kpis = {kpi.label: kpi.value for kpi in build_kpis(CATALOGUE, inventory, inventory.positions)}
    assert kpis["Gas runway (tx)"] != "0"
    rows = build_gas_rows(CATALOGUE, inventory, testnets=False)
    assert [badge.text for badge in rows[0].cells[1].badges] == ["Low"]
    world.sandbox.refund_by_stranger(BASE, accounts.relayer, native, "0x" + "99" * 20)
    inventory = get_inventory(world.services, world.operator)
    kpis = {kpi.label: kpi.value for kpi in build_kpis(CATALOGUE, inventory, inventory.positions)}
    assert kpis["Gas runway (tx)"] == "0"
    sentences = list_shortages(CATALOGUE, inventory, inventory.positions)
    assert "Base: gas lasts for 0 transactions." in sentences


def test_a_relayer_without_gas_does_not_stop_what_others_can_send(world: BridgeWorld) -> None:
    accounts, native = accounts_of(world), world.services.catalogue.native_token(BASE)
    world.sandbox.refund_by_stranger(BASE, accounts.relayer, native, world.wallet(BASE, "thief"))
    made = pay(world, 4)
    for intent in made:
        world.wait_for_state(intent, State.COMPLETED, within=900)
    assert set(senders_of(world, made, KIND.START)) == set(accounts.gas_accounts)


def test_a_foreign_transaction_of_a_gas_account_is_found_and_its_fee_explained(
    world: BridgeWorld,
) -> None:
    """The start of the next payment finds a nonce used that was never reserved."""
    complete(world, pay(world, 3))
    chain, gas = world.services.chains[BASE], accounts_of(world).gas_accounts[1]
    next_nonce = chain.next_nonce(gas)
    call = OutboundCall(KIND.SKIP_NONCE, BASE, gas, "", ())
    chain.broadcast(chain.sign([(call, next_nonce)], chain.fee_units()))
    world.pass_time(10)
    assert chain.next_nonce(gas) == next_nonce + 1
    complete(world, pay(world, 3, "second"))
    with world.store.read() as unit:
        messages = [alert.message for alert in unit.alerts.list_active()]
    assert f"The gas account {gas} on Base made a transaction that the ledger does not have" in (
        " ".join(messages)
    )
    compared = compare(world.services)
    assert [tx.nonce for tx in compared.idle_txs[BASE, gas]] == [next_nonce]
    assert [tx.nonce for tx in compared.outside_fees[BASE]] == [next_nonce]
