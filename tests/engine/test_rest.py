"""A worker sleeps while nothing is due, and every cause of work wakes it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.engine.pace import BEAT_SECONDS, SIMULATED_REST_SECONDS, Pace
from crossway.engine.sleeper import REST_SECONDS, Sleeper, seconds_until
from crossway.ports.sandbox import Faults
from crossway.storage.store import open_store
from tests.engine.webhook_world import WebhookWorld
from tests.harness import Harness
from tests.receivers import Receiver, running_receiver
from tests.statements import recorded
from tests.usecases.ramp_world import new_ramp_world

CHAINS = ("ARBITRUM_MAINNET", "BASE_MAINNET", "OPTIMISM_MAINNET")
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"


class RestingWorld(Harness):
    """A world with a pace whose seconds are those of its machine."""

    def __init__(self, url: str) -> None:
        super().__init__(url, chains=CHAINS)
        self.url = url
        self.pace = Pace(self.services, self.machine)
        self.sleeper = Sleeper(self.services, 0.01)
        self.pass_time(6)

    def seconds_to(self, chain: str) -> float:
        """How long the engine leaves this chain alone after a pass that found nothing to do."""
        self.pace.forget(())
        self.pace.plan({chain}, {chain}, ())
        return self.pace.seconds_to_next()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RestingWorld]:
    built = RestingWorld(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield built
    built.store.close()


def test_a_sleeping_worker_executes_no_statement(world: RestingWorld) -> None:
    with recorded(world.store.writer, world.store.reader) as statements:
        world.engine.tick()
        assert statements
        statements.clear()
        world.sleeper.begin()
        assert [world.sleeper.sleep(0.02) for _ in range(10)] == [False] * 10
        assert statements == []


def test_a_chain_without_work_is_left_alone_for_the_longest_sleep(world: RestingWorld) -> None:
    world.pace.plan(set(CHAINS), CHAINS, ())
    assert world.pace.due_chains(CHAINS) == set()
    assert world.pace.seconds_to_next() == REST_SECONDS
    world.machine.seconds += REST_SECONDS
    assert world.pace.due_chains(CHAINS) == set()
    world.machine.seconds += SIMULATED_REST_SECONDS - REST_SECONDS
    assert world.pace.due_chains(CHAINS) == set(CHAINS)


def test_a_live_chain_without_work_is_looked_at_after_each_sleep(world: RestingWorld) -> None:
    live = Pace(replace(world.services, environment="live"), world.machine)
    live.plan(set(CHAINS), CHAINS, ())
    assert live.due_chains(CHAINS) == set()
    world.machine.seconds += REST_SECONDS
    assert live.due_chains(CHAINS) == set(CHAINS)


def test_an_unreachable_chain_is_asked_again_after_each_sleep(world: RestingWorld) -> None:
    world.pace.plan({BASE}, (), ())
    world.machine.seconds += REST_SECONDS
    assert BASE in world.pace.due_chains(CHAINS)


def test_a_new_chain_is_due_at_once(world: RestingWorld) -> None:
    world.pace.plan({BASE}, {BASE}, ())
    assert world.pace.due_chains(CHAINS) == {ARBITRUM, "OPTIMISM_MAINNET"}


def test_an_open_payment_is_left_alone_until_it_expires(world: RestingWorld) -> None:
    intent = world.create_intent()
    world.engine.tick()
    assert world.seconds_to(BASE) == REST_SECONDS
    expires_at = intent.terms.expires_at.timestamp()
    world.machine.seconds = expires_at - 3
    assert world.seconds_to(BASE) == pytest.approx(3)
    assert world.seconds_to(ARBITRUM) == REST_SECONDS
    world.machine.seconds = expires_at + 1
    assert world.seconds_to(BASE) == BEAT_SECONDS
    world.wait_for_state(intent, State.EXPIRED)
    assert world.seconds_to(BASE) == REST_SECONDS


def test_a_payment_is_followed_block_by_block_until_its_transactions_are_final(
    world: RestingWorld,
) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    world.engine.tick()
    assert world.reload(intent).state is State.PENDING
    assert world.seconds_to(BASE) == BEAT_SECONDS
    world.wait_for_state(intent, State.COMPLETED)
    assert world.seconds_to(ARBITRUM) == BEAT_SECONDS
    world.pass_time(120)
    assert [world.seconds_to(chain) for chain in (BASE, ARBITRUM)] == [REST_SECONDS] * 2


def test_a_transaction_that_waits_is_tried_again_when_it_is_due(world: RestingWorld) -> None:
    intent = world.create_intent()
    empty = {"relayer": {"native": 0}}
    world.sandbox.inject_faults(BASE, Faults(balances=empty))
    world.deposit(intent)
    world.wait_for_state(intent, State.FUNDED)
    world.pass_time(10)
    with world.store.read() as unit:
        waiting = unit.outbound_txs.list_needing_attention(10)
    assert [tx.intent_id for tx in waiting] == [intent.id]
    next_at = waiting[0].next_at
    assert world.seconds_to(BASE) == seconds_until(next_at, world.clock.now(), BEAT_SECONDS)
    assert BEAT_SECONDS < world.seconds_to(BASE) <= REST_SECONDS


def test_a_chain_whose_blocks_are_not_all_scanned_is_looked_at_on_a_live_network(
    world: RestingWorld,
) -> None:
    live = Pace(replace(world.services, environment="live"), world.machine)
    live.plan({BASE}, {BASE}, {BASE})
    assert live.seconds_to_next() == BEAT_SECONDS
    live.plan({BASE}, {BASE}, ())
    assert live.seconds_to_next() == REST_SECONDS


def test_an_open_payment_on_a_live_network_is_looked_for_in_every_block(
    world: RestingWorld,
) -> None:
    world.create_intent()
    live = Pace(replace(world.services, environment="live"), world.machine)
    live.plan({BASE, ARBITRUM}, CHAINS, ())
    assert live.seconds_to_next() == BEAT_SECONDS
    world.machine.seconds += BEAT_SECONDS
    assert live.due_chains({BASE, ARBITRUM}) == {BASE}


def commit_elsewhere(world: RestingWorld) -> None:
    """A commit of another process: of other connections to the same file."""
    other = open_store(world.url)
    other.write(lambda unit: unit.leases.register_engine("x", 0))
    other.close()


@pytest.mark.parametrize(
    "cause",
    [
        lambda world: world.create_intent(),
        lambda world: world.sandbox.deposit(
            BASE, world.wallet(BASE, "any"), world.network.facts[BASE].native, 1
        ),
        lambda world: world.sandbox.inject_faults(BASE, Faults(outage_seconds=1)),
        lambda world: world.sandbox.advance(60),
        commit_elsewhere,
    ],
    ids=["payment", "deposit", "fault", "clock", "other process"],
)
def test_every_change_wakes_a_sleeper(
    world: RestingWorld, cause: Callable[[RestingWorld], object]
) -> None:
    world.sleeper.begin()
    assert not world.sleeper.sleep(0.0)
    cause(world)
    assert world.sleeper.sleep(60)
    world.sleeper.begin()
    assert not world.sleeper.sleep(0.0)


def test_a_wake_up_before_the_sleep_is_not_lost(world: RestingWorld) -> None:
    world.sleeper.begin()
    world.sleeper.wake()
    assert world.sleeper.sleep(60)
    assert not world.sleeper.sleep(0.0)


def test_a_delivery_is_due_when_it_is_to_be_tried_again(tmp_path: Path) -> None:
    world = WebhookWorld(f"sqlite:///{tmp_path / 'crossway.db'}")
    with running_receiver(Receiver(status_for=lambda _: 500)) as receiver:
        world.create_webhook(receiver.url)
        with world.store.read() as unit:
            assert unit.due_times.of_deliveries() is None
        world.create_intent()
        world.deliver()
        with world.store.read() as unit:
            due_at = unit.due_times.of_deliveries()
        (delivery,) = world.list_deliveries(1)
        assert due_at == delivery.next_at > world.clock.now()
    world.close()


def test_a_ramp_order_is_due_when_its_provider_is_to_be_asked(tmp_path: Path) -> None:
    world = new_ramp_world(tmp_path)
    with world.store.read() as unit:
        assert unit.due_times.of_ramps() is None
    order = world.create_on_ramp()
    world.pass_time(1)
    with world.store.read() as unit:
        stored = unit.orders.get(order.id)
        assert stored is not None
        assert unit.due_times.of_ramps() == stored.next_at
    assert stored.next_at is not None
    assert stored.next_at > world.clock.now()
    world.store.close()
