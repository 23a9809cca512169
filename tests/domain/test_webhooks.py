"""What a delivery can become, when it is tried again, and when an endpoint is switched off."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.errors import IllegalMove
from crossway.domain.webhooks import (
    DELIVERY_TRANSITIONS,
    MOST_TRIES,
    RETRY_AFTER,
    Announcement,
    Delivery,
    DeliveryEvent,
    DeliveryState,
    Endpoint,
    Try,
    advance_delivery,
    felt,
    tried,
)

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
DUE = Delivery(
    1, 2, 3, "intent:4", DeliveryState.DUE, 0, NOW, None, "", None, NOW, NOW
)  # fmt: skip
ENDPOINT = Endpoint(
    2, "c-1", "https://shop.example/", ("intent_funded",), "", b"new", b"old", NOW + DAY,
    True, "", None, NOW, NOW,
)  # fmt: skip


def answered(status: int | None, at: datetime = NOW) -> Try:
    return Try(1, at, status, "" if status else "no answer", 5, "{}", "")


def test_an_ended_delivery_can_become_nothing_else() -> None:
    ended = (DeliveryState.DELIVERED, DeliveryState.FAILED)
    for state, event in product(ended, DeliveryEvent):
        with pytest.raises(IllegalMove):
            advance_delivery(state, event)
    assert {state for state, _ in DELIVERY_TRANSITIONS} == {
        DeliveryState.WAITING,
        DeliveryState.DUE,
    }


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_any_2xx_is_a_delivery(status: int) -> None:
    assert tried(DUE, answered(status), 0).state is DeliveryState.DELIVERED


@pytest.mark.parametrize("status", [None, 100, 199, 300, 301, 307, 400, 404, 410, 429, 500, 503])
def test_anything_else_is_tried_again(status: int | None) -> None:
    assert tried(DUE, answered(status), 0).state is DeliveryState.DUE


@given(st.lists(st.floats(0, 1), min_size=MOST_TRIES, max_size=MOST_TRIES))
def test_tries_follow_the_schedule_and_never_come_early(chances: list[float]) -> None:
    at, delivery = NOW, DUE
    waits = []
    for chance in chances:
        assert delivery.state is DeliveryState.DUE
        delivery = tried(delivery, answered(500, at), chance)
        waits.append(delivery.next_at - at)
        at = delivery.next_at
    assert delivery.state is DeliveryState.FAILED
    assert delivery.tries == MOST_TRIES == 8
    assert [wait.total_seconds() for wait in RETRY_AFTER] == [
        5, 60, 300, 900, 3_600, 21_600, 86_400,
    ]  # fmt: skip
    for wait, planned in zip(waits, RETRY_AFTER, strict=False):
        assert planned <= wait <= planned * 1.1


def test_seven_days_of_failures_switch_an_endpoint_off() -> None:
    failing = felt(ENDPOINT, answered(500))
    assert failing.failing_since == NOW
    still = felt(failing, answered(None, NOW + 7 * DAY - timedelta(seconds=1)))
    assert still.enabled
    off = felt(still, answered(500, NOW + 7 * DAY))
    assert (off.enabled, off.disabled_reason) == (False, "Every delivery failed for 7 days")


def test_one_success_begins_the_seven_days_anew() -> None:
    failing = felt(ENDPOINT, answered(500))
    well = felt(failing, answered(200, NOW + 6 * DAY))
    assert well == ENDPOINT
    assert felt(well, answered(500, NOW + 8 * DAY)).enabled


def test_the_old_secret_signs_until_its_time() -> None:
    assert ENDPOINT.signing(NOW) == (b"new", b"old")
    assert ENDPOINT.signing(NOW + DAY) == (b"new",)


@pytest.mark.parametrize(
    ("client", "type", "kind", "wanted"),
    [
        ("c-1", "intent_funded", "intent", True),
        ("c-1", "intent_failed", "intent", False),
        ("c-2", "intent_funded", "intent", False),
        ("c-1", "intent_funded", "webhook", False),
    ],
)
def test_an_endpoint_wants_its_clients_events_that_it_asked_for(
    client: str, type: str, kind: str, wanted: bool
) -> None:
    told = Announcement(1, "evt_1", client, type, kind, 4, NOW, "{}", None)
    assert ENDPOINT.wants(told) is wanted
