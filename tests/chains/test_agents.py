"""An agent of a cold coordinator pays registered payees alone: what it needs before it can work,
and how it refunds what was collected."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import SETTLE
from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.adapters.chains.intent_hash import hash_terms, source_terms
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.errors import SigningRefused
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.payments.signing_policy import SigningPolicy
from tests.chains.anvil import (
    CATALOGUE,
    COORDINATOR,
    COORDINATOR_KEY,
    RELAYER,
    RELAYER_KEY,
    STOCK,
    TREASURY,
    Anvil,
    dollars,
)
from tests.chains.live import ARBITRUM, BASE
from tests.chains.test_claims import AGREE
from tests.chains.test_coordinator import ColdWorld

FIELDS = re.compile(r"^  (chain id|to|value|data) +(\S+)$", re.MULTILINE)


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[ColdWorld]:
    made = ColdWorld(tmp_path, chains)
    yield made
    made.live.close()


def calls_of(told: str) -> list[dict[str, str]]:
    found = FIELDS.findall(told)
    return [dict(found[first : first + 4]) for first in range(0, len(found), 4)]


def test_an_agent_whose_payees_are_missing_is_not_authorized(world: ColdWorld) -> None:
    told = world.says("agent", "--chain", BASE)
    named, *registered = calls_of(told)
    at = default_deployment()
    assert [call["to"] for call in registered] == [at.escrow2, at.escrow2]
    assert named["to"] == at.factory
    assert told.count("setPayee(address,bool)") == 2
    for payee in (RELAYER, TREASURY):
        assert f"setPayee(address,bool) {payee} true" in told
    world.base.carry_out(named["to"], named["data"], COORDINATOR_KEY)
    assert world.authorized() == set()
    said = world.says("agent", "--check", code=1)
    assert f"{COORDINATOR} has not registered the relayer {RELAYER} as a payee, registered" in said
    assert "its agent" not in said
    world.base.carry_out(registered[0]["to"], registered[0]["data"], COORDINATOR_KEY)
    said = world.says("agent", "--check", code=1)
    assert f"{COORDINATOR} has not registered the treasury {TREASURY} as a payee\n" in said
    assert "registered the treasury" in world.doctor()
    world.base.carry_out(registered[1]["to"], registered[1]["data"], COORDINATOR_KEY)
    assert world.authorized() == {COORDINATOR}
    assert world.says("agent", "--check").startswith(f"✓ {BASE}")


def test_what_revokes_an_agent_takes_its_account_from_the_payees(world: ColdWorld) -> None:
    world.allow()
    told = world.says("agent", "--chain", BASE, "--revoke")
    assert f"setPayee(address,bool) {RELAYER} false" in told
    assert TREASURY not in told
    world.coordinator_signs(told)
    assert world.authorized() == set()


def refuse_after_start(world: ColdWorld) -> Intent:
    """A payment that is started and whose recipient refuses it then."""
    live = world.live
    world.allow()
    world.forget_switches()
    intent = live.pay()
    live.step()
    live.record_openings()
    live.deposit(intent)
    live.until(lambda: any(t.tx_id for t in world.txs(intent, OutboundTxKind.START)))
    live.anvils[ARBITRUM].refuse(intent.terms.recipient)
    return intent


def test_an_agent_refunds_by_way_of_the_deposit_address(world: ColdWorld) -> None:
    live = world.live
    intent = refuse_after_start(world)
    live.until(lambda: len(world.txs(intent, OutboundTxKind.REFUND)) == 2)
    assert live.now(intent).state is State.FAILED
    by_cause = {tx.cause: tx for tx in world.txs(intent, OutboundTxKind.REFUND)}
    assert by_cause["failed"].state in (OutboundTxState.CONFIRMED, OutboundTxState.FINAL)
    assert by_cause["returned"].amount is None
    live.ends(intent, State.REFUNDED)
    live.settled(intent)
    kept, total = intent.costs.network_fee_units, intent.terms.deposit_amount
    held = live.held(intent)
    assert (held.payer, held.recipient) == (total - kept, 0)
    assert (held.escrow, held.deposit, held.treasury) == (0, 0, 0)
    assert held.relayer == 2 * STOCK + kept
    for account in (Account.HELD, Account.ESCROW):
        assert world.booked(account) == 0
    with live.services.store.read() as unit:
        (deposit,) = unit.deposits.list_by_intents([intent.id])
    assert deposit.incoming.amount == total
    assert reconcile(live.services, live.operator).sentences() == AGREE


def test_a_payment_ends_as_refunded_only_when_the_refund_address_was_paid(
    world: ColdWorld,
) -> None:
    live = world.live
    intent = refuse_after_start(world)
    world.base.refuse(intent.terms.refund_address)
    live.until(
        lambda: any(
            t.state is OutboundTxState.FAILED for t in world.txs(intent, OutboundTxKind.REFUND)
        ),
        most=240,
    )
    assert live.now(intent).state is State.FAILED
    returned = intent.terms.deposit_amount - intent.costs.network_fee_units
    assert world.base.balance(intent.address) == world.booked(Account.HELD) == returned
    assert world.booked(Account.ESCROW) == 0


def test_a_refund_that_a_reorganisation_removes_is_made_again_once(world: ColdWorld) -> None:
    live = world.live
    intent = refuse_after_start(world)
    live.until(lambda: len(world.txs(intent, OutboundTxKind.REFUND)) == 2)
    world.base.reorganise(2)
    live.ends(intent, State.REFUNDED, 240)
    live.settled(intent)
    kept = intent.costs.network_fee_units
    held = live.held(intent)
    assert (held.payer, held.escrow, held.deposit) == (intent.terms.deposit_amount - kept, 0, 0)
    for account in (Account.HELD, Account.ESCROW):
        assert world.booked(account) == 0


def test_a_stolen_agents_key_moves_a_deposit_to_nobody_else(world: ColdWorld) -> None:
    """The relayer's key settles to an account of its own, and is refused."""
    live = world.live
    world.allow()
    world.forget_switches()
    intent = live.pay()
    live.step()
    live.deposit(intent)
    live.until(lambda: any(t.tx_id for t in world.txs(intent, OutboundTxKind.START)))
    place = keccak256(address_word("evm", RELAYER) + number_word(0))
    live.anvils[ARBITRUM].rpc(
        "anvil_setStorageAt", dollars(ARBITRUM), "0x" + place.hex(), "0x" + "0" * 64
    )
    live.ends(intent, State.INITIATED)
    thief = world.base.wallet("a thief")
    of = CATALOGUE, intent.terms, intent.bridger, intent.coordinator
    settle = SETTLE.encode(
        source_terms(*of).values, hash_terms(*of).dest_hash, [(thief, intent.terms.deposit_amount)]
    )
    world.base.transact(intent.bridger, settle, key=RELAYER_KEY)
    world.base.mine()
    assert world.base.balance(thief) == 0
    assert world.base.balance(intent.bridger) == intent.terms.deposit_amount


def test_an_agent_signs_no_refund_that_its_escrow_would_refuse(world: ColdWorld) -> None:
    live = world.live
    intent = refuse_after_start(world)
    live.until(lambda: bool(world.txs(intent, OutboundTxKind.REFUND)))
    refund = next(t for t in world.txs(intent, OutboundTxKind.REFUND) if t.cause == "failed")
    chain, reasons = live.services.chains[BASE], []

    def work(unit: UnitOfWork) -> None:
        stored = unit.intents.get_many([intent.id])[intent.id]
        call = build_outbound_call(refund, stored, chain.accounts)
        back, kept = call.outputs
        assert (back.to, kept.to) == (intent.address, RELAYER)
        for to in (intent.terms.refund_address, world.base.wallet("a thief")):
            wrong = replace(call, outputs=(replace(back, to=to), kept))
            try:
                policy = SigningPolicy(unit, live.services, chain, [refund], {COORDINATOR})
                policy.require_signable(refund, wrong)
            except SigningRefused as refused:
                reasons.append(str(refused))

    live.services.store.write(work)
    assert len(reasons) == 2
    assert all("does not pay what the terms say" in reason for reason in reasons)
