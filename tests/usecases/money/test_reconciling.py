"""Comparisons as they are run: each kind of difference is found, explained and remembered."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden, WrongState
from crossway.domain.intent import State
from crossway.domain.roles import Role
from crossway.ports.treasury_records import Run
from crossway.scenarios.stage import BASE, Stage
from crossway.usecases.money import reconciling, stock
from crossway.usecases.network import sandbox
from tests.processes import until


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with closing(Stage(tmp_path)) as stage:
        yield stage


def run(stage: Stage) -> Run:
    """A comparison in the background, once it has ended."""
    number = reconciling.start(stage.services, stage.operator)
    ended = until("it has ended", lambda: ended_run(stage, number))
    assert ended is not None
    return ended


def ended_run(stage: Stage, number: int) -> Run | None:
    found = reconciling.one(stage.services, stage.operator, number)
    return found if found and found.ended_at else None


def balances(stage: Stage, **accounts: str) -> None:
    """Somebody changes what accounts of ours hold, which the books are not told."""
    body = {"balances": {name: {"USDC": units} for name, units in accounts.items()}}
    sandbox.faults(stage.services, stage.operator, BASE, body)


def finish(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit()
    stage.until(State.COMPLETED)
    stage.rest()


def test_each_kind_of_difference_is_found_with_its_reason_and_a_way_on(stage: Stage) -> None:
    stock.take_in(stage.services, stage.operator)
    finish(stage)
    assert run(stage).differences == 0
    assert stage.alarms() == []
    chain = stage.services.chains[BASE]
    usdc = stage.token(BASE, "USDC")
    held = chain.balances([chain.own.bridger], usdc)[chain.own.bridger]
    balances(stage, bridger=str(held + 3_000_000), relayer="5000000")
    waits = stage.create_intent()
    stage.deposit("10000000", waits)
    stage.fault(BASE, "somebody else uses the relayer's next nonce", takeNonce=True)
    found = run(stage)
    by_kind = {one["kind"]: one for one in found.result["findings"]}
    assert set(by_kind) == {"address", "collecting", "stock", "transaction"}
    assert by_kind["address"]["passing"], "a deposit that was just made is on its way"
    assert by_kind["address"]["intent"] == waits.id
    assert not by_kind["collecting"]["passing"]
    assert any("holds 5 USDC; the books say" in one["words"] for one in found.result["findings"])
    assert all(one["reason"].endswith(".") for one in by_kind.values())
    assert all(one["way_on"].endswith(".") for one in by_kind.values())
    lasting = [one for one in found.result["findings"] if not one["passing"]]
    assert found.differences == len(lasting)
    (alarm,) = [one for one in stage.alarms() if one.kind == "reconcile"]
    assert "differ in" in alarm.message


def test_a_deposit_that_vanished_from_its_address_is_a_lasting_difference(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("10000000")
    stage.pass_time(10)
    with stage.services.store.read() as unit:
        (_, posting), *_ = unit.books.of(intent.id)
    # The books are told of more than there is.
    stage.services.store.write(lambda unit: unit.books.post([posting], stage.services.clock.now()))
    (found,) = run(stage).result["findings"]
    assert (found["kind"], found["passing"]) == ("address", False)
    assert "holds 10 USDC; the books say 20 USDC" in found["words"]
    assert "Money left by a transaction" in found["reason"]


def test_the_alarm_ends_with_the_first_comparison_that_agrees(stage: Stage) -> None:
    stock.take_in(stage.services, stage.operator)
    balances(stage, relayer="5000000")
    assert run(stage).differences == 1
    assert [one.kind for one in stage.alarms()] == ["reconcile"]
    relayer = stage.services.chains[BASE].own.relayer
    (found,) = reconciling.latest(stage.services, stage.operator).result["findings"]  # type: ignore[union-attr]
    assert relayer in found["words"]
    units = int(found["there"]) - int(found["books"])
    stock.book_difference(
        stage.services, stage.operator, BASE, found["token"], units, "Taken out to the bank"
    )
    assert run(stage).differences == 0
    assert stage.alarms() == []


def test_every_day_has_one_comparison_at_its_hour(stage: Stage) -> None:
    services = replace(stage.services, policy=replace(stage.services.policy, reconcile_at_hour=3))
    now = services.clock.now()
    assert now.hour >= 3
    assert reconciling.daily(services) == 1
    assert reconciling.daily(services) == 0
    until("it has ended", lambda: ended_run(stage, 1))
    stage.pass_time(86_400, step=43_200)
    assert reconciling.daily(services) == 1
    until("it has ended", lambda: ended_run(stage, 2))
    late = replace(stage.services.policy, reconcile_at_hour=23)
    assert reconciling.daily(replace(services, policy=late)) == 0
    assert [one.who for one in reconciling.history(services, stage.operator, 5)] == [
        reconciling.CLOCK
    ] * 2


def test_one_comparison_runs_at_a_time_and_only_who_may_begins_it(stage: Stage) -> None:
    begun = stage.services.clock.now()
    stage.services.store.write(lambda unit: unit.treasury.begin_run("Ada", begun, 2))
    with pytest.raises(WrongState, match="running already"):
        reconciling.start(stage.services, stage.operator)
    viewer = replace(stage.operator, role=Role.VIEWER)
    with pytest.raises(Forbidden):
        reconciling.start(stage.services, viewer)
    with pytest.raises(Forbidden):
        stock.take_in(stage.services, viewer)
    assert reconciling.latest(stage.services, viewer) is not None
