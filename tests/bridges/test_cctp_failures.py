"""What can go wrong with a payment over CCTP, on two real chains, and how each ends."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState
from crossway.domain.clients import staff_principal
from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import Intent, State
from crossway.domain.roles import Role
from crossway.usecases.payments import manual_refunds
from tests.bridges.cctp_chains import (
    CCTP,
    CctpWorld,
    Places,
    call,
    deliver_as_stranger,
    places,
    send_as_stranger,
    start_as_stranger,
)
from tests.chains.anvil import dollars
from tests.chains.live import ARBITRUM, BASE

AMOUNT = 25_000_000
S = BridgeTransferState
OPERATOR = staff_principal("Otto", Role.OPERATOR)


def transfer_of(world: CctpWorld, intent: Intent) -> BridgeTransfer:
    with world.services.store.read() as unit:
        return unit.bridge_transfers.get_many([intent.id])[intent.id]


def sent(world: CctpWorld, **switches: Any) -> Intent:
    """A payment whose deposit is burnt, after which the service has these switches."""
    intent = world.pay()
    for name, value in switches.items():
        setattr(world.attestations, name, value)
    world.step()
    world.deposit(intent)
    reaches(world, intent, S.SEEN)
    return intent


def reaches(world: CctpWorld, intent: Intent, state: BridgeTransferState) -> BridgeTransfer:
    def is_there() -> bool:
        with world.services.store.read() as unit:
            transfer = unit.bridge_transfers.get_many([intent.id]).get(intent.id)
        return transfer is not None and transfer.state is state

    world.until(is_there)
    return transfer_of(world, intent)


def paid_exactly_once(world: CctpWorld, intent: Intent) -> None:
    held = places(world, intent)
    rest = intent.terms.deposit_amount - AMOUNT - held.circle
    assert held == Places(0, 0, AMOUNT, 0, rest, held.circle)


def all_back(world: CctpWorld, intent: Intent) -> None:
    assert places(world, intent) == Places(intent.terms.deposit_amount, 0, 0, 0, 0, 0)


def test_what_a_stranger_delivers_is_booked_from_the_chain(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = sent(world)
    deliver_as_stranger(world, intent)
    done = world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)
    assert transfer_of(world, intent).destination_tx == done.tx_hash
    world.settled(intent)
    assert reaches(world, intent, S.CLOSED).reason == ""
    paid_exactly_once(world, intent)


def test_what_a_stranger_sends_is_followed(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = world.pay()
    world.step()
    world.deposit(intent)
    send_as_stranger(world, intent)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)


def test_what_a_stranger_started_is_sent_all_the_same(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = world.pay()
    world.step()
    world.deposit(intent)
    start_as_stranger(world, intent)
    assert places(world, intent).source_contract == intent.terms.deposit_amount
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)


def test_a_silent_service_delays_a_payment_and_says_so(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = sent(world, silent=True)
    world.clock.ahead += timedelta(minutes=5)
    delayed = reaches(world, intent, S.DELAYED)
    assert "Circle" in delayed.reason
    assert any("delayed" in line for line in world.words())
    world.attestations.silent = False
    world.clock.ahead += timedelta(hours=1)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)


def test_a_used_up_allowance_waits_for_finality_without_a_fee(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = sent(world, allowance="0", standard_seconds=1e9)
    delayed = reaches(world, intent, S.DELAYED)
    assert "allowance for fast transfers is used up" in delayed.reason
    world.attestations.standard_seconds = 0
    world.clock.ahead += timedelta(hours=1)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)
    assert places(world, intent).circle == 0


def test_an_expired_message_is_attested_again(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = sent(world, expired=True)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)
    assert any("POST /v2/reattest/" in request for request in world.attestations.requests)


def test_nothing_is_delivered_where_the_service_contradicts_the_chain(
    cctp_world: CctpWorld,
) -> None:
    world = cctp_world
    intent = sent(world, lie="recipient")
    halted = reaches(world, intent, S.HALTED)
    assert "recipient" in halted.reason
    world.step(10)
    assert world.now(intent).state is State.INITIATED
    assert places(world, intent).recipient == 0
    assert any("Nothing is delivered" in line for line in world.words())


def test_a_recipient_on_the_deny_list_is_parked_and_released(cctp_world: CctpWorld) -> None:
    world, arbitrum = cctp_world, cctp_world.anvils[ARBITRUM]
    intent = sent(world)
    call(arbitrum, dollars(ARBITRUM), "blacklist(address)", intent.terms.recipient)
    world.ends(intent, State.FAILED)
    assert transfer_of(world, intent).state is S.PARKED
    assert places(world, intent).destination_contract > AMOUNT
    call(arbitrum, dollars(ARBITRUM), "unBlacklist(address)", intent.terms.recipient)
    world.clock.ahead += timedelta(hours=2)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)


def test_a_recipient_on_the_deny_list_gets_nothing_sent_and_all_goes_back(
    cctp_world: CctpWorld,
) -> None:
    world, arbitrum = cctp_world, cctp_world.anvils[ARBITRUM]
    intent = world.pay()
    call(arbitrum, dollars(ARBITRUM), "blacklist(address)", intent.terms.recipient)
    world.step()
    world.deposit(intent)
    world.step(5)
    assert world.now(intent).state is State.FUNDED
    world.anvils[BASE].rpc("evm_increaseTime", 4_000)
    world.ends(intent, State.REFUNDED)
    all_back(world, intent)


def test_a_paused_bridge_takes_nothing_and_all_goes_back(cctp_world: CctpWorld) -> None:
    world, base = cctp_world, cctp_world.anvils[BASE]
    intent = world.pay()
    call(base, CCTP.message_transmitter, "pause()")
    world.step()
    world.deposit(intent)
    world.step(5)
    assert any("Pausable: paused" in line for line in world.words())
    base.rpc("evm_increaseTime", 4_000)
    world.ends(intent, State.REFUNDED)
    all_back(world, intent)
    assert transfer_of(world, intent).state is S.REFUNDED


def test_a_paused_bridge_gives_back_what_a_stranger_started(cctp_world: CctpWorld) -> None:
    world, base = cctp_world, cctp_world.anvils[BASE]
    intent = world.pay()
    call(base, CCTP.message_transmitter, "pause()")
    world.step()
    world.deposit(intent)
    start_as_stranger(world, intent)
    reaches(world, intent, S.COLLECTED)
    base.rpc("evm_increaseTime", 4_000)
    world.ends(intent, State.REFUNDED)
    all_back(world, intent)
    assert transfer_of(world, intent).state is S.REFUNDED


def test_what_a_stranger_started_is_taken_back_by_hand(cctp_world: CctpWorld) -> None:
    world, base = cctp_world, cctp_world.anvils[BASE]
    intent = world.pay()
    call(base, CCTP.message_transmitter, "pause()")
    world.step()
    world.deposit(intent)
    start_as_stranger(world, intent)
    reaches(world, intent, S.COLLECTED)
    world.step()
    stepping = replace(world.services, process=replace(world.services.process, pause=world.step))
    tx = manual_refunds.refund(stepping, OPERATOR, intent.address)
    with pytest.raises(InvalidStatus, match=r"already refunded|holds no funds"):
        manual_refunds.refund(stepping, OPERATOR, intent.address)
    world.ends(intent, State.REFUNDED)
    assert world.now(intent).tx_hash == tx
    assert base.time < intent.terms.expires_at
    all_back(world, intent)
    assert transfer_of(world, intent).state is S.REFUNDED


def test_a_paused_bridge_takes_it_later(cctp_world: CctpWorld) -> None:
    world, base = cctp_world, cctp_world.anvils[BASE]
    intent = world.pay()
    call(base, CCTP.message_transmitter, "pause()")
    world.step()
    world.deposit(intent)
    world.step(5)
    call(base, CCTP.message_transmitter, "unpause()")
    world.clock.ahead += timedelta(minutes=1)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)
    assert not [line for line in world.words() if "paused" in line]
