"""Services of bridges that lie, hang or answer late about inventory: nothing is lost by it."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from crossway.adapters.chains.simulated.contracts.timing import RHINO_QUOTE_SECONDS
from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.quotes import BridgeName
from crossway.engine.inventory_funding import InventoryFunding
from crossway.engine.loop import Engine
from crossway.ports.inventory_bridge import (
    Agreed,
    AgreementExpired,
    Arrived,
    ContractInvocation,
    Declined,
    InventoryBridge,
    Pending,
    TransferStatus,
    Unanswered,
)
from crossway.ports.sandbox import Faults
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.payments.abandoned_payouts import give_up_by_hand
from tests.engine.funding_world import ARBITRUM, BASE, DEPOSIT, MINT, TRANSFER, FundingWorld
from tests.processes import PATIENCE_SECONDS, wait_until


class Service:
    """A service that does what another does, but for what a test changes."""

    def __init__(self, real: InventoryBridge) -> None:
        self.real, self.name = real, BridgeName(real.name)
        self.asked: list[int] = []

    def commit(self, transfer: InventoryTransfer, now: datetime) -> bytes:
        return self.real.commit(transfer, now)

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        self.asked.append(transfer.attempt)
        return self.real.agree(transfer, now)

    def invocations(self, transfer: InventoryTransfer) -> Sequence[ContractInvocation]:
        return self.real.invocations(transfer)

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        return self.real.track(transfers)

    def balances(self) -> Mapping[str, int]:
        return self.real.balances()


class Greedy(Service):
    """Asks for a thousand times as much."""

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        answer = super().agree(transfer, now)
        assert isinstance(answer, Agreed)
        return replace(answer, source_amount=1_000 * transfer.amount)


class Boastful(Service):
    """Says that it has a thousand times as much."""

    def balances(self) -> Mapping[str, int]:
        return {chain: 1_000 * units for chain, units in super().balances().items()}


class Absent(Service):
    """Does not tell its balances."""

    def balances(self) -> Mapping[str, int]:
        raise Unreachable("it does not answer")


class Hanging(Service):
    """Answers once it is free."""

    def __init__(self, real: InventoryBridge) -> None:
        super().__init__(real)
        self.free = threading.Event()

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        self.free.wait(4 * PATIENCE_SECONDS)
        return super().agree(transfer, now)


def use(world: FundingWorld, bridge: str, kind: type[Service]) -> Service:
    service = kind(world.services.inventory_bridges[bridge])
    bridges: dict[str, InventoryBridge] = {**world.services.inventory_bridges, bridge: service}
    world.services = replace(world.services, inventory_bridges=bridges)
    world.engine = Engine(world.services, "another", sole=True)
    return service


def test_a_service_that_asks_for_too_much_gets_nothing(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "RHINOFI")
    use(world, "RHINOFI", Greedy)
    world.set_inventory(ARBITRUM, 0)
    base = world.inventory(BASE)
    intent = world.pay()
    refused = world.wait_moved(intent, TRANSFER, "REFUSED")
    assert "more than the payment has brought" in refused.reason
    assert OutboundTxKind.INVENTORY_SEND not in world.txs(intent)
    assert world.inventory(BASE) == base


def test_a_service_that_deposits_too_much_gets_nothing(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    use(world, "GATEWAY", Greedy)
    intent = world.pay()
    world.wait_moved(intent, DEPOSIT, "REFUSED")
    assert OutboundTxKind.INVENTORY_SEND not in world.txs(intent)
    assert len(world.alerts("funding_refused")) == 1


def test_a_balance_that_is_not_there_costs_the_payer_nothing(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    use(world, "GATEWAY", Boastful)
    world.set_inventory(ARBITRUM, 0)
    intent = world.create_intent(amount=str(5_000_000 * 10**6))
    world.deposit(intent)
    mint = world.wait_moved(intent, MINT, "PLANNED", within=60)
    world.wait_for_state(intent, State.INITIATED)
    world.pass_time(20)
    assert mint.attempt == 1
    assert world.state(intent, MINT) == "PLANNED"
    life = intent.terms.expires_at.timestamp() - world.machine.seconds
    world.pass_time(life + world.services.policy.payout_grace_seconds, step=60)
    world.wait_for_state(intent, State.REFUNDED)
    assert world.refunded(intent) == intent.terms.deposit_amount


def test_without_a_balance_nothing_starts_on_it(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    use(world, "GATEWAY", Absent)
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.pass_time(12)
    assert world.reload(intent).state is State.FUNDED
    assert "does not say" in world.txs(intent)[OutboundTxKind.START].reason


def test_a_service_that_hangs_keeps_no_other_waiting(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    service = use(world, "GATEWAY", Hanging)
    assert isinstance(service, Hanging)
    service.free.set()
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_for_state(intent, State.INITIATED)
    service.free.clear()
    heads = {name: chain.heads() for name, chain in world.services.chains.items()}
    watcher = InventoryFunding(world.services)
    try:
        world.machine.seconds += 1
        for _ in range(3):
            assert watcher.follow(heads, in_background=True) == 0
        service.free.set()
        wait_until("the mint is agreed to", lambda: world.state(intent, MINT) == "AGREED")
        assert service.asked == [1]
    finally:
        service.free.set()
        watcher.stop()


@pytest.mark.parametrize("bridge", ["GATEWAY", "RHINOFI"])
def test_two_engines_move_it_once(tmp_path: Path, bridge: str) -> None:
    world = FundingWorld(tmp_path, bridge)
    world.set_inventory(ARBITRUM, 0)
    service = use(world, bridge, Service)
    intent = world.pay()
    first, second = (Engine(world.services, name) for name in ("first", "second"))
    for _ in range(110):
        world.machine.seconds += 1
        first.tick()
        second.tick()
    assert world.reload(intent).state is State.COMPLETED
    assert set(service.asked) == {1}
    assert world.inventory(ARBITRUM) == 0
    world.check_books()


def test_nothing_is_asked_for_a_payment_that_never_starts(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    service = use(world, "GATEWAY", Service)
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.sandbox.inject_faults(BASE, Faults(revert_next=1_000))
    world.wait_moved(intent, MINT, "PLANNED")
    life = intent.terms.expires_at.timestamp() - world.machine.seconds
    world.pass_time(life - 30, step=30)
    world.pass_time(60)
    world.sandbox.inject_faults(BASE, Faults(revert_next=0))
    world.wait_for_state(intent, State.REFUNDED)
    ended = world.wait_moved(intent, MINT, "REFUSED")
    assert ended.reason == "The payment ended before it was needed."
    assert service.asked == []
    assert not world.alerts("funding_overdue")


def test_a_bridge_that_is_not_configured_any_more_sends_nothing(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "RHINOFI")
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_moved(intent, TRANSFER, "AGREED")
    world.services = replace(world.services, inventory_bridges={})
    world.engine = Engine(world.services, "another", sole=True)
    world.pass_time(20)
    sends = world.txs(intent)[OutboundTxKind.INVENTORY_SEND]
    assert sends.state == "DUE"
    assert not world.alerts("engine")
    assert world.state(intent, TRANSFER) == "AGREED"


class Lasting(Service):
    """Its contract takes a deposit at any time, as rhino.fi's does: it never says that an agreement
    has expired for which something was signed."""

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        said = zip(transfers, super().track(transfers), strict=True)
        return [
            Pending() if isinstance(status, AgreementExpired) and one.state != "AGREED" else status
            for one, status in said
        ]


def test_a_deposit_that_is_refused_until_its_quote_lapses_does_not_stop_the_bridge(
    tmp_path: Path,
) -> None:
    world = FundingWorld(tmp_path, "RHINOFI")
    use(world, "RHINOFI", Lasting)
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_moved(intent, TRANSFER, "SENDING")
    world.sandbox.inject_faults(BASE, Faults(revert_next=1_000))
    world.pass_time(RHINO_QUOTE_SECONDS + 30, step=5)
    world.sandbox.inject_faults(BASE, Faults(revert_next=0))
    world.wait_for_state(intent, State.COMPLETED, within=300)
    other = world.pay()
    world.wait_for_state(other, State.COMPLETED, within=300)
    assert world.wait_moved(intent, TRANSFER, "CLOSED").attempt == 2
    world.pass_time(60)
    world.check_books()


class Repeating(Service):
    """Says of every transfer that it was paid by what paid the first one."""

    def __init__(self, real: InventoryBridge) -> None:
        super().__init__(real)
        self.first: Arrived | None = None

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        return [self._said(*one) for one in zip(transfers, super().track(transfers), strict=True)]

    def _said(self, transfer: InventoryTransfer, status: TransferStatus) -> TransferStatus:
        if self.first is None and isinstance(status, Arrived):
            self.first = replace(status, paid_units=transfer.amount)
        return self.first if self.first and transfer.state in ("SENT", "DELIVERED") else status


def test_one_payout_that_the_service_names_twice_arrives_once(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "RHINOFI")
    use(world, "RHINOFI", Repeating)
    world.set_inventory(ARBITRUM, 0)
    first = world.pay()
    world.wait_for_state(first, State.COMPLETED)
    world.wait_moved(first, TRANSFER, "CLOSED")
    world.set_faults("RHINOFI", unexecuted=True)
    second = world.pay()
    sent = world.wait_moved(second, TRANSFER, "SENT", within=60)
    world.pass_time(10)
    assert world.state(second, TRANSFER) == "SENT"
    assert world.booked(Account.IN_TRANSIT, BASE) == sent.source_amount
    world.check_books()


@pytest.mark.parametrize("bridge", ["GATEWAY", "RHINOFI"])
def test_a_kill_switch_keeps_inventory_from_the_bridge(tmp_path: Path, bridge: str) -> None:
    world = FundingWorld(tmp_path, bridge)
    kind = DEPOSIT if bridge == "GATEWAY" else TRANSFER
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    set_kill_switch(world.services, world.operator, f"bridge:{bridge}", True, "it was robbed")
    held = world.wait_moved(intent, kind, "PLANNED")
    world.pass_time(300)
    held = world.wait_moved(intent, kind, "PLANNED")
    assert held.reason.endswith("is disabled: it was robbed.")
    assert OutboundTxKind.INVENTORY_SEND not in world.txs(intent)
    assert not world.alerts("funding_overdue")
    set_kill_switch(world.services, world.operator, f"bridge:{bridge}", False, "")
    world.wait_moved(intent, kind, "CLOSED", within=240)
    world.check_books()


def test_a_kill_switch_keeps_what_was_agreed_from_the_bridge(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "RHINOFI")
    world.set_inventory(ARBITRUM, 0)
    base, intent = world.inventory(BASE), world.pay()
    world.wait_moved(intent, TRANSFER, "AGREED")
    set_kill_switch(world.services, world.operator, "bridge:RHINOFI", True, "it was robbed")
    world.machine.seconds += 2
    life = intent.terms.expires_at.timestamp() - world.machine.seconds
    world.pass_time(life + world.services.policy.payout_grace_seconds, step=60)
    world.wait_for_state(intent, State.REFUNDED)
    assert world.inventory(BASE) == base
    assert world.refunded(intent) == intent.terms.deposit_amount
    world.check_books()


def test_nothing_is_sent_any_more_for_a_payment_that_was_given_up(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "RHINOFI")
    world.set_inventory(ARBITRUM, 0)
    base, intent = world.inventory(BASE), world.pay()
    world.wait_moved(intent, TRANSFER, "AGREED")
    give_up_by_hand(world.services, world.operator, intent.id)
    ended = world.wait_moved(intent, TRANSFER, "REFUSED", within=2 * RHINO_QUOTE_SECONDS)
    assert ended.reason == "The payment ended before it was needed."
    world.wait_for_state(intent, State.REFUNDED)
    assert world.inventory(BASE) == base
    world.check_books()
