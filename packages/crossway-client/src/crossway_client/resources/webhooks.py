"""Webhook endpoints and their deliveries."""

from collections.abc import Sequence
from datetime import date, datetime

from crossway_client.records.webhooks import Delivery, MissedReplay, Replay, TestDelivery, Webhook
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint, iterator
from crossway_client.transport.requests import (
    Request,
    get,
    given,
    nothing,
    optional_list,
    page_of,
    record,
)
from crossway_client.transport.steps import Feed, pages


class Webhooks(Resource[CarrierT]):
    """`/webhooks`; `crossway_client.verify_webhook` verifies what they deliver."""

    @endpoint
    def create(
        self,
        url: str,
        *,
        events: Sequence[str] | None = None,
        description: str | None = None,
        enabled: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Request[Webhook]:
        """Create an endpoint for these events, all by default; store its `secret`."""
        body = given(
            url=url, events=optional_list(events), description=description, enabled=enabled
        )
        return Request(
            "POST", "/webhooks", record(Webhook), body=body, idempotency_key=idempotency_key
        )

    @endpoint
    def get(self, webhook_id: int) -> Request[Webhook]:
        """One endpoint, without its secret."""
        return get("/webhooks/{id}", record(Webhook), id=webhook_id)

    @endpoint
    def update(
        self,
        webhook_id: int,
        *,
        url: str | None = None,
        events: Sequence[str] | None = None,
        description: str | None = None,
        enabled: bool | None = None,
    ) -> Request[Webhook]:
        """Change the given fields."""
        body = given(
            url=url, events=optional_list(events), description=description, enabled=enabled
        )
        segments = {"id": webhook_id}
        return Request("PATCH", "/webhooks/{id}", record(Webhook), segments, body=body)

    @endpoint
    def delete(self, webhook_id: int) -> Request[None]:
        """Delete an endpoint with its deliveries."""
        return Request("DELETE", "/webhooks/{id}", nothing, {"id": webhook_id})

    @endpoint
    def rotate_secret(
        self, webhook_id: int, *, idempotency_key: str | None = None
    ) -> Request[Webhook]:
        """Create a new secret; the old one signs too for 24 hours."""
        return Request(
            "POST",
            "/webhooks/{id}/rotate-secret",
            record(Webhook),
            {"id": webhook_id},
            idempotency_key=idempotency_key,
        )

    @endpoint
    def test(self, webhook_id: int, *, idempotency_key: str | None = None) -> Request[TestDelivery]:
        """Send a test event, also to a disabled endpoint."""
        return Request(
            "POST",
            "/webhooks/{id}/test",
            record(TestDelivery),
            {"id": webhook_id},
            idempotency_key=idempotency_key,
        )

    @endpoint
    def delivery(self, delivery_id: int) -> Request[Delivery]:
        """One delivery with its payload and every attempt."""
        return get("/webhooks/deliveries/{id}", record(Delivery), id=delivery_id)

    @endpoint
    def replay(self, delivery_id: int, *, idempotency_key: str | None = None) -> Request[Delivery]:
        """Send the event of a delivery again."""
        return Request(
            "POST",
            "/webhooks/deliveries/{id}/replay",
            record(Delivery),
            {"id": delivery_id},
            idempotency_key=idempotency_key,
        )

    @endpoint
    def replay_period(
        self,
        webhook_id: int,
        since: datetime,
        to: datetime | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> Request[Replay]:
        """Send all events of a period again, in order. Times need a time zone."""
        body = {"from": since, **given(to=to)}
        return Request(
            "POST",
            "/webhooks/{id}/replay",
            record(Replay),
            {"id": webhook_id},
            body=body,
            idempotency_key=idempotency_key,
        )

    @endpoint
    def replay_missed(
        self, webhook_id: int, *, idempotency_key: str | None = None
    ) -> Request[MissedReplay]:
        """Send every event again that failed for good, or happened while the endpoint was disabled
        since then, in order."""
        return Request(
            "POST",
            "/webhooks/{id}/replay-missed",
            record(MissedReplay),
            {"id": webhook_id},
            idempotency_key=idempotency_key,
        )

    @iterator
    def deliveries(
        self,
        webhook_id: int,
        *,
        state: str | None = None,
        created_after: date | None = None,
        created_before: date | None = None,
        page_size: int = 100,
    ) -> Feed[Delivery]:
        """The deliveries of an endpoint, newest first. `state` is `waiting`, `due`, `delivered` or
        `failed`; a `datetime` needs a time zone, a date is its midnight in UTC."""
        query = {
            "limit": page_size,
            "state": state,
            "created_after": created_after,
            "created_before": created_before,
        }
        path, segments = "/webhooks/{id}/deliveries", {"id": webhook_id}
        return pages(Request("GET", path, page_of("deliveries", Delivery), segments, query))

    @iterator
    def list(self) -> Feed[Webhook]:
        """Every endpoint, oldest first."""
        return pages(get("/webhooks", page_of("webhooks", Webhook)))
