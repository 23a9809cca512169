"""Subscriptions: an invoice each period, at the month's end too, and no heap of missed ones."""

import threading
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.subscriptions import Subscription, SubscriptionState
from crossway.usecases.billing import invoices, subscriptions
from crossway.usecases.billing.issuing import issue_due
from crossway.usecases.chains import kill_switches
from tests.usecases.billing.conftest import Merchant


def reload(merchant: Merchant, found: Subscription) -> Subscription:
    world = merchant.world
    return subscriptions.get(world.services, world.caller, found.name)


def change(merchant: Merchant, found: Subscription, state: object) -> Subscription:
    world = merchant.world
    return subscriptions.change_state(world.services, world.caller, found.name, state)


def go_to(merchant: Merchant, day: str) -> None:
    """Let the time pass to noon of a day, in one step, as where the service was down."""
    at = datetime.fromisoformat(f"{day}T12:00:00+00:00")
    merchant.world.machine.seconds += (at - merchant.world.clock.now()).total_seconds()
    merchant.look()


def due_dates(merchant: Merchant) -> list[str]:
    return [view.invoice.due_date for view in reversed(merchant.invoices())]


def today(merchant: Merchant) -> date:
    return merchant.world.clock.now().date()


def start_of_year(merchant: Merchant) -> int:
    """The next year, in which a test begins at the end of January."""
    return today(merchant).year + 1


def test_each_period_has_an_invoice_of_its_own(merchant: Merchant) -> None:
    year = start_of_year(merchant)
    found = merchant.subscription(first_due_date=f"{year}-01-31", periods=3, max_unpaid=3)
    assert reload(merchant, found).next_at == datetime.fromisoformat(f"{year}-01-31T00:00:00+00:00")
    merchant.look()
    assert merchant.invoices() == []
    february = date(year, 3, 1) - timedelta(days=1)
    days = [f"{year}-01-31", february.isoformat(), f"{year}-03-31"]
    for count, day in enumerate(days, 1):
        go_to(merchant, day)
        assert due_dates(merchant) == days[:count]
    assert [view.invoice.period for view in merchant.invoices()] == [2, 1, 0]
    assert {view.subscription for view in merchant.invoices()} == {found.name}
    assert len({view.link.id for view in merchant.invoices()}) == 3
    ended = reload(merchant, found)
    assert (ended.state, ended.next_at, ended.skipped) == (SubscriptionState.ENDED, None, 0)
    assert [event.type for event in merchant.events("subscription_updated")] == [
        "subscription_updated"
    ]


def test_an_invoice_is_issued_some_days_before_it_is_due_in_its_zone(merchant: Merchant) -> None:
    year = start_of_year(merchant)
    zone = "Pacific/Auckland"
    found = merchant.subscription(first_due_date=f"{year}-01-31", lead_days=7, time_zone=zone)
    # Auckland is thirteen hours ahead in summer.
    assert found.next_at == datetime.fromisoformat(f"{year}-01-23T11:00:00+00:00")
    go_to(merchant, f"{year}-01-23")
    [view] = merchant.invoices()
    assert (view.invoice.due_date, view.invoice.time_zone) == (f"{year}-01-31", zone)
    assert view.invoice.due_at == datetime.fromisoformat(f"{year}-01-31T11:00:00+00:00")


def test_what_was_missed_is_counted_and_not_issued_together(merchant: Merchant) -> None:
    year = start_of_year(merchant)
    found = merchant.subscription(first_due_date=f"{year}-01-15")
    go_to(merchant, f"{year}-06-20")
    assert due_dates(merchant) == [f"{year}-06-15"]
    after = reload(merchant, found)
    assert (after.skipped, after.next_period) == (5, 6)
    [event] = merchant.events("subscription_updated")
    assert '"skipped": 5' in event.snapshot


def test_unpaid_invoices_stop_it_until_the_merchant_resumes(merchant: Merchant) -> None:
    year = start_of_year(merchant)
    found = merchant.subscription(first_due_date=f"{year}-01-15", max_unpaid=2)
    for month in ("01", "02", "03", "04"):
        go_to(merchant, f"{year}-{month}-16")
    assert due_dates(merchant) == [f"{year}-01-15", f"{year}-02-15"]
    paused = reload(merchant, found)
    assert (paused.state, paused.reason) == (
        SubscriptionState.PAUSED, "2 of its invoices are unpaid.",
    )  # fmt: skip
    for view in merchant.invoices():
        merchant.pay(view)
    resumed = change(merchant, found, "active")
    # March and April have passed meanwhile.
    assert (resumed.skipped, resumed.next_period) == (2, 4)
    go_to(merchant, f"{year}-05-16")
    assert due_dates(merchant)[-1] == f"{year}-05-15"


def test_a_paused_or_cancelled_subscription_issues_nothing(merchant: Merchant) -> None:
    year = start_of_year(merchant)
    found = merchant.subscription(first_due_date=f"{year}-01-15")
    change(merchant, found, "paused")
    go_to(merchant, f"{year}-02-20")
    assert merchant.invoices() == []
    change(merchant, found, "active")
    change(merchant, found, "cancelled")
    go_to(merchant, f"{year}-04-20")
    assert merchant.invoices() == []
    with pytest.raises(InvalidStatus, match="The subscription is cancelled"):
        change(merchant, found, "active")
    with pytest.raises(InvalidInput, match="state must be active, paused or cancelled"):
        change(merchant, found, "ended")
    with pytest.raises(InvalidInput, match="state must be active, paused or cancelled"):
        change(merchant, found, {})


def test_a_chain_that_is_switched_off_postpones_the_invoice(merchant: Merchant) -> None:
    year, world = start_of_year(merchant), merchant.world
    found = merchant.subscription(first_due_date=f"{year}-01-15")
    switch = ("chain:ARBITRUM_MAINNET", True, "an incident")
    kill_switches.set_kill_switch(world.services, world.operator, *switch)
    go_to(merchant, f"{year}-01-15")
    waits = reload(merchant, found)
    assert merchant.invoices() == []
    assert waits.reason.startswith("Its invoice could not be issued: ")
    kill_switches.set_kill_switch(world.services, world.operator, switch[0], False, "over")
    world.machine.seconds += 3_600
    merchant.look()
    assert due_dates(merchant) == [f"{year}-01-15"]
    assert reload(merchant, found).reason == ""


def test_engines_at_once_issue_one_invoice(merchant: Merchant) -> None:
    year, world = start_of_year(merchant), merchant.world
    merchant.subscription(first_due_date=f"{year}-01-15")
    at = datetime.fromisoformat(f"{year}-01-15T12:00:00+00:00")
    world.machine.seconds += (at - world.clock.now()).total_seconds()
    issued: list[int] = []
    engines = [
        threading.Thread(target=lambda: issued.append(issue_due(world.services))) for _ in range(4)
    ]
    for engine in engines:
        engine.start()
    for engine in engines:
        engine.join()
    assert sum(issued) == len(merchant.invoices()) == 1


def test_the_invoices_of_one_subscription_are_listed(merchant: Merchant) -> None:
    world = merchant.world
    found = merchant.subscription()
    merchant.invoice()
    merchant.look()
    own = invoices.list_page(world.services, world.caller, 10, subscription=found.name)
    assert [view.subscription for view in own] == [found.name]
    assert invoices.list_page(world.services, world.caller, 10, subscription="sub_0") == []
    other = replace(world.caller.client, id="c-2")
    stranger = replace(world.caller, client=other)
    assert subscriptions.list_page(world.services, stranger, 10) == []


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"interval": "day"}, "interval must be week or month"),
        ({"interval": None}, "interval must be week or month"),
        ({"interval": {}}, "interval must be week or month"),
        ({"every": 0}, "every must be a whole number from 1 to 52"),
        ({"periods": 0}, "periods must be a whole number from 1 to 1000"),
        ({"lead_days": 61}, "lead_days must be a whole number from 0 to 60"),
        ({"max_unpaid": 13}, "max_unpaid must be a whole number from 1 to 12"),
        ({"first_due_date": "2020-01-31"}, "first_due_date must be today or later"),
        ({"time_zone": "CEST"}, "time_zone must be a time zone"),
    ],
)
def test_a_wrong_field_is_named(merchant: Merchant, fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        merchant.subscription(**fields)
