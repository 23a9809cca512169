"""`crossway webhooks`: endpoints, and a listener that forwards events to a program under test."""

import secrets
from base64 import b64encode
from datetime import UTC, datetime
from typing import Annotated

import httpx
import typer
from standardwebhooks import Webhook as Signer
from standardwebhooks.webhooks import EmptyWebhookSecretError

from crossway.cli.remote import AsJson, connected, in_client_words, show, table
from crossway.client.webhook_records import Event

group = typer.Typer(no_args_is_help=True, help="Webhooks of a running service, over its API.")


@group.command("list")
@in_client_words
def listed(as_json: AsJson = False) -> None:
    """Every endpoint."""
    with connected() as crossway:
        found = crossway.webhooks.list()
    rows = [
        (one.id, "on" if one.enabled else "off", ",".join(one.events), one.url) for one in found
    ]
    show(found, as_json, lambda: table(("id", "state", "events", "url"), rows))


@group.command("create")
@in_client_words
def create(
    url: Annotated[str, typer.Argument(help="Where events are sent to; https.")],
    event: Annotated[list[str] | None, typer.Option(help="Only these; by default all.")] = None,
    as_json: AsJson = False,
) -> None:
    """A new endpoint; its secret is shown this once."""
    with connected() as crossway:
        made = crossway.webhooks.create(url, event)
    show(made, as_json, lambda: typer.echo(f"Endpoint {made.id}; its secret: {made.secret}"))


@group.command("listen")
@in_client_words
def listen(
    forward: Annotated[
        str | None, typer.Option(help="A local URL, such as http://localhost:3000/webhooks.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="Begin after this event's id.")] = None,
    secret: Annotated[
        str | None,
        typer.Option(
            envvar="CROSSWAY_WEBHOOK_SECRET",
            help="Sign with this secret (whsec_…); by default a new one, which is printed.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Follow events as they happen and post each, signed, to a local URL; Ctrl-C ends it."""
    signer = _signer(secret or _new_secret(forward)) if forward else None
    with connected() as crossway, httpx.Client(timeout=10, trust_env=False) as http:
        for event in crossway.events.stream(since):
            said = _forwarded(http, forward, signer, event) if forward and signer else ""
            line = f"{event.created_at:%H:%M:%S}  {event.type:20}  {event.id}  {said}".rstrip()
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


def _forwarded(http: httpx.Client, url: str, signer: Signer, event: Event) -> str:
    """Post an event as a webhook brings it; what came of it."""
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
