"""Payments that CCTP carries, several in one transaction: each ends by itself, to the unit."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import SigningRefused, Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.engine.loop import Engine
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.chain import IncludedTx, SignedTx, TxStatus
from crossway.ports.records import TxAttempt
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.payments.signing_policy import SigningPolicy
from tests.bridges.cctp_chains import CctpWorld, places, send_as_stranger
from tests.bridges.test_cctp_payments import stocked_world
from tests.chains.live import ARBITRUM, BASE

AMOUNT = 25_000_000
K = OutboundTxKind
BATCH = default_deployment().call_batch


def funded(world: CctpWorld, count: int) -> list[Intent]:
    """Payments whose deposits are in one block."""
    intents = [world.pay(f"number {n}") for n in range(count)]
    world.step()
    world.record_openings()
    base = world.anvils[BASE]
    for intent in intents:
        base.send(intent.address, intent.terms.deposit_amount)
    base.mine()
    return intents


def txs(world: CctpWorld, intents: Sequence[Intent], kind: K) -> list[OutboundTx]:
    with world.services.store.read() as unit:
        return unit.outbound_txs.list_by_intents([intent.id for intent in intents], kind)


def attempts(world: CctpWorld, intents: Sequence[Intent], kind: K) -> list[TxAttempt]:
    ids = [tx.id for tx in txs(world, intents, kind)]
    with world.services.store.read() as unit:
        return unit.outbound_txs.list_attempts(ids)


def names(world: CctpWorld, intents: Sequence[Intent], kind: K) -> set[str | None]:
    return {tx.tx_id for tx in txs(world, intents, kind)}


def are_signed(world: CctpWorld, intents: Sequence[Intent], kind: K = K.START) -> None:
    """Go on until all of them are signed, before a block takes them."""

    def over() -> bool:
        world.engine.tick()
        found = txs(world, intents, kind)
        return len(found) == len(intents) and all(tx.state == "SIGNED" for tx in found)

    if not over():
        world.until(over)


def signed_and_refused(world: CctpWorld, intents: Sequence[Intent]) -> None:
    """Have their sends signed as one transaction that no block of Base has room for; one call by
    itself fits."""
    base = world.anvils[BASE]
    base.rpc("evm_setBlockGasLimit", hex(700_000))
    base.mine()
    are_signed(world, intents)
    assert len(names(world, intents, K.START)) == 1
    world.clock.ahead += timedelta(minutes=3)


def all_complete(world: CctpWorld, intents: Sequence[Intent]) -> None:
    for intent in intents:
        world.ends(intent, State.COMPLETED)
    for intent in intents:
        world.settled(intent)
        recipient = world.anvils[ARBITRUM].balance(intent.terms.recipient)
        assert (recipient, places(world, intent).deposit) == (AMOUNT, 0)
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def fees_booked(world: CctpWorld, intents: Sequence[Intent], tx_id: str) -> list[int]:
    """What the books have of a transaction's fee, for each payment."""
    with world.services.store.read() as unit:
        postings = unit.ledger.list_by_tx([intent.id for intent in intents], {tx_id})
    by_intent = {intent.id: 0 for intent in intents}
    for posting in postings:
        if posting.debit is Account.NETWORK_FEES:
            by_intent[posting.intent_id] += posting.amount
    return list(by_intent.values())


def fee_paid(world: CctpWorld, chain: str, tx_id: str) -> int:
    receipt = world.anvils[chain].rpc("eth_getTransactionReceipt", tx_id)
    assert receipt["to"].lower() == BATCH.lower()
    return int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)


def test_payments_that_are_due_together_share_their_transactions(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intents = funded(world, 4)
    all_complete(world, intents)
    for kind, chain in ((K.START, BASE), (K.DELIVER, ARBITRUM)):
        (tx_id,) = names(world, intents, kind)
        assert tx_id is not None
        shares = fees_booked(world, intents, tx_id)
        assert sum(shares) == fee_paid(world, chain, tx_id)
        assert max(shares) - min(shares) < len(intents)


def test_what_a_stranger_did_first_fails_alone(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intents = funded(world, 3)
    are_signed(world, intents)
    (tx_id,) = names(world, intents, K.START)
    # The stranger offers more and is the first one in the block.
    send_as_stranger(world, intents[0])
    world.until(lambda: txs(world, intents[:1], K.START)[0].attempt_count == 1)
    all_complete(world, intents)
    assert names(world, intents[:1], K.START) != {tx_id} == names(world, intents[1:], K.START)
    # Each pays its part of the transaction, the one whose call failed, too.
    assert sum(fees_booked(world, intents, tx_id or "")) == fee_paid(world, BASE, tx_id or "")


def test_a_transaction_for_several_that_waits_is_replaced_for_all(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intents = funded(world, 3)
    are_signed(world, intents)
    (first,) = names(world, intents, K.START)
    base = world.anvils[BASE]
    price = int(base.rpc("eth_gasPrice"), 16)
    base.rpc("anvil_setNextBlockBaseFeePerGas", hex(price * 4))
    base.mine()
    assert base.rpc("eth_getTransactionReceipt", first) is None
    world.clock.ahead += timedelta(minutes=1)

    def is_replaced() -> bool:
        return first not in names(world, intents, K.START)

    world.until(is_replaced)
    all_complete(world, intents)
    (second,) = names(world, intents, K.START)
    signed = attempts(world, intents, K.START)
    assert {attempt.signed.tx_id for attempt in signed} == {first, second}
    assert len({attempt.signed.nonce for attempt in signed}) == 1
    assert fee_paid(world, BASE, second or "") == sum(fees_booked(world, intents, second or ""))


def test_what_was_stored_and_not_sent_is_sent_by_the_next_engine(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intents = funded(world, 3)
    chain = world.services.chains[BASE]
    sent: list[SignedTx] = []

    class Silent:
        def __getattr__(self, name: str) -> Any:
            return getattr(chain, name)

        def broadcast(self, signed: Sequence[SignedTx]) -> Sequence[str]:
            sent.extend(signed)
            raise Unreachable("no node takes it")

    dead = Engine(
        replace(world.services, chains={**world.services.chains, BASE: Silent()}),  # type: ignore[dict-item]
        "test",
        sole=True,
    )
    while not sent:
        dead.tick()
        world.anvils[BASE].mine()
    signed = attempts(world, intents, K.START)
    assert len({(a.signed.tx_id, a.signed.raw, a.signed.nonce) for a in signed}) == 1
    assert signed[0].signed.raw
    with world.services.store.read() as unit:
        (last,) = unit.outbound_txs.list_attempts([signed[-1].outbound_tx_id])
    assert last.signed.raw == signed[0].signed.raw
    all_complete(world, intents)
    assert names(world, intents, K.START) == {sent[0].tx_id}


def test_a_reorganisation_takes_it_back_for_all(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intents = funded(world, 3)
    are_signed(world, intents)
    world.step()
    (tx_id,) = names(world, intents, K.START)
    base = world.anvils[BASE]
    assert base.rpc("eth_getTransactionReceipt", tx_id) is not None
    base.reorganise(1)
    assert base.rpc("eth_getTransactionReceipt", tx_id) is None
    all_complete(world, intents)


def test_only_calls_that_anyone_may_make_share_a_nonce(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intents = funded(world, 2)
    chain, services = world.services.chains[BASE], world.services
    are_signed(world, intents)
    starts = txs(world, intents, K.START)
    calls = [
        build_outbound_call(tx, intent, chain.accounts)
        for tx, intent in zip(starts, intents, strict=True)
    ]
    nonce = attempts(world, intents, K.START)[0].signed.nonce

    def sign(*made: OutboundCall) -> int:
        with services.store.read() as unit:
            policy = SigningPolicy(unit, services, chain, starts)
            requests = [(tx, call, nonce) for tx, call in zip(starts, made, strict=True)]
            return len({one.tx_id for one in policy.sign(requests, chain.fee_units())})

    assert sign(*calls) == 1
    own = replace(calls[1], custody=Custody.OPERATOR)
    with pytest.raises(SigningRefused):
        sign(calls[0], own)


def test_what_no_block_has_room_for_is_halved_and_keeps_nobody_waiting(
    cctp_world: CctpWorld,
) -> None:
    world = cctp_world
    intents = funded(world, 3)
    signed_and_refused(world, intents)
    all_complete(world, intents)
    assert len(names(world, intents, K.START)) >= 2


def test_a_transaction_that_is_included_after_it_was_halved_ends_all_of_them(
    cctp_world: CctpWorld,
) -> None:
    world, base = cctp_world, cctp_world.anvils[BASE]
    intents = funded(world, 3)
    signed_and_refused(world, intents)
    (first,) = attempts(world, intents[:1], K.START)
    while len(names(world, intents, K.START)) == 1:
        world.engine.tick()
    # Only the first one is where a block is made that has room for it.
    base.rpc("anvil_dropAllTransactions")
    base.rpc("evm_setBlockGasLimit", hex(30_000_000))
    base.mine()
    base.rpc("eth_sendRawTransaction", "0x" + first.signed.raw.hex())
    base.mine()
    all_complete(world, intents)
    tx_id = first.signed.tx_id
    assert names(world, intents, K.START) == {tx_id}
    assert sum(fees_booked(world, intents, tx_id)) == fee_paid(world, BASE, tx_id)


def test_where_gas_is_dear_fewer_share_a_transaction(cctp_world: CctpWorld) -> None:
    chain = cctp_world.services.chains[BASE]
    usual = chain.fee_units()
    sizes = [chain.calls_per_tx(usual * factor) for factor in (1, 100, 1_000, 100_000)]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (45, 1)


def test_the_books_agree_with_the_chain_while_only_some_are_confirmed(
    cctp_world: CctpWorld,
) -> None:
    world = cctp_world
    intents = funded(world, 3)
    are_signed(world, intents)
    send_as_stranger(world, intents[0])
    world.engine.tick()
    states = {tx.state.value for tx in txs(world, intents, K.START)}
    assert states == {"SIGNED", "CONFIRMED"}
    found = reconcile(world.services, world.operator)
    # The deposit that the stranger sent is booked in the next pass.
    assert [d.address for d in found.differences] == [intents[0].address]
    all_complete(world, intents)


def test_without_the_contract_each_call_has_its_own_transaction(cctp_world: CctpWorld) -> None:
    world = cctp_world
    for one in world.anvils.values():
        one.rpc("anvil_setCode", BATCH, "0x")
    intents = funded(world, 2)
    all_complete(world, intents)
    assert len(names(world, intents, K.START)) == 2


def test_a_transaction_that_did_not_send_a_payment_is_no_reason_to_pay_it_in_advance(
    tmp_path: Path,
) -> None:
    with stocked_world(tmp_path) as world:
        world.attestations.allowance, world.attestations.standard_seconds = "0", 1e9
        first, second = intents = funded(world, 2)
        are_signed(world, intents)
        world.anvils[BASE].mine()
        world.engine.tick()
        assert {tx.state.value for tx in txs(world, intents, K.START)} == {"CONFIRMED"}
        chain = world.services.chains[BASE]

        class Emptied:
            """As after a reorganisation in which the first payment's deposit was lost."""

            def __getattr__(self, name: str) -> Any:
                return getattr(chain, name)

            def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
                only_second = frozenset({second.intent_hash})
                return {
                    tx_id: replace(status, sent=only_second, carried_out=only_second)
                    if isinstance(status, IncludedTx)
                    else status
                    for tx_id, status in chain.status(tx_ids).items()
                }

        honest = world.engine
        chains = {**world.services.chains, BASE: Emptied()}
        world.engine = Engine(replace(world.services, chains=chains), "test", sole=True)  # type: ignore[arg-type]
        world.ends(second, State.COMPLETED, most=6)
        assert world.anvils[ARBITRUM].balance(first.terms.recipient) == 0
        world.engine = honest
        world.ends(first, State.COMPLETED)
        assert world.anvils[ARBITRUM].balance(first.terms.recipient) == AMOUNT
