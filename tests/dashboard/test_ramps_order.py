"""One ramp order's page: steps, payment, actions and ledger; and its simulated provider's page."""

import json
from dataclasses import replace

import pytest
import streamlit as st

from crossway.dashboard.views import ramp_status_labels
from crossway.dashboard.views.ramp_actions import list_actions, list_simulated_actions
from crossway.domain.ramps import OrderEvent, OrderState, RampOrder
from crossway.domain.ramps import OrderState as S
from crossway.usecases.ramps import orders as ramp_orders
from tests.dashboard.conftest import DashboardApp
from tests.usecases.ramp_world import ADA, RampWorld


def show_order(screen: DashboardApp, order: RampOrder) -> DashboardApp:
    return screen.open("ramp_order", id=str(order.id))


def order_status(screen: DashboardApp) -> list[str]:
    return [step["status"] for step in screen.widget("order_steps")["steps"]]


def enabled_actions(screen: DashboardApp) -> set[str]:
    return {button.label for button in screen.at.button if not button.disabled}


def ledger_rows(screen: DashboardApp) -> list[tuple[str, ...]]:
    rows = screen.widget("order_ledger")["rows"]
    return [tuple(cell["text"] for cell in row["cells"][1:4]) for row in rows]


def test_an_on_ramp_is_shown_from_payment_to_delivery(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_on_ramp()
    show_order(screen, order)
    assert order_status(screen) == ["done", "done", "now", "todo"]
    assert "The customer pays Yellow Card." in screen.text
    assert screen.widget("order_how")["details"][-1]["label"] == "Time left"
    screen.click("Customer pays")
    world.wait_for_order(order, S.COMPLETED)
    screen.rerun()
    assert order_status(screen) == ["done"] * 4
    titles = [item["title"] for item in screen.widget("order_timeline")["entries"]]
    assert titles[0] == "Delivered"
    assert titles[-1] == "Order created"
    assert not screen.has_widget("order_how")
    assert [row[:2] for row in ledger_rows(screen)] == [
        ("Customer", "Held by the provider"),
        ("Held by the provider", "FX clearing"),
        ("Held by the provider", "Provider's fees"),
    ]
    assert all(row[2].endswith(" NGN") for row in ledger_rows(screen))


def test_an_off_ramp_shows_a_qr_code_and_ends_with_its_payout(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_off_ramp()
    show_order(screen, order)
    assert screen.image_texts == ["QR code to pay this, simulated, no real money"]
    left = screen.widget("order_pay_facts")["details"][-1]["cell"]["at"]
    assert left == order.expires_at.timestamp() * 1000
    screen.click("Customer deposits")
    world.wait_for_order(order, S.COMPLETED)
    assert "Fiat paid out" in json.dumps(screen.rerun().widget("order_steps"))


def test_the_order_and_its_payment_link_to_one_another(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_on_ramp()
    way = show_order(screen, order).widget("of_intent")["links"][0]
    assert way["href"] == f"intent?id={order.intent_id}"
    screen.open("intent", id=str(order.intent_id))
    assert screen.widget("of_order")["links"][0]["href"] == f"ramp_order?id={order.id}"
    assert not screen.open("intent", id=str(world.create_intent().id)).has_widget("of_order")


def test_the_payment_ledger_shows_local_money_in_its_currency(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_on_ramp()
    world.report(order, "paid")
    world.pass_time(2)
    rows = screen.open("intent", id=str(order.intent_id), tab="Advanced").widget("ledger")["rows"]
    cells = [cell.get("text") for cell in rows[0]["cells"]]
    assert cells[3].endswith(" NGN")
    assert cells[4:] == ["Yellow Card", f"Order {order.id}, paid"]


def test_an_unpaid_order_is_cancelled_after_confirmation(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_on_ramp()
    show_order(screen, order).click("Cancel order")
    assert "Later payments are refunded" in screen.text
    ramp_orders.cancel_order(world.services, world.operator, order.id)
    screen.rerun()
    assert order_status(screen) == ["done", "done", "failed"]
    assert "Cancel order #1" not in enabled_actions(screen)


def test_a_paid_order_can_neither_be_confirmed_nor_cancelled(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_on_ramp()
    world.report(order, "paid")
    world.wait_for_order(order, S.PROCESSING)
    assert not {"Confirm that the customer has paid", "Cancel order #1"} & enabled_actions(
        show_order(screen, order)
    )


def test_a_failed_order_shows_the_reason_and_is_refunded(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_on_ramp()
    world.inject_faults(deliver_seconds=-1)
    show_order(screen, order).click("Customer pays")
    world.wait_for_order(order, S.PROCESSING)
    screen.rerun().click("Provider fails")
    world.wait_for_order(order, S.FAILED)
    screen.rerun()
    assert screen.at.error
    assert order_status(screen)[-2:] == ["failed", "now"]
    screen.click("Provider refunds")
    world.wait_for_order(order, S.REFUNDED)
    screen.rerun()
    assert order_status(screen)[-1] == "done"
    assert ledger_rows(screen)[-1][:2] == ("Held by the provider", "Customer")


def test_a_payment_after_the_end_raises_an_alert_linking_to_the_order(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_on_ramp()
    ramp_orders.cancel_order(world.services, world.operator, order.id)
    show_order(screen, order).click("Customer pays")
    world.pass_time(5)
    st.cache_data.clear()
    rows = screen.open("overview").widget("attention")["rows"]
    assert [row["href"] for row in rows] == [f"ramp_order?id={order.id}"]


def test_an_unknown_order_shows_a_message(screen: DashboardApp) -> None:
    assert "No order found for “77”" in screen.open("ramp_order", id="77").text


def test_the_order_page_shows_no_personal_data(screen: DashboardApp, world: RampWorld) -> None:
    order = world.create_on_ramp()
    show_order(screen, order)
    drawn = screen.text + json.dumps(
        [screen.widget(key) for key in ("order_facts", "order_details", "order_timeline")],
        ensure_ascii=False,
    )
    drawn += "".join(str(item.value) for item in screen.at.json)
    assert "a…@e….com" in drawn
    for secret in (ADA, "Ada Obi"):
        assert secret not in drawn


def test_a_hosted_order_is_paid_on_the_simulated_providers_page(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = world.create_on_ramp("ONRAMP_MONEY", currency="INR", fields={})
    assert order.widget_url == f"/widget?reference={order.provider_reference}"
    screen.open("widget", reference=order.provider_reference)
    paid = next(label for label in enabled_actions(screen) if label.startswith("Pay "))
    screen.click(paid)
    world.wait_for_order(order, S.PROCESSING, S.COMPLETED)
    screen.rerun()
    assert not any(label.startswith("Pay ") for label in enabled_actions(screen))
    assert screen.widget("widget_leave")["links"][0]["label"] == "Back to the order"


def test_the_simulated_page_of_an_unknown_order_says_so(screen: DashboardApp) -> None:
    assert "No order has the reference “X”" in screen.open("widget", reference="X").text


@pytest.mark.parametrize("state", OrderState)
def test_every_state_has_a_label_and_the_next_actor(state: OrderState, world: RampWorld) -> None:
    order = replace(world.create_on_ramp(), state=state)
    assert ramp_status_labels.STATES[state].hint
    assert ramp_status_labels.describe_next_actor(order).endswith(".")
    for offer in (*list_actions(order), *list_simulated_actions(order)):
        assert not offer.disabled_reason or offer.disabled_reason.endswith(".")


def test_every_order_event_has_a_label() -> None:
    assert set(OrderEvent) <= set(ramp_status_labels.EVENTS)
    looks = {(badge.text, badge.icon) for badge in ramp_status_labels.STATES.values()}
    assert len(looks) == len(OrderState)
