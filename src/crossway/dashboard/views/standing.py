"""Standing addresses on screen: the list, one address with its rules, and what came to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Detail, Row
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import (
    address_cell,
    capitalize_first,
    format_rate,
    format_token_amount,
    route_cell,
    time_cell,
    to_millis,
    token_amount_cell,
    tx_cell,
)
from crossway.dashboard.views.links import intent_href, page_href, standing_href
from crossway.dashboard.views.merchant_names import MERCHANT_COLUMN, merchant_cell, name_cell
from crossway.domain.clients import Principal
from crossway.domain.standing import StandingAddress, StandingDeposit, StandingState
from crossway.domain.typed_amounts import read_amount
from crossway.ports.services import Services
from crossway.usecases.standing import addresses, deposits, estimates

PAGE_SIZE: Final = 25
COLUMNS: Final = (
    Column("Standing address", name="standing_address"),
    Column("Status", name="status"),
    Column("Merchant", name=MERCHANT_COLUMN),
    Column("Route", name="route"),
    Column("Limits", name="limits"),
    Column("Created", name="created"),
)
DEPOSIT_COLUMNS: Final = (
    Column("Deposit", name="deposit"),
    Column("Status", name="status"),
    Column("Amount", "right", name="amount"),
    Column("Payment", name="payment"),
    Column("Reason", wide=True, name="reason"),
    Column("Received", name="received"),
)
ACTIVE: Final = Badge("Active", "green", "check_circle")
CLOSED: Final = Badge("Closed", "gray", "power_off", "What comes goes back to the recovery address")
_S = StandingState
STATES: Final[Mapping[StandingState, Badge]] = MappingProxyType(
    {
        _S.SEEN: Badge("Seen", "blue", "visibility", "In a block, not confirmed yet"),
        _S.WAITING: Badge("Waiting", "orange", "hourglass_top", "No payment can be made for it"),
        _S.FORWARDING: Badge("Forwarding", "violet", "sync", "On its way to its payment"),
        _S.FORWARDED: Badge("Forwarded", "green", "check_circle", "At its payment"),
        _S.RETURNING: Badge("Returning", "orange", "undo", "On its way to the recovery address"),
        _S.RETURNED: Badge("Returned", "gray", "undo", "At the recovery address"),
        _S.KEPT: Badge("Kept", "gray", "savings", "Returning it costs more than it is worth"),
        _S.ORPHANED: Badge("Reorganized", "gray", "block", "In no block any more"),
        _S.FAILED: Badge("Return failed", "red", "error", "The recovery address refuses it"),
    }
)


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of rows; `next_cursor` is where the next one begins, None on the last."""

    rows: tuple[Row, ...]
    next_cursor: str | int | None


def load_page(services: Services, caller: Principal, after: str, merchant: str | None) -> ListPage:
    """One page of standing addresses, of one merchant or all, newest first."""
    found = addresses.list_page(services, caller, PAGE_SIZE + 1, after or None, merchant)
    names = client_names(services)
    rows = tuple(_row(services, address, names) for address in found[:PAGE_SIZE])
    return ListPage(rows, found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None)


def load_deposits(
    services: Services, caller: Principal, before: int | None, address_id: str | None = None
) -> ListPage:
    """One page of deposits at all standing addresses, or at one, newest first."""
    found = deposits.list_deposits(services, caller, PAGE_SIZE + 1, before, address_id)
    rows = tuple(_deposit_row(services, deposit) for deposit in found[:PAGE_SIZE])
    return ListPage(rows, found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None)


def list_returnable(
    services: Services, caller: Principal, address_id: str
) -> list[StandingDeposit]:
    """The newest deposits at an address that can be sent back by hand."""
    found = deposits.list_deposits(services, caller, PAGE_SIZE, None, address_id)
    return [deposit for deposit in found if deposit.state in deposits.RETURNABLE]


def get_address(services: Services, caller: Principal, address_id: str) -> StandingAddress:
    """The standing address with this id; raises `NotFound`."""
    return addresses.get(services, caller, address_id)


def status_badge(address: StandingAddress) -> Badge:
    """Whether deposits at an address are paid out."""
    return ACTIVE if address.latest_rules.active else CLOSED


def describe_limits(services: Services, address: StandingAddress) -> str:
    """The limits of what is paid out, such as `20.00 to 5,000.00 USDC`."""
    rules, place = address.latest_rules, (address.destination_chain, address.token_out)
    least = format_token_amount(services.catalogue, *place, rules.minimum)
    if rules.maximum is None:
        return f"from {least}"
    return f"{least} to {format_token_amount(services.catalogue, *place, rules.maximum)}"


def describe_deposit(services: Services, deposit: StandingDeposit) -> str:
    """A deposit in a few words, such as `#3, 0.10 USDC`."""
    incoming = deposit.incoming
    place = (incoming.chain, incoming.token, incoming.amount)
    return f"#{deposit.id}, {format_token_amount(services.catalogue, *place)}"


def _row(services: Services, address: StandingAddress, names: Mapping[str, str]) -> Row:
    badge, catalogue = status_badge(address), services.catalogue
    place = address_cell(catalogue.chains.get(address.source_chain), address.address)
    route = route_cell(catalogue, address.source_chain, address.destination_chain)
    return Row(
        key=address.id,
        href=standing_href(address.id),
        label=f"Standing address {address.address}, {badge.text}",
        cells=(
            Cell(place.text, sub=address.reference, mono=True),
            Cell(badges=(badge,)),
            name_cell(names, address.client_id),
            route,
            Cell(describe_limits(services, address)),
            Cell(at=to_millis(address.created_at)),
        ),
    )


def _deposit_row(services: Services, deposit: StandingDeposit) -> Row:
    badge, incoming = STATES[deposit.state], deposit.incoming
    catalogue, payment = services.catalogue, deposit.intent_id
    tx = tx_cell(catalogue.chains.get(incoming.chain), incoming.tx_hash)
    return Row(
        key=str(deposit.id),
        label=f"Deposit {deposit.id}, {badge.text}",
        cells=(
            tx,
            Cell(badges=(badge,)),
            token_amount_cell(catalogue, incoming.chain, incoming.token, incoming.amount),
            Cell("–") if payment is None else Cell(f"#{payment}", href=intent_href(payment)),
            Cell(capitalize_first(deposit.reason) or "–"),
            time_cell(incoming.at),
        ),
    )


def build_details(services: Services, address: StandingAddress) -> tuple[Detail, ...]:
    """All details of a standing address."""
    names, chains, terms = client_names(services), services.catalogue.chains, address.terms
    source, destination = chains.get(address.source_chain), chains.get(address.destination_chain)
    by_address = services.catalogue.by_address
    tokens = [by_address[address.source_chain, rule.token].symbol for rule in terms.tokens]
    paid = by_address[address.destination_chain, address.token_out].symbol
    rules, fee = address.latest_rules, format_rate(terms.max_fee_bps)
    return (
        Detail("Address", address_cell(source, address.address)),
        Detail("Merchant", merchant_cell(names, address.client_id, f"{address.mode} mode")),
        Detail("Reference", Cell(address.reference or "–")),
        Detail(
            "Route", route_cell(services.catalogue, address.source_chain, address.destination_chain)
        ),
        Detail("Accepted tokens", Cell(", ".join(tokens))),
        Detail("Recipient", address_cell(destination, address.recipient, "recipient")),
        Detail("Paid out", Cell(paid)),
        Detail("Recovery address", address_cell(source, address.recovery, "recovery address")),
        Detail("Limits", Cell(describe_limits(services, address))),
        Detail("Highest fee", Cell(f"{fee} and a tenth of the minimum")),
        Detail("Rules since", time_cell(rules.since, "exact")),
        Detail("Created", time_cell(address.created_at, "exact")),
        Detail("ID", Cell(address.id, copy=address.id, value_name="ID", mono=True)),
    )


def describe_estimate(services: Services, caller: Principal, id: str, typed: str) -> str:
    """What a deposit of this many whole tokens would give the recipient now, in a sentence. Raises
    `InvalidInput` for what is no amount."""
    address = addresses.get(services, caller, id)
    rule, catalogue = address.terms.tokens[0], services.catalogue
    token = catalogue.by_address[address.source_chain, rule.token]
    units = read_amount("Amount", typed, token.decimals, token.symbol).units
    found = estimates.estimate_deposit(services, caller, id, str(units), rule.token)
    if found.quote is None:
        return f"No payment would be made: {found.reason}"
    costs = found.quote.costs

    def show(amount: int) -> str:
        return format_token_amount(catalogue, address.source_chain, rule.token, amount)

    place = (address.destination_chain, address.token_out)
    payout, least = (
        format_token_amount(catalogue, *place, amount)
        for amount in (found.quote.payout_amount, found.least_payout)
    )
    return (
        f"The recipient gets {payout}; were it less than {least}, the deposit would go back. "
        "The fees are "
        f"{show(costs.fees_units + costs.app_fee_units)}, of which the networks cost "
        f"{show(costs.network_fee_units)}, {show(found.forwarding_units)} of that for forwarding."
    )


def list_href(after: str = "", merchant: str | None = None) -> str:
    """The link to a page of the list, by default the first one."""
    query = {"after": after} if after else {}
    return page_href("standing_addresses", **query, **({"client": merchant} if merchant else {}))
