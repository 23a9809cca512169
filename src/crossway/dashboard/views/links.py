"""Where screens are found, as links that can be opened, shared and kept."""

from urllib.parse import urlencode


def link(name: str, **query: str) -> str:
    """A screen by its name, with what it is to start from."""
    return f"{name}?{urlencode(query)}" if query else name


def intent_href(intent_id: int | str) -> str:
    """The link that opens one payment."""
    return link("intent", id=str(intent_id))


def order_href(order_id: int | str) -> str:
    """The link that opens one ramp order."""
    return link("ramp_order", id=str(order_id))
