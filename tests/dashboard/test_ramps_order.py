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
from tests.dashboard.conftest import Screen
from tests.usecases.ramp_worlds import ADA, RampWorld


def shown(screen: Screen, order: RampOrder) -> Screen:
    return screen.open("ramp_order", id=str(order.id))


def stands(screen: Screen) -> list[str]:
    return [step["status"] for step in screen.widget("order_steps")["steps"]]


def allowed(screen: Screen) -> set[str]:
    return {button.label for button in screen.at.button if not button.disabled}


def booked(screen: Screen) -> list[tuple[str, ...]]:
    rows = screen.widget("order_ledger")["rows"]
    return [tuple(cell["text"] for cell in row["cells"][1:4]) for row in rows]


def test_an_on_ramp_is_followed_from_its_payment_to_its_delivery(
    screen: Screen, world: RampWorld
) -> None:
    order = world.buy()
    shown(screen, order)
    assert stands(screen) == ["done", "done", "now", "todo"]
    assert "The user pays Yellow Card." in screen.words
    assert screen.widget("order_how")["details"][-1]["label"] == "Time left"
    screen.press("User pays")
    world.until_order(order, S.COMPLETED)
    screen.again()
    assert stands(screen) == ["done"] * 4
    titles = [item["title"] for item in screen.widget("order_timeline")["entries"]]
    assert titles[0] == "Delivered"
    assert titles[-1] == "Order created"
    assert not screen.has("order_how")
    assert [row[:2] for row in booked(screen)] == [
        ("Customer", "Held by the provider"),
        ("Held by the provider", "FX clearing"),
        ("Held by the provider", "Provider's fees"),
    ]
    assert all(row[2].endswith(" NGN") for row in booked(screen))


def test_an_off_ramp_shows_a_code_to_pay_and_ends_in_its_payout(
    screen: Screen, world: RampWorld
) -> None:
    order = world.sell()
    shown(screen, order)
    assert screen.pictures == ["QR code to pay this, simulated, no real money"]
    left = screen.widget("order_pay_facts")["details"][-1]["cell"]["at"]
    assert left == order.expires_at.timestamp() * 1000
    screen.press("User deposits")
    world.until_order(order, S.COMPLETED)
    assert "Fiat paid out" in json.dumps(screen.again().widget("order_steps"))


def test_the_order_and_its_payment_link_to_one_another(screen: Screen, world: RampWorld) -> None:
    order = world.buy()
    way = shown(screen, order).widget("of_intent")["links"][0]
    assert way["href"] == f"intent?id={order.intent_id}"
    screen.open("intent", id=str(order.intent_id))
    assert screen.widget("of_order")["links"][0]["href"] == f"ramp_order?id={order.id}"
    assert not screen.open("intent", id=str(world.pay().id)).has("of_order")


def test_the_payments_ledger_tells_local_money_in_its_currency(
    screen: Screen, world: RampWorld
) -> None:
    order = world.buy()
    world.report(order, "paid")
    world.pass_time(2)
    rows = screen.open("intent", id=str(order.intent_id), tab="Advanced").widget("ledger")["rows"]
    cells = [cell.get("text") for cell in rows[0]["cells"]]
    assert cells[3].endswith(" NGN")
    assert cells[4:] == ["Yellow Card", f"Order {order.id}, paid"]


def test_an_unpaid_order_is_cancelled_after_a_question(screen: Screen, world: RampWorld) -> None:
    order = world.buy()
    shown(screen, order).press("Cancel order")
    assert "Later payments are refunded" in screen.words
    ramp_orders.cancel_order(world.services, world.operator, order.id)
    screen.again()
    assert stands(screen) == ["done", "done", "failed"]
    assert "Cancel order #1" not in allowed(screen)


def test_a_paid_order_can_neither_be_confirmed_nor_cancelled(
    screen: Screen, world: RampWorld
) -> None:
    order = world.buy()
    world.report(order, "paid")
    world.until_order(order, S.PROCESSING)
    assert not {"Confirm that the user has paid", "Cancel order #1"} & allowed(shown(screen, order))


def test_a_failed_order_says_why_and_is_refunded(screen: Screen, world: RampWorld) -> None:
    order = world.buy()
    world.fault(deliver_seconds=-1)
    shown(screen, order).press("User pays")
    world.until_order(order, S.PROCESSING)
    screen.again().press("Provider fails")
    world.until_order(order, S.FAILED)
    screen.again()
    assert screen.at.error
    assert stands(screen)[-2:] == ["failed", "now"]
    screen.press("Provider refunds")
    world.until_order(order, S.REFUNDED)
    screen.again()
    assert stands(screen)[-1] == "done"
    assert booked(screen)[-1][:2] == ("Held by the provider", "Customer")


def test_a_payment_after_the_end_needs_a_person_who_is_led_to_the_order(
    screen: Screen, world: RampWorld
) -> None:
    order = world.buy()
    ramp_orders.cancel_order(world.services, world.operator, order.id)
    shown(screen, order).press("User pays")
    world.pass_time(5)
    st.cache_data.clear()
    rows = screen.open("overview").widget("attention")["rows"]
    assert [row["href"] for row in rows] == [f"ramp_order?id={order.id}"]


def test_an_order_that_is_unknown_is_answered_in_words(screen: Screen) -> None:
    assert "No order found for “77”" in screen.open("ramp_order", id="77").words


def test_nothing_personal_is_on_the_orders_screen(screen: Screen, world: RampWorld) -> None:
    order = world.buy()
    shown(screen, order)
    drawn = screen.words + json.dumps(
        [screen.widget(key) for key in ("order_facts", "order_details", "order_timeline")],
        ensure_ascii=False,
    )
    drawn += "".join(str(one.value) for one in screen.at.json)
    assert "a…@e….com" in drawn
    for secret in (ADA, "Ada Obi"):
        assert secret not in drawn


def test_a_hosted_order_is_paid_on_the_simulated_providers_page(
    screen: Screen, world: RampWorld
) -> None:
    order = world.buy("ONRAMP_MONEY", currency="INR", fields={})
    assert order.widget_url == f"/widget?reference={order.provider_reference}"
    screen.open("widget", reference=order.provider_reference)
    paid = next(label for label in allowed(screen) if label.startswith("Pay "))
    screen.press(paid)
    world.until_order(order, S.PROCESSING, S.COMPLETED)
    screen.again()
    assert not any(label.startswith("Pay ") for label in allowed(screen))
    assert screen.widget("widget_leave")["links"][0]["label"] == "Back to the order"


def test_the_simulated_page_of_an_unknown_order_says_so(screen: Screen) -> None:
    assert "No order has the reference “X”" in screen.open("widget", reference="X").words


@pytest.mark.parametrize("state", OrderState)
def test_every_state_has_its_word_and_says_who_acts(state: OrderState, world: RampWorld) -> None:
    order = replace(world.buy(), state=state)
    assert ramp_status_labels.STATES[state].hint
    assert ramp_status_labels.describe_next_actor(order).endswith(".")
    for offer in (*list_actions(order), *list_simulated_actions(order)):
        assert not offer.disabled_reason or offer.disabled_reason.endswith(".")


def test_nothing_that_can_happen_to_an_order_lacks_its_word() -> None:
    assert set(OrderEvent) <= set(ramp_status_labels.EVENTS)
    looks = {(badge.text, badge.icon) for badge in ramp_status_labels.STATES.values()}
    assert len(looks) == len(OrderState)
