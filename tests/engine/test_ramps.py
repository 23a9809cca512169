"""The orders' side of the engine: who is asked what, how often, and that nobody waits for it."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.domain.ramps import OrderState as S
from crossway.engine.loop import Engine
from crossway.engine.ramps import Ramps
from crossway.ports.ramps import Opened, Opening, Report
from crossway.usecases.ramps import orders as ramp_orders
from tests.audit import audit
from tests.engine.test_two_engines import ticking
from tests.usecases.ramp_worlds import RampWorld, a_world, expected


class Watched:
    """A sandbox provider that counts its calls and may hang or break in them."""

    def __init__(self, provider: Any, calls: Counter[str], before: Callable[[str], None]) -> None:
        self._provider, self._calls, self._before = provider, calls, before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    def open(self, order: Opening) -> Opened:
        self._calls[f"open {order.reference}"] += 1
        self._before("open")
        return self._provider.open(order)  # type: ignore[no-any-return]

    def confirm(self, reference: str, tx_hash: str = "") -> None:
        self._calls[f"confirm {reference} {tx_hash}".strip()] += 1
        self._before("confirm")
        self._provider.confirm(reference, tx_hash)

    def reports(self, references: Sequence[str]) -> dict[str, Sequence[Report]]:
        self._calls["reports"] += 1
        self._before("reports")
        return self._provider.reports(references)  # type: ignore[no-any-return]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    made = a_world(tmp_path)
    yield made
    made.store.close()


def watch(world: RampWorld, before: Callable[[str], None] = lambda call: None) -> Counter[str]:
    calls: Counter[str] = Counter()
    ramps = [Watched(one, calls, before) for one in world.services.ramps]
    world.services = replace(world.services, ramps=ramps)
    world.engine = Engine(world.services, "test", sole=True)
    return calls


def test_the_provider_of_an_off_ramp_is_told_which_transaction_paid_it(world: RampWorld) -> None:
    calls = watch(world)
    order = world.sell()
    world.deposit_for(order)
    order = world.until_order(order, S.COMPLETED)
    with world.store.read() as unit:
        assert order.intent_id is not None
        intent = unit.intents.get(order.intent_id)
    assert intent is not None
    assert calls[f"confirm {order.provider_reference} {intent.tx_hash}"] == 1


def test_an_order_moves_in_the_same_pass_as_its_intent(world: RampWorld) -> None:
    order = world.sell()
    world.deposit_for(order)
    for _ in range(30):
        world.pass_time(1)
        with world.store.read() as unit:
            assert order.intent_id is not None
            intent = unit.intents.get(order.intent_id)
        assert intent is not None
        if intent.state is State.FUNDED:
            break
    assert world.order(order).state is S.PROCESSING


def test_a_provider_is_asked_less_often_as_an_order_gets_older(world: RampWorld) -> None:
    calls = watch(world)
    world.buy()
    world.pass_time(60)
    young = calls["reports"]
    world.pass_time(840, step=5)
    calls.clear()
    world.pass_time(60)
    assert 8 <= young <= 20
    assert calls["reports"] <= 5


def test_an_idle_engine_asks_nobody_and_writes_nothing(world: RampWorld) -> None:
    calls = watch(world)
    world.pass_time(20)
    assert not calls


def test_a_provider_that_breaks_is_told_and_the_other_orders_go_on(world: RampWorld) -> None:
    order = world.sell()

    def broken(call: str) -> None:
        if call == "confirm":
            raise ZeroDivisionError("a defect")

    watch(world, broken)
    world.deposit_for(order)
    other = world.buy("FONBNK")
    world.report(other, "paid")
    world.until_order(other, S.COMPLETED)
    world.pass_time(90, step=2)
    assert any("ZeroDivisionError" in words for words in world.alarms("engine"))
    assert world.order(order).state is S.PROCESSING


def test_a_provider_that_hangs_delays_neither_payments_nor_other_providers(
    world: RampWorld,
) -> None:
    hanging, release = threading.Event(), threading.Event()
    slow, quick = world.buy(), world.buy("FONBNK")

    def hang(call: str) -> None:
        hanging.set()
        release.wait(60)

    whole = {one.name: one for one in world.services.ramps}
    ramps = [
        Watched(one, Counter(), hang) if name == "YELLOW_CARD" else one
        for name, one in whole.items()
    ]
    services = replace(world.services, ramps=ramps)
    engine = Engine(services, "threads", sole=True)
    paid = world.pay()
    world.deposit(paid)
    world.report(quick, "paid")
    world.hand.seconds += 5
    engine.start()
    try:
        assert hanging.wait(20)
        for _ in range(600):
            world.hand.seconds += 0.5
            engine.wake()
            threading.Event().wait(0.05)
            done = world.now(paid).state is State.COMPLETED
            if done and world.order(quick).state is S.COMPLETED:
                break
        assert world.now(paid).state is State.COMPLETED
        assert world.order(quick).state is S.COMPLETED
        assert world.order(slow).state is S.INITIATED
    finally:
        release.set()
        engine.stop()


def test_two_engines_at_once_open_and_book_each_order_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    world = RampWorld(url)
    made = [world.buy() for _ in range(4)] + [world.sell() for _ in range(4)]
    for order in made:
        if order.direction == "on-ramp":
            world.report(order, "paid")
        else:
            world.deposit_for(order)
    engines = [Engine(world.services, name) for name in ("first", "second")]
    with ticking(engines) as raised:
        for _ in range(400):
            world.hand.seconds += 0.5
            threading.Event().wait(0.05)
            if all(world.order(one).state is S.COMPLETED for one in made):
                break
    assert raised == []
    for order in made:
        order = world.order(order)
        assert order.state is S.COMPLETED
        assert world.fiat(order) == expected(order)
        assert world.events(order) == ["CREATED", "ACCEPTED", "PAID", "DELIVERED"]
    world.pass_time(60, step=2)
    audit(world)


def test_a_provider_that_falls_silent_is_an_alarm_until_it_answers(world: RampWorld) -> None:
    order = world.buy()
    world.fault(down_seconds=30)
    world.pass_time(20)
    assert world.alarms("provider") == ["Yellow Card gives no answer"]
    world.pass_time(60)
    assert world.alarms("provider") == []
    assert world.order(order).state is S.INITIATED


def test_orders_of_a_provider_that_is_not_configured_any_more_wait(world: RampWorld) -> None:
    order = world.buy()
    services = replace(world.services, ramps=[world.services.ramps[0]])
    assert Ramps(services).tick() >= 0
    world.hand.seconds += 10
    assert Ramps(services).tick() >= 1
    assert world.order(order).state is S.INITIATED
    with pytest.raises(Unreachable):
        ramp_orders.cancel(services, world.caller, order.id)
