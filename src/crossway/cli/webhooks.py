"""`crossway webhooks`: endpoints, and a listener that forwards events to a local URL."""

import os
import secrets
import signal
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Final

import httpx
import typer
from standardwebhooks import Webhook as Signer
from standardwebhooks.webhooks import EmptyWebhookSecretError

from crossway.cli.api_client import (
    Key,
    Yes,
    api_json,
    open_client,
    report_api_errors,
    require_consent,
)
from crossway.cli.deliveries import deliveries, replay, send_test
from crossway.cli.output import ListOutput, RecordOutput, prints
from crossway_client import Event, Webhook

group = typer.Typer(no_args_is_help=True, help="Webhooks of a running service, over its API.")
Number = Annotated[int, typer.Argument(metavar="WEBHOOK", help="The endpoint's number.")]
Events = Annotated[list[str] | None, typer.Option("--event", help="An event type; by default all.")]
_COLUMNS: Final[Mapping[str, Callable[[Webhook], object]]] = {
    "id": lambda webhook: webhook.id,
    "state": lambda webhook: "on" if webhook.enabled else "off",
    "events": lambda webhook: webhook.events,
    "url": lambda webhook: webhook.url,
}

group.command("deliveries")(deliveries)
group.command("replay")(replay)
group.command("test")(send_test)


@group.command("list")
@report_api_errors
@prints
def listed() -> ListOutput[Webhook]:
    """List endpoints."""
    with open_client() as crossway:
        found = list(crossway.webhooks.list())
    return ListOutput(found, _COLUMNS, "No endpoints: crossway webhooks create URL", api_json)


@group.command("create")
@report_api_errors
@prints
def create(
    url: Annotated[str, typer.Argument(help="The https URL that receives events.")],
    event: Events = None,
    description: Annotated[str | None, typer.Option(help="For yourself.")] = None,
    idempotency_key: Key = None,
) -> RecordOutput:
    """Create an endpoint; its secret is shown only this once."""
    with open_client() as crossway:
        webhook = crossway.webhooks.create(
            url, events=event, description=description, idempotency_key=idempotency_key
        )
    sentence = f"Endpoint {webhook.id}; its secret: {webhook.secret}"
    return RecordOutput(sentence, data=api_json(webhook))


@group.command("show")
@report_api_errors
@prints
def show(webhook: Number) -> RecordOutput:
    """Show one endpoint."""
    with open_client() as crossway:
        return _describe(crossway.webhooks.get(webhook))


@group.command("update")
@report_api_errors
@prints
def update(
    webhook: Number,
    url: Annotated[str | None, typer.Option(help="The new URL.")] = None,
    event: Events = None,
    description: Annotated[str | None, typer.Option(help="For yourself.")] = None,
    enabled: Annotated[bool | None, typer.Option("--on/--off", help="Send to it, or not.")] = None,
) -> RecordOutput:
    """Change an endpoint."""
    with open_client() as crossway:
        return _describe(
            crossway.webhooks.update(
                webhook, url=url, events=event, description=description, enabled=enabled
            )
        )


@group.command("rotate-secret")
@report_api_errors
@prints
def rotate_secret(webhook: Number, idempotency_key: Key = None) -> RecordOutput:
    """Make a new secret; the old one signs too for 24 hours."""
    with open_client() as crossway:
        rotated = crossway.webhooks.rotate_secret(webhook, idempotency_key=idempotency_key)
    return RecordOutput(f"The new secret: {rotated.secret}", data=api_json(rotated))


@group.command("delete")
@report_api_errors
@prints
def delete(webhook: Number, yes: Yes = False) -> RecordOutput:
    """Delete an endpoint with its deliveries."""
    with open_client() as crossway:
        found = crossway.webhooks.get(webhook)
        require_consent(yes, f"Delete the endpoint {found.url} with its deliveries?")
        crossway.webhooks.delete(webhook)
    return RecordOutput(f"Endpoint {webhook} is deleted", data={"id": webhook, "deleted": True})


@group.command("listen")
@report_api_errors
def listen(
    forward: Annotated[
        str | None, typer.Option(help="A local URL, such as http://localhost:3000/webhooks.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="Start after the event with this id.")] = None,
    secret: Annotated[
        str | None,
        typer.Option(
            envvar="CROSSWAY_WEBHOOK_SECRET",
            help="Sign with this secret (whsec_…); by default a new one, which is printed.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line an event.")] = False,
) -> None:
    """Follow events and post each, signed, to a local URL; stop it with Ctrl-C."""
    signer = _signer(secret or _new_secret(forward)) if forward else None
    # Nothing has to be tidied up; an exception could be lost inside a library that is interrupted.
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    with open_client() as crossway, httpx.Client(timeout=10, trust_env=False) as http:
        for event in crossway.events.stream(since):
            outcome = _forward(http, forward, signer, event) if forward and signer else ""
            line = f"{event.created_at:%H:%M:%S}  {event.type:20}  {event.id}  {outcome}".rstrip()
            typer.echo(event.raw.decode() if as_json else line)


def _describe(webhook: Webhook) -> RecordOutput:
    facts = {
        "url": webhook.url,
        "events": webhook.events,
        "description": webhook.description,
        "failing": webhook.failing_since,
    }
    state = "on" if webhook.enabled else f"off: {webhook.disabled_reason}"
    return RecordOutput(f"Endpoint {webhook.id} is {state}", facts, api_json(webhook))


def _new_secret(forward: str) -> str:
    secret = f"whsec_{b64encode(secrets.token_bytes(24)).decode()}"
    typer.echo(f"Events go to {forward}, signed with {secret}", err=True)
    return secret


def _signer(secret: str) -> Signer:
    try:
        return Signer(secret)
    except (ValueError, RuntimeError, EmptyWebhookSecretError) as error:
        raise typer.BadParameter("secret must be whsec_ and base64") from error


def _forward(http: httpx.Client, url: str, signer: Signer, event: Event) -> str:
    """Post an event as a signed webhook; the outcome as text."""
    now = datetime.now(UTC)
    headers = {
        "content-type": "application/json",
        "webhook-id": event.id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signer.sign(event.id, now, event.raw.decode()),
    }
    try:
        return f"-> {http.post(url, content=event.raw, headers=headers).status_code}"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        silent = isinstance(error, httpx.TimeoutException)
        return f"-> {'no answer in time' if silent else 'nothing answers there'}"
