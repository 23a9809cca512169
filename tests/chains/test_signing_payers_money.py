"""Signing what moves a payer's money by a signature or from a standing address: nothing altered."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from crossway.domain.errors import SigningRefused
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.domain.standing import StandingState
from crossway.engine.outbound_calls import build_calls
from crossway.ports.sandbox import Faults
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.signing_policy import SigningPolicy
from tests.chains.live import BASE as LIVE_BASE
from tests.chains.live import LiveWorld
from tests.chains.signing import new_payer, pay_ins
from tests.chains.test_signature_attacks import signed
from tests.engine.standing_world import BASE, StandingWorld

__all__ = ["signed"]
THIEF = "0x" + "ab" * 20
LATER = datetime(2099, 1, 1, tzinfo=UTC)
# Which account may send, and what would be carried out, in every field of a call.
ALTERED: dict[str, Any] = {
    "account": THIEF,
    "intent_hash": "0x" + "cd" * 32,
    "marker": "start:0x00",
    "not_after": LATER,
    "bridger": THIEF,
    "coordinator": THIEF,
    "contract": THIEF,
    "data": b"1",
    "value": 1,
    "message": b"1",
    "attestation": b"1",
    "bridge_output": 1,
    "deposit_id": b"2" * 32,
    "standing": None,
    "kind": OutboundTxKind.START,
    "chain": "ARBITRUM_MAINNET",
}


class Undone(Exception):
    """Takes back what a unit of work did."""


def refusal(services: Services, tx: OutboundTx, call: OutboundCall) -> str:
    def work(unit: UnitOfWork) -> str:
        policy = SigningPolicy(unit, services, services.chains[tx.chain], [tx])
        try:
            policy.require_signable(tx, call)
        except SigningRefused as refused:
            return str(refused)
        return ""

    return services.store.write(work)


def call_of(services: Services, tx: OutboundTx) -> OutboundCall:
    with services.store.read() as unit:
        intents = unit.intents.get_many({tx.intent_id})
        return build_calls(unit, services, services.chains[tx.chain], [tx], intents)[tx.id]


def require_only_its_own(services: Services, tx: OutboundTx, more: dict[str, Any]) -> None:
    """The call itself may be signed, and none that differs from it."""
    call = call_of(services, tx)
    assert refusal(services, tx, call) == ""
    [moved] = call.outputs
    outputs = [
        replace(moved, to=THIEF),
        replace(moved, source=THIEF),
        replace(moved, token=THIEF),
        replace(moved, amount=(moved.amount or 0) + 1),
    ]
    several = [(), *((one,) for one in outputs), (moved, Output(moved.source, THIEF, "0x", 1))]
    altered = [replace(call, outputs=one) for one in several]
    altered += [
        replace(call, **{name: value})
        for name, value in (ALTERED | more).items()
        if getattr(call, name) != value
    ]
    for one in altered:
        assert refusal(services, tx, one).startswith("Not signed: "), one
    for name, value in (("to_address", THIEF), ("amount", "1"), ("token", THIEF)):
        assert refusal_of_row(services, tx, name, value).startswith("Not signed: "), name


def refusal_of_row(services: Services, tx: OutboundTx, name: str, value: object) -> str:
    """Why nothing is signed where the stored row says something else and the call follows it; the
    row is as before afterwards."""
    found: list[str] = []
    statement = text(f"UPDATE outbound_txs SET {name} = :value WHERE id = :id")

    def work(unit: UnitOfWork) -> None:
        db = unit.intents._db  # type: ignore[attr-defined]
        db.execute(statement, {"value": value, "id": tx.id})
        [row] = unit.outbound_txs.list_by_intents([tx.intent_id], tx.kind)
        chain = services.chains[tx.chain]
        intents = unit.intents.get_many({tx.intent_id})
        call = build_calls(unit, services, chain, [row], intents)[tx.id]
        try:
            SigningPolicy(unit, services, chain, [row]).require_signable(row, call)
        except SigningRefused as refused:
            found.append(str(refused))
        raise Undone

    with suppress(Undone):
        services.store.write(work)
    return "".join(found)


@pytest.fixture
def simulated(tmp_path: Path) -> Iterator[StandingWorld]:
    built = StandingWorld(tmp_path)
    yield built
    built.store.close()


@pytest.mark.parametrize(
    ("units", "state"),
    [(50_000_000, StandingState.FORWARDING), (1_000_000, StandingState.RETURNING)],
)
def test_nothing_else_leaves_a_standing_address(
    simulated: StandingWorld, units: int, state: StandingState
) -> None:
    address = simulated.create(minimum="20000000")
    simulated.pass_time(1)
    simulated.sandbox.inject_faults(BASE, Faults(balances={"relayer": {"ETH": 0}}))
    simulated.send(address, units)
    simulated.pass_time(30)
    assert simulated.states() == [state]
    [tx] = simulated.transactions()
    terms = replace(address.terms, recovery=THIEF)
    require_only_its_own(simulated.services, tx, {"standing": terms})


def test_nothing_else_is_signed_than_what_the_payer_signed(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "altered call")
    kept = payer.pay(intent)
    [tx] = pay_ins(signed, intent)
    assert tx.chain == LIVE_BASE
    elsewhere = replace(kept, authorization=replace(kept.authorization, to=THIEF))
    more = {"signature": elsewhere, "terms": replace(intent.terms, recipient=THIEF)}
    require_only_its_own(signed.services, tx, more)
