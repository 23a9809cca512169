"""The pages of a simulated transaction and a simulated address, and the links that lead there."""

import json
from dataclasses import replace

import pytest

from crossway.adapters.chains.simulated.catalogue import with_own_explorer
from crossway.catalogue import load_catalogue
from crossway.dashboard.views.formatting import address_cell, tx_cell
from crossway.domain.errors import NotFound
from crossway.domain.intent import State
from crossway.ports.sandbox import Faults
from crossway.ports.simulated_transactions import TxPlace, TxSender
from crossway.usecases.simulator.explorer import get_transaction
from tests.dashboard.conftest import DashboardApp
from tests.usecases.ramp_world import ARBITRUM, BASE


def text_of(screen: DashboardApp, key: str) -> str:
    return json.dumps(screen.widget(key), ensure_ascii=False)


def test_on_the_simulated_network_links_lead_to_pages_of_the_dashboard() -> None:
    chain = with_own_explorer(load_catalogue()).chains[BASE]
    assert tx_cell(chain, "0xab").href == f"transaction?chain={BASE}&tx=0xab"
    assert address_cell(chain, "0xcd").href == f"address?chain={BASE}&address=0xcd"
    real = load_catalogue().chains[BASE]
    assert tx_cell(real, "0xab").href == "https://basescan.org/tx/0xab"


def test_a_deposit_shows_its_block_its_transfer_and_its_payment(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    tx_hash = world.deposit(intent)
    world.pass_time(40, 5)
    assert world.reload(intent).state is State.COMPLETED
    screen.open("transaction", chain=BASE, tx=tx_hash)
    facts = text_of(screen, "tx_facts")
    for shown in ("Base", tx_hash, "Confirmations", "The simulator, as a payer"):
        assert shown in facts
    [transfer] = screen.widget("tx_transfers")["rows"]
    assert transfer["cells"][1]["copy"] == intent.address
    assert transfer["cells"][2]["text"] == "25.06325 USDC"
    [payment] = screen.widget("of_payment")["rows"]
    assert payment["href"] == f"intent?id={intent.id}"


def test_the_payout_shows_its_account_nonce_and_fee(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.deposit(intent)
    world.pass_time(40, 5)
    payout = world.reload(intent).tx_hash
    assert payout is not None
    tx = get_transaction(world.services, world.operator, ARBITRUM, payout)
    relayer = world.services.chains[ARBITRUM].accounts.relayer
    assert (tx.place, tx.sender, tx.account) == (TxPlace.INCLUDED, TxSender.OPERATOR, relayer)
    assert tx.nonce is not None
    assert tx.confirmations > 0
    assert tx.fee_units
    facts = text_of(screen.open("address", chain=ARBITRUM, address=relayer), "address_facts")
    assert "Crossway's relayer" in facts
    screen.open("transaction", chain=ARBITRUM, tx=payout)
    facts = text_of(screen, "tx_facts")
    assert "Nonce" in facts
    assert " ETH" in facts
    assert screen.widget("of_payment")["rows"][0]["href"] == f"intent?id={intent.id}"


def test_a_reverted_transaction_says_why(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.sandbox.inject_faults(BASE, Faults(revert_next=1))
    world.deposit(intent)
    world.pass_time(40, 5)
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id])
        attempts = unit.outbound_txs.list_attempts([tx.id for tx in txs])
    found = [world.sandbox.find_transaction(BASE, attempt.signed.tx_id) for attempt in attempts]
    reverted = [tx for tx in found if tx is not None and tx.reason]
    assert len(reverted) == 1
    screen.open("transaction", chain=BASE, tx=reverted[0].tx_hash)
    assert "Reverted because" in text_of(screen, "tx_facts")


def test_an_unknown_transaction_or_address_says_so(screen: DashboardApp) -> None:
    assert "no transaction with this hash" in screen.open("transaction", chain=BASE, tx="0x1").text
    assert "no such chain" in screen.open("transaction", chain="MARS", tx="0x1").text
    assert "no transaction with this hash" in screen.open("transaction", chain=BASE).text
    assert "is no address of Base" in screen.open("address", chain=BASE, address="x").text


def test_an_address_shows_what_it_holds_and_what_arrived(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    tx_hash = world.deposit(intent, "short")
    world.pass_time(20, 5)
    screen.open("address", chain=BASE, address=intent.address.lower())
    [held] = screen.widget("address_balances")["rows"]
    assert held["cells"][1]["text"] == "USDC"
    [arrived] = screen.widget("address_transfers")["rows"]
    assert arrived["cells"][0]["copy"] == tx_hash
    assert screen.widget("of_payment")["rows"][0]["href"] == f"intent?id={intent.id}"


def test_without_a_simulated_network_there_are_no_such_pages(screen: DashboardApp) -> None:
    live = replace(screen.world.services, sandbox=None)
    with pytest.raises(NotFound, match="no simulated network"):
        get_transaction(live, screen.world.operator, BASE, "0x1")
