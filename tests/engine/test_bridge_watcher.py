"""A bridge's service that hangs keeps no other bridge waiting, and is reported."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.intent import Intent
from crossway.engine.bridge_watcher import BridgeWatcher
from crossway.ports.bridge import BridgeStatus, Unknown
from crossway.ports.bridge_transfer_repository import BridgeTransferChange
from crossway.ports.services import Services
from tests.bridges.world import BridgeWorld
from tests.processes import PATIENCE_SECONDS, wait_until

NUMBER = 3


class Service:
    """The service of a bridge, which answers once it is `free`, and nothing of use; `asked` are the
    payments of each question."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[list[int]] = []
        self.free = threading.Event()

    def track(self, transfers: Sequence[tuple[BridgeTransfer, Intent]]) -> Sequence[BridgeStatus]:
        self.asked.append([intent.id for _, intent in transfers])
        self.free.wait(4 * PATIENCE_SECONDS)
        return [Unknown("It does not say.") for _ in transfers]


class World(BridgeWorld):
    """Payments on their way over CCTP, whose service hangs, and one over Across that is due after
    them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.set_faults("CCTP", silent=True)
        self.set_faults("ACROSS", unfilled_deposits=True)
        # Each of these routes has one bridge.
        self.over_cctp = [self.pay(source="AVALANCHE_MAINNET") for _ in range(NUMBER)]
        self.over_across = self.pay(source="BSC_MAINNET", to="ETHEREUM_MAINNET")
        for intent in (*self.over_cctp, self.over_across):
            self.wait_for(intent, "SEEN", "DELAYED", "OVERDUE")
        self.pass_time(2)
        for intent in self.over_cctp:
            self.make_due(intent, timedelta(hours=1))
        self.make_due(self.over_across, timedelta(minutes=1))
        self.cctp, self.across = Service("CCTP"), Service("ACROSS")
        self.across.free.set()

    def make_due(self, intent: Intent, since: timedelta) -> None:
        before = self.transfer(intent)
        assert before.sent_message
        at = self.clock.now() - since
        change = BridgeTransferChange(before, replace(before, next_at=at, ask_at=at), "", "")
        self.store.write(lambda unit: unit.bridge_transfers.update([change]))

    def watched(self) -> Services:
        clients = {"CCTP": self.cctp, "ACROSS": self.across}
        return replace(self.services, bridge_clients=clients)  # type: ignore[arg-type]

    def follow(self, watcher: BridgeWatcher) -> None:
        """One pass in which questions are asked in the background."""
        watcher.follow({name: chain.heads() for name, chain in self.services.chains.items()}, True)

    def component_alerts(self) -> list[str]:
        with self.store.read() as unit:
            active = unit.alerts.list_active(limit=100)
        return [alert.message for alert in active if alert.kind == "engine"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    built = World(tmp_path)
    yield built
    built.cctp.free.set()
    built.store.close()


def test_transfers_of_a_bridge_that_hangs_fill_no_batch_for_ever(world: World) -> None:
    watcher = BridgeWatcher(world.watched(), batch=NUMBER)
    world.follow(watcher)
    wait_until("CCTP is asked", lambda: world.cctp.asked)
    assert world.across.asked == []
    world.follow(watcher)
    wait_until("Across is asked", lambda: world.across.asked == [[world.over_across.id]])
    # Our own nodes are asked again soon; its service not again while it is being asked.
    counts = {intent.id: world.transfer(intent).poll_count for intent in world.over_cctp}
    world.machine.seconds += 60
    for _ in range(3):
        world.follow(watcher)
    assert world.cctp.asked == [[intent.id for intent in world.over_cctp]]
    for intent in world.over_cctp:
        assert world.transfer(intent).next_at > world.clock.now()
    world.cctp.free.set()
    wait_until(
        "the answers are stored",
        lambda: all(world.transfer(one).poll_count > counts[one.id] for one in world.over_cctp),
    )
    watcher.stop()


def test_a_service_that_hangs_is_reported_until_it_answers(world: World) -> None:
    watcher = BridgeWatcher(world.watched(), hang_seconds=0)
    world.follow(watcher)
    wait_until("CCTP is asked", lambda: world.cctp.asked)
    world.follow(watcher)
    (alert,) = [line for line in world.component_alerts() if "CCTP" in line]
    assert alert == "Work on transfers over CCTP failed: TimeoutError. The log has the details."
    world.cctp.free.set()
    wait_until("the alert is resolved", lambda: not world.component_alerts())
    watcher.stop()


def test_what_the_bridge_attested_to_is_looked_at_now_and_then(world: World) -> None:
    # Its service was due once and is not asked again.
    before = world.transfer(world.over_cctp[0])
    claimable = replace(before, state=type(before.state).CLAIMABLE)
    change = BridgeTransferChange(before, claimable, "", "")
    world.store.write(lambda unit: unit.bridge_transfers.update([change]))
    world.follow(BridgeWatcher(world.watched(), batch=1))
    assert world.transfer(world.over_cctp[0]).next_at > world.clock.now()
