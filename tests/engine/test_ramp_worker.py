"""The ramp worker: provider calls, polling, failures, and that nothing else waits for them."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.domain.ramps import OrderState as S
from crossway.engine.alerts import TaskHealth
from crossway.engine.fenced_store import LeaseLost
from crossway.engine.loop import Engine
from crossway.engine.ramp_worker import RampWorker
from crossway.ports.ramps import OrderRequest, ProviderOrder, ProviderUpdate
from crossway.storage.service_tables import leases
from crossway.usecases.ramps import orders as ramp_orders
from tests.engine.test_two_engines import ticking
from tests.invariants import check_invariants
from tests.processes import PATIENCE_SECONDS, wait_until
from tests.usecases.ramp_world import RampWorld, completed_balances, new_ramp_world


class RecordingProvider:
    """A sandbox provider that counts its calls and may hang or fail in them."""

    def __init__(self, provider: Any, calls: Counter[str], before: Callable[[str], None]) -> None:
        self._provider, self._calls, self._before = provider, calls, before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    def create_order(self, order: OrderRequest) -> ProviderOrder:
        self._calls[f"create_order {order.reference}"] += 1
        self._before("create_order")
        return self._provider.create_order(order)  # type: ignore[no-any-return]

    def confirm_payment(self, reference: str, tx_hash: str = "") -> None:
        self._calls[f"confirm_payment {reference} {tx_hash}".strip()] += 1
        self._before("confirm_payment")
        self._provider.confirm_payment(reference, tx_hash)

    def fetch_updates(self, references: Sequence[str]) -> dict[str, Sequence[ProviderUpdate]]:
        self._calls["fetch_updates"] += 1
        self._before("fetch_updates")
        return self._provider.fetch_updates(references)  # type: ignore[no-any-return]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    built = new_ramp_world(tmp_path)
    yield built
    built.store.close()


def record_calls(
    world: RampWorld, before: Callable[[str], None] = lambda call: None
) -> Counter[str]:
    calls: Counter[str] = Counter()
    ramps = [RecordingProvider(provider, calls, before) for provider in world.services.ramps]
    world.services = replace(world.services, ramps=ramps)
    world.engine = Engine(world.services, "test", sole=True)
    return calls


def test_an_off_ramp_provider_receives_the_transaction_that_paid_it(world: RampWorld) -> None:
    calls = record_calls(world)
    order = world.create_off_ramp()
    world.deposit_for(order)
    order = world.wait_for_order(order, S.COMPLETED)
    with world.store.read() as unit:
        assert order.intent_id is not None
        intent = unit.intents.get(order.intent_id)
    assert intent is not None
    assert calls[f"confirm_payment {order.provider_reference} {intent.tx_hash}"] == 1


def test_an_order_advances_in_the_same_pass_as_its_intent(world: RampWorld) -> None:
    order = world.create_off_ramp()
    world.deposit_for(order)
    for _ in range(30):
        world.pass_time(1)
        with world.store.read() as unit:
            assert order.intent_id is not None
            intent = unit.intents.get(order.intent_id)
        assert intent is not None
        if intent.state is State.FUNDED:
            break
    assert world.reload_order(order).state is S.PROCESSING


def test_polling_slows_down_as_an_order_ages(world: RampWorld) -> None:
    calls = record_calls(world)
    world.create_on_ramp()
    world.pass_time(60)
    young = calls["fetch_updates"]
    world.pass_time(840, step=5)
    calls.clear()
    world.pass_time(60)
    assert 8 <= young <= 20
    assert calls["fetch_updates"] <= 5


def test_an_idle_engine_makes_no_calls_and_no_writes(world: RampWorld) -> None:
    calls = record_calls(world)
    world.pass_time(20)
    assert not calls


def test_a_failing_provider_raises_an_alert_while_other_orders_continue(world: RampWorld) -> None:
    order = world.create_off_ramp()

    def broken(call: str) -> None:
        if call == "confirm_payment":
            raise ZeroDivisionError("a defect")

    record_calls(world, broken)
    world.deposit_for(order)
    other = world.create_on_ramp("FONBNK")
    world.report(other, "paid")
    world.wait_for_order(other, S.COMPLETED)
    world.pass_time(90, step=2)
    assert any("ZeroDivisionError" in alert for alert in world.active_alerts("engine"))
    assert world.reload_order(order).state is S.PROCESSING


def test_a_provider_that_hangs_delays_neither_payments_nor_other_providers(
    world: RampWorld,
) -> None:
    hanging, release = threading.Event(), threading.Event()
    slow, quick = world.create_on_ramp(), world.create_on_ramp("FONBNK")

    def hang(call: str) -> None:
        hanging.set()
        release.wait(4 * PATIENCE_SECONDS)

    providers = {provider.name: provider for provider in world.services.ramps}
    ramps = [
        RecordingProvider(one, Counter(), hang) if name == "YELLOW_CARD" else one
        for name, one in providers.items()
    ]
    services = replace(world.services, ramps=ramps)
    engine = Engine(services, "threads", sole=True)

    def both_complete() -> bool:
        world.machine.seconds += 0.5
        engine.wake()
        done = world.reload(paid).state is State.COMPLETED
        return done and world.reload_order(quick).state is S.COMPLETED

    paid = world.create_intent()
    world.deposit(paid)
    world.report(quick, "paid")
    world.machine.seconds += 5
    engine.start()
    try:
        assert hanging.wait(PATIENCE_SECONDS)
        wait_until("the payment and the other provider's order complete", both_complete)
        assert world.reload_order(slow).state is S.INITIATED
    finally:
        release.set()
        engine.stop()


def test_two_engines_place_and_book_each_order_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    world = RampWorld(url)
    made = [world.create_on_ramp() for _ in range(4)] + [world.create_off_ramp() for _ in range(4)]
    for order in made:
        if order.direction == "on-ramp":
            world.report(order, "paid")
        else:
            world.deposit_for(order)
    engines = [Engine(world.services, name) for name in ("first", "second")]
    with ticking(engines) as passes:
        for _ in range(400):
            world.machine.seconds += 0.5
            passes.wait()
            if all(world.reload_order(item).state is S.COMPLETED for item in made):
                break
    assert passes.raised == []
    for order in made:
        order = world.reload_order(order)
        assert order.state is S.COMPLETED
        assert world.fiat_balances(order) == completed_balances(order)
        assert world.state_changes(order) == ["CREATED", "ACCEPTED", "PAID", "DELIVERED"]
    world.pass_time(60, step=2)
    check_invariants(world)


def test_an_unreachable_provider_raises_an_alert_until_it_answers(world: RampWorld) -> None:
    order = world.create_on_ramp()
    world.inject_faults(down_seconds=30)
    world.pass_time(20)
    assert world.active_alerts("provider") == ["Yellow Card gives no answer"]
    world.pass_time(60)
    assert world.active_alerts("provider") == []
    assert world.reload_order(order).state is S.INITIATED


def test_orders_of_an_unconfigured_provider_wait(world: RampWorld) -> None:
    order = world.create_on_ramp()
    services = replace(world.services, ramps=[world.services.ramps[0]])
    assert RampWorker(services).tick() >= 0
    world.machine.seconds += 10
    assert RampWorker(services).tick() >= 1
    assert world.reload_order(order).state is S.INITIATED
    with pytest.raises(Unreachable):
        ramp_orders.cancel_order(services, world.caller, order.id)


def take_over(world: RampWorld) -> None:
    """Another engine takes over the chains of one that was paused, and ends."""
    with world.store.writer.begin() as db:
        db.execute(update(leases).values(until=1))
    other = Engine(world.services, "other")
    other.tick()
    other.stop()


def test_an_engine_that_lost_its_leases_in_a_call_reports_no_failure(
    world: RampWorld, caplog: pytest.LogCaptureFixture
) -> None:
    """It was paused: nothing is wrong, and the order goes on."""
    order = world.create_on_ramp()
    lost: list[str] = []

    def lose_leases(call: str) -> None:
        if call == "fetch_updates" and not lost:
            lost.append(call)
            take_over(world)

    record_calls(world, lose_leases)
    world.report(order, "paid")
    world.wait_for_order(order, S.COMPLETED)
    assert lost
    assert [line.getMessage() for line in caplog.records if line.levelname == "ERROR"] == []
    assert world.active_alerts("engine") == []
    assert world.fiat_balances(order) == completed_balances(world.reload_order(order))


def test_a_task_without_leases_has_not_failed(
    world: RampWorld, caplog: pytest.LogCaptureFixture
) -> None:
    TaskHealth(world.services, "ramp orders").record_failure(LeaseLost())
    assert caplog.records == []
    assert world.active_alerts("engine") == []
