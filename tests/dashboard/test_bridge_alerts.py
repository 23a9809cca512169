"""Alerts about bridge transfers: their severity and next step, and when they end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.dashboard.views import incidents as view
from crossway.domain.bridge_transfer import BridgeTransferEvent as Event
from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import Intent
from crossway.engine.alerts import raise_alert
from crossway.engine.housekeeping import update_alerts
from crossway.usecases.operating import alerts
from crossway.usecases.operating.alerts import Severity
from crossway.usecases.operating.incidents import AlertGroup, list_alert_groups
from tests.bridged import add_bridged, advance, attest, delay, deliver, park, send
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
HOUR = 3_600


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    yield built
    built.store.close()


def pass_time(world: Harness, seconds: float) -> None:
    """Let time pass without an engine, which would ask the bridge."""
    world.machine.seconds += seconds
    update_alerts(world.services, {})


def report(world: Harness, kind: str, intent: Intent, message: str) -> None:
    subject = str(intent.id)

    def work(unit: Any) -> None:
        raise_alert(unit, world.services, f"{kind}:{subject}", kind, subject, message)

    world.store.write(work)


def active(world: Harness) -> dict[str, AlertGroup]:
    return {group.kind: group for group in list_alert_groups(world.services, world.operator)}


def sent(world: Harness) -> Intent:
    intent = add_bridged(world)
    send(world, intent)
    return intent


def test_a_delay_is_a_warning_critical_after_a_day_and_ends_with_the_delay(world: Harness) -> None:
    intent = sent(world)
    delay(world, intent, "Circle's allowance for fast transfers is used up.")
    report(world, "delayed", intent, f"Payment {intent.id} is delayed.")
    pass_time(world, 10)
    [group] = active(world).values()
    assert (group.kind, group.severity, group.micro_usd > 0) == ("delayed", Severity.WARNING, True)
    step = view.next_step(group.contexts[0])
    assert step.href == f"intent?id={intent.id}"
    pass_time(world, 24 * HOUR)
    [group] = active(world).values()
    assert (group.kind, group.severity) == ("long_delay", Severity.CRITICAL)
    message = group.contexts[0].alert.message
    assert "for a day" in message
    assert "Circle's allowance for fast transfers is used up." in message
    attest(world, intent)
    deliver(world, intent)
    pass_time(world, 10)
    assert active(world) == {}


def test_a_contradiction_is_critical_until_the_service_agrees(world: Harness) -> None:
    intent = sent(world)
    advance(world, intent, Event.CONTRADICT, reason="Circle attests to another amount.")
    report(world, "halted", intent, f"Nothing is delivered for payment {intent.id}.")
    pass_time(world, 10)
    assert active(world)["halted"].severity is Severity.CRITICAL
    attest(world, intent)
    pass_time(world, 10)
    assert active(world) == {}


def test_parked_money_is_critical_until_it_is_released(world: Harness) -> None:
    intent = sent(world)
    attest(world, intent)
    park(world, intent, "The recipient cannot be paid.")
    report(world, "parked", intent, f"Payment {intent.id} is parked.")
    pass_time(world, 10)
    assert active(world)["parked"].severity is Severity.CRITICAL
    advance(world, intent, Event.RELEASE, "0x01", destination_tx="0x01", reason="")
    pass_time(world, 10)
    assert active(world) == {}


def test_a_second_arrival_is_resolved_by_a_person(world: Harness) -> None:
    intent = sent(world)
    attest(world, intent)
    deliver(world, intent)
    report(world, "repeated", intent, f"Money of payment {intent.id} arrived a second time.")
    pass_time(world, 10)
    assert active(world)["repeated"].severity is Severity.WARNING
    key = f"repeated:{intent.id}"
    alerts.resolve_alerts(world.services, world.operator, [key], "A burn was repeated.")
    assert active(world) == {}


def test_an_unfilled_transfer_is_a_warning_that_nobody_resolves_by_hand(world: Harness) -> None:
    intent = add_bridged(world, "ACROSS")
    send(world, intent)
    advance(world, intent, Event.PASS_DEADLINE, reason="Nobody filled it in time.")
    report(world, "unfilled", intent, f"Payment {intent.id}: nobody filled it in time.")
    pass_time(world, 10)
    assert active(world)["unfilled"].severity is Severity.WARNING
    with pytest.raises(InvalidStatus):
        alerts.resolve_alerts(world.services, world.operator, [f"unfilled:{intent.id}"], "seen")


def test_a_bridge_that_takes_nothing_is_named_with_its_chain(world: Harness) -> None:
    def work(unit: Any) -> None:
        message = "CCTP on Base does not accept transfers now: paused."
        key = f"bridge:CCTP:{BASE}"
        raise_alert(unit, world.services, key, "bridge", f"CCTP:{BASE}", message)

    world.store.write(work)
    group = active(world)["bridge"]
    assert group.severity is Severity.CRITICAL
    [row] = view.build_rows(CATALOGUE, [group])
    assert row.cells[-1].text == "See what waits: Payments"
    assert (group.contexts[0].symbol, group.contexts[0].chain) == ("CCTP", BASE)
    pass_time(world, 10)
    assert active(world) == {}
