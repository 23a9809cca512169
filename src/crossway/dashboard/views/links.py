"""Where screens are found, as links that can be opened, shared and kept."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from crossway.dashboard.views.cells import Way

START: Final = "start_"
# Of digits in a record number: what is longer no database takes.
LONGEST_NUMBER: Final = 18


def link(name: str, **query: str) -> str:
    """A screen by its name, with what it is to start from."""
    return f"{name}?{urlencode(query)}" if query else name


def start_link(name: str, **fields: str) -> str:
    """A screen with a form, and what its fields are to start from, by their codes."""
    return link(name, **{f"{START}{field}": value for field, value in fields.items() if value})


def exports(name: str, asked: Mapping[str, str]) -> tuple[Way, ...]:
    """The ways to a list as a file, of all that is asked of it and nothing else."""
    query = f"?{urlencode(asked)}" if asked else ""
    return tuple(
        Way(f"Export as {kind.upper()}", f"download/{name}.{kind}{query}", "download", file=True)
        for kind in ("csv", "json")
    )


def intent_href(intent_id: int | str) -> str:
    """The link that opens one payment."""
    return link("intent", id=str(intent_id))


def order_href(order_id: int | str) -> str:
    """The link that opens one ramp order."""
    return link("ramp_order", id=str(order_id))


def key_href(key_id: int) -> str:
    """The link that opens one API key."""
    return link("key", id=str(key_id))


def client_href(client_id: str) -> str:
    """The link that opens one client."""
    return link("client", id=client_id)


def webhook_href(webhook_id: int) -> str:
    """The link that opens one webhook."""
    return link("webhook", id=str(webhook_id))


def delivery_href(delivery_id: int) -> str:
    """The link that opens one delivery of a webhook."""
    return link("delivery", id=str(delivery_id))


def request_href(number: int) -> str:
    """The link that opens one request to the API."""
    return link("request", id=str(number))


def payment_link_href(link_id: str) -> str:
    """The link that opens one payment link's screen."""
    return link("payment_link", id=link_id)
