"""`crossway webhooks`: endpoints, and a listener that forwards events to a local URL."""

import os
import secrets
import signal
from base64 import b64encode
from datetime import UTC, datetime
from typing import Annotated

import httpx
import typer
from standardwebhooks import Webhook as Signer
from standardwebhooks.webhooks import EmptyWebhookSecretError

from crossway.cli.api_client import (
    AsJson,
    open_client,
    print_records,
    print_table,
    report_api_errors,
)
from crossway_client import Event

group = typer.Typer(no_args_is_help=True, help="Webhooks of a running service, over its API.")


@group.command("list")
@report_api_errors
def listed(as_json: AsJson = False) -> None:
    """List every endpoint."""
    with open_client() as crossway:
        webhooks = list(crossway.webhooks.list())
    rows = [
        (webhook.id, "on" if webhook.enabled else "off", ",".join(webhook.events), webhook.url)
        for webhook in webhooks
    ]
    print_records(webhooks, as_json, lambda: print_table(("id", "state", "events", "url"), rows))


@group.command("create")
@report_api_errors
def create(
    url: Annotated[str, typer.Argument(help="The https URL that receives events.")],
    event: Annotated[list[str] | None, typer.Option(help="An event type; by default all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create an endpoint; its secret is shown only this once."""
    with open_client() as crossway:
        webhook = crossway.webhooks.create(url, events=event)
    print_records(
        webhook, as_json, lambda: typer.echo(f"Endpoint {webhook.id}; its secret: {webhook.secret}")
    )


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
    as_json: AsJson = False,
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
        return f"-> {type(error).__name__}: {error}"
