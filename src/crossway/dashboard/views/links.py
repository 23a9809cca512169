"""The URLs of the dashboard's pages."""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from crossway.dashboard.views.cells import LinkButton
from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidInput
from crossway.domain.filters import Filter, FilterField, format_filters
from crossway.domain.rebalancing import is_rebalancing, rebalancing_id
from crossway.domain.standing import is_standing, standing_deposit_id

PREFILL_PREFIX: Final = "start_"
# Longer record ids do not fit into a database integer.
_MAX_ID_DIGITS: Final = 18
# Files are fetched outside of the session that knows the mode, so their links name it.
MODE_PARAM: Final = "mode"
# The action whose dialog a link to a payment opens, and the one that redirects a refused refund.
ACT_PARAM: Final = "act"
REDIRECT: Final = "redirect"
LACK_PARAM: Final = "lack"
# The ids of the selected rows in the link of a file; as many rows as can be selected.
IDS_PARAM, MAX_SELECTED = "ids", 200


def page_href(name: str, **query: str) -> str:
    """The URL of a page with query parameters."""
    return f"{name}?{urlencode(query)}" if query else name


def prefilled_href(name: str, **fields: str) -> str:
    """The URL of a page whose form is prefilled with these codes."""
    return page_href(
        name, **{f"{PREFILL_PREFIX}{field}": value for field, value in fields.items() if value}
    )


def export_buttons(name: str, mode: Mode, params: Mapping[str, str]) -> tuple[LinkButton, ...]:
    """Download buttons for a list as CSV and JSON, with the list's mode and filters."""
    query = f"?{urlencode({**params, MODE_PARAM: mode.value})}"
    return tuple(
        LinkButton(
            f"Export as {kind.upper()}", f"download/{name}.{kind}{query}", "download", download=True
        )
        for kind in ("csv", "json")
    )


def intent_href(intent_id: int | str, **query: str) -> str:
    """The URL of one payment's page; `act` opens the dialog of an action."""
    return page_href("intent", id=str(intent_id), **query)


def export_selected_href(name: str, mode: Mode) -> str:
    """The URL of an export of some rows of a list, as CSV, to which their ids are added."""
    return f"download/{name}.csv?{urlencode({MODE_PARAM: mode.value, IDS_PARAM: ''})}"


def parse_ids(text: str) -> list[int]:
    """The ids of an export of selected rows, newest first. Raises `InvalidInput`."""
    ids = text.split(",")
    if len(ids) > MAX_SELECTED or not all(is_record_id(one) for one in ids):
        raise InvalidInput(
            f"{IDS_PARAM} must be at most {MAX_SELECTED} numbers, with commas between"
        )
    return sorted((int(one) for one in ids), reverse=True)


def is_record_id(text: str) -> bool:
    """Whether a text of a URL or of the browser can be the id of a numbered record."""
    return text.isascii() and text.isdigit() and len(text) <= _MAX_ID_DIGITS


def rebalancing_href(transfer_id: int | str) -> str:
    """The URL of one rebalancing transfer's page."""
    return page_href("rebalancing", id=str(transfer_id))


def standing_href(address_id: str) -> str:
    """The URL of one standing address's page."""
    return page_href("standing_address", id=address_id)


def owner_label(owner: int) -> str:
    """What something belongs to: `#12` is a payment, `Rebalancing #12` a rebalancing transfer,
    `Standing deposit #12` a deposit at a standing address."""
    if is_standing(owner):
        return f"Standing deposit #{standing_deposit_id(owner)}"
    if is_rebalancing(owner):
        return f"Rebalancing #{rebalancing_id(owner)}"
    return f"#{owner}"


def owner_href(owner: int) -> str:
    """The URL of the page of what something belongs to: a payment, a rebalancing transfer, or the
    standing addresses."""
    if is_standing(owner):
        return page_href("standing_addresses")
    return rebalancing_href(rebalancing_id(owner)) if is_rebalancing(owner) else intent_href(owner)


def pair_href(source: str, destination: str) -> str:
    """The URL of the page that compares the bridges from one chain to another; both by their
    display names, as its fields keep them in the URL."""
    return page_href("pair", pair_from=source, pair_to=destination)


def order_href(order_id: int | str) -> str:
    """The URL of one ramp order's page."""
    return page_href("ramp_order", id=str(order_id))


def payments_href(*all_of: Filter, any_of: Sequence[Filter] = ()) -> str:
    """The URL of the list of payments that meet all conditions, and one of `any_of` if given."""
    groups = {"all": format_filters(all_of), "any": format_filters(any_of)}
    return page_href("intents", **{name: text for name, text in groups.items() if text})


def on_either_end(chain: str) -> tuple[Filter, ...]:
    """The conditions of which a payment from or to a chain meets one."""
    ends = (FilterField.SOURCE, FilterField.DESTINATION)
    return tuple(Filter(field, (chain,)) for field in ends)


def chain_href(chain: str) -> str:
    """The URL of the chains page with one chain on top."""
    return page_href("chains", chain=chain)


def key_href(key_id: int) -> str:
    """The URL of one API key's page."""
    return page_href("key", id=str(key_id))


def client_href(client_id: str) -> str:
    """The URL of one client's page."""
    return page_href("client", id=client_id)


def webhook_href(webhook_id: int) -> str:
    """The URL of one webhook's page."""
    return page_href("webhook", id=str(webhook_id))


def delivery_href(delivery_id: int) -> str:
    """The URL of one webhook delivery's page."""
    return page_href("delivery", id=str(delivery_id))


def request_href(number: int) -> str:
    """The URL of one API request's page."""
    return page_href("request", id=str(number))


def payment_link_href(link_id: str) -> str:
    """The URL of one payment link's page."""
    return page_href("payment_link", id=link_id)
