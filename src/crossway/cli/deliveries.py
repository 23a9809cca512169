"""`crossway webhooks deliveries`, `replay` and `test`: what was sent, and sending it again."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from crossway.cli.api_client import (
    Key,
    Since,
    Until,
    api_json,
    in_utc,
    open_client,
    page_size,
    report_api_errors,
)
from crossway.cli.output import Limit, ListOutput, RecordOutput, prints, take
from crossway_client import Delivery

Number = Annotated[int, typer.Argument(metavar="WEBHOOK", help="The endpoint's number.")]
_COLUMNS: Final[Mapping[str, Callable[[Delivery], object]]] = {
    "id": lambda delivery: delivery.id,
    "state": lambda delivery: delivery.state,
    "event": lambda delivery: delivery.type,
    "about": lambda delivery: f"{delivery.resource.kind} {delivery.resource.id}",
    "tries": lambda delivery: delivery.tries,
    "answer": lambda delivery: delivery.last_status or delivery.last_error,
    "created": lambda delivery: delivery.created_at,
}


@report_api_errors
@prints
def deliveries(
    webhook: Number,
    state: Annotated[str | None, typer.Option(help="waiting, due, delivered or failed.")] = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
) -> ListOutput[Delivery]:
    """List the deliveries of an endpoint, newest first."""
    with open_client() as crossway:
        found = crossway.webhooks.deliveries(
            webhook,
            state=state,
            created_after=in_utc(since),
            created_before=in_utc(until),
            page_size=page_size(limit),
        )
        return ListOutput(take(found, limit), _COLUMNS, "Nothing was sent to it.", api_json)


@report_api_errors
@prints
def send_test(webhook: Number, idempotency_key: Key = None) -> RecordOutput:
    """Send a test event to an endpoint, also to one that is off."""
    with open_client() as crossway:
        sent = crossway.webhooks.test(webhook, idempotency_key=idempotency_key)
    return RecordOutput(f"A test event is on its way: delivery {sent.id}", data=api_json(sent))


@report_api_errors
@prints
def replay(
    delivery: Annotated[
        int | None, typer.Argument(help="A delivery's number; or give --webhook.")
    ] = None,
    webhook: Annotated[int | None, typer.Option(help="The endpoint of several events.")] = None,
    missed: Annotated[
        bool, typer.Option("--missed", help="All that the endpoint missed, instead of a period.")
    ] = False,
    since: Since = None,
    until: Until = None,
    idempotency_key: Key = None,
) -> RecordOutput:
    """Send one event again, or all events of a period, or all missed ones to one endpoint."""
    with open_client() as crossway:
        if delivery is not None and webhook is None:
            again = crossway.webhooks.replay(delivery, idempotency_key=idempotency_key)
            return RecordOutput(f"It is sent again: delivery {again.id}", data=api_json(again))
        start = in_utc(since)
        if delivery is not None or webhook is None or missed is (start is not None):
            raise typer.BadParameter("give a delivery, or --webhook with --missed or --since")
        if start is None:
            all_missed = crossway.webhooks.replay_missed(webhook, idempotency_key=idempotency_key)
            sentence = f"{all_missed.replayed} missed events are sent again"
            return RecordOutput(sentence, data=api_json(all_missed))
        resent = crossway.webhooks.replay_period(
            webhook, start, in_utc(until), idempotency_key=idempotency_key
        )
    return RecordOutput(f"{resent.replayed} events are sent again", data=api_json(resent))
