"""Delivery states, retry schedule and automatic disabling of endpoints."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidTransition
from crossway.domain.webhooks import (
    DELIVERY_TRANSITIONS,
    MAX_ATTEMPTS,
    RETRY_AFTER,
    Delivery,
    DeliveryAttempt,
    DeliveryEvent,
    DeliveryState,
    Endpoint,
    OutboxEvent,
    advance_delivery,
    apply_attempt,
    endpoint_health,
)

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
DUE = Delivery(
    1, 2, 3, "intent:4", DeliveryState.DUE, 0, NOW, None, "", None, NOW, NOW
)  # fmt: skip
ENDPOINT = Endpoint(
    2, "c-1", "https://shop.example/", ("intent_funded",), "", b"new", b"old", NOW + DAY,
    True, "", None, NOW, NOW, Mode.LIVE,
)  # fmt: skip


def answered(status: int | None, at: datetime = NOW) -> DeliveryAttempt:
    return DeliveryAttempt(1, at, status, "" if status else "no answer", 5, "{}", "")


def test_final_delivery_states_have_no_transitions() -> None:
    ended = (DeliveryState.DELIVERED, DeliveryState.FAILED)
    for state, event in product(ended, DeliveryEvent):
        with pytest.raises(InvalidTransition):
            advance_delivery(state, event)
    assert {state for state, _ in DELIVERY_TRANSITIONS} == {
        DeliveryState.WAITING,
        DeliveryState.DUE,
    }


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_any_2xx_is_accepted(status: int) -> None:
    assert apply_attempt(DUE, answered(status), 0).state is DeliveryState.DELIVERED


@pytest.mark.parametrize("status", [None, 100, 199, 300, 301, 307, 400, 404, 410, 429, 500, 503])
def test_any_other_result_is_retried(status: int | None) -> None:
    assert apply_attempt(DUE, answered(status), 0).state is DeliveryState.DUE


@given(st.lists(st.floats(0, 1), min_size=MAX_ATTEMPTS, max_size=MAX_ATTEMPTS))
def test_retries_follow_the_schedule_and_are_never_early(chances: list[float]) -> None:
    at, delivery = NOW, DUE
    waits = []
    for chance in chances:
        assert delivery.state is DeliveryState.DUE
        delivery = apply_attempt(delivery, answered(500, at), chance)
        waits.append(delivery.next_at - at)
        at = delivery.next_at
    assert delivery.state is DeliveryState.FAILED
    assert delivery.attempt_count == MAX_ATTEMPTS == 8
    assert [wait.total_seconds() for wait in RETRY_AFTER] == [
        5, 60, 300, 900, 3_600, 21_600, 86_400,
    ]  # fmt: skip
    for wait, planned in zip(waits, RETRY_AFTER, strict=False):
        assert planned <= wait <= planned * 1.1


def test_seven_days_of_failures_disable_an_endpoint() -> None:
    failing = endpoint_health(ENDPOINT, answered(500))
    assert failing.failing_since == NOW
    still = endpoint_health(failing, answered(None, NOW + 7 * DAY - timedelta(seconds=1)))
    assert still.enabled
    off = endpoint_health(still, answered(500, NOW + 7 * DAY))
    assert (off.enabled, off.disabled_reason) == (False, "Every delivery failed for 7 days")


def test_one_success_restarts_the_seven_days() -> None:
    failing = endpoint_health(ENDPOINT, answered(500))
    well = endpoint_health(failing, answered(200, NOW + 6 * DAY))
    assert well == ENDPOINT
    assert endpoint_health(well, answered(500, NOW + 8 * DAY)).enabled


def test_the_old_secret_signs_until_it_expires() -> None:
    assert ENDPOINT.signing_secrets(NOW) == (b"new", b"old")
    assert ENDPOINT.signing_secrets(NOW + DAY) == (b"new",)


@pytest.mark.parametrize(
    ("client", "type", "kind", "wanted"),
    [
        ("c-1", "intent_funded", "intent", True),
        ("c-1", "intent_failed", "intent", False),
        ("c-2", "intent_funded", "intent", False),
        ("c-1", "intent_funded", "webhook", False),
    ],
)
def test_an_endpoint_receives_its_clients_subscribed_events(
    client: str, type: str, kind: str, wanted: bool
) -> None:
    told = OutboxEvent(1, "evt_1", client, type, kind, 4, NOW, "{}", None, Mode.LIVE)
    assert ENDPOINT.subscribes_to(told) is wanted
    assert not ENDPOINT.subscribes_to(replace(told, mode=Mode.TEST))
