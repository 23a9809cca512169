"""The form of a new payment: its input, the quoted price and the created payment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.custody import (
    CUSTODY_HINT,
    FROM_START_TO_PAYOUT,
    describe_trust,
    transfer_fee_label,
)
from crossway.dashboard.views.formatting import (
    bridge_cell,
    format_amount,
    format_approx_usd,
    format_duration,
    format_usd,
    group_thousands,
)
from crossway.dashboard.views.quotes import SAME_CHAIN
from crossway.dashboard.views.swaps import SWAP, SWAP_HINT, swap_cell
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.money import format_units
from crossway.domain.quotes import Quote
from crossway.domain.typed_amounts import TypedAmount, read_amount
from crossway.ports.services import Services
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.payments import intents
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.pricing import intent_quotes
from crossway.usecases.pricing.priced_request import RequestedRoute

FormField = Literal["amount", "token_in", "source", "destination", "recipient", "refund"]
MISSING_REFUND: Final = (
    "Enter a refund address: it gets the money back if the payment cannot be completed"
)
_FIELDS_OF_API: Final[Mapping[str, FormField]] = {
    "amount": "amount",
    "tokenIn": "token_in",
    "source_chain": "source",
    "destination_chain": "destination",
    "recipient": "recipient",
    "refund_address": "refund",
}
_ADVICE: Final[Mapping[FormField, str]] = {
    "amount": "No bridge takes this amount",
    "token_in": "Choose another token",
    "source": "Choose another chain",
    "destination": "Choose another chain",
    "recipient": "Choose another address",
    "refund": "Choose another address",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """The form's input: chains by identifier, tokens by symbol, the rest as typed."""

    source: str
    destination: str
    token_in: str
    token_out: str
    amount: str
    recipient: str = ""
    refund_address: str = ""
    reference: str = ""


def load_created(services: Services, caller: Principal, intent_id: int) -> Intent:
    """The payment created with the form, in its current state."""
    return intents.get_by_id(services, caller, intent_id)


def example_address(services: Services, chain: str) -> str:
    """A valid example address; empty outside the simulated environment."""
    if services.environment != "simulated":
        return ""
    return services.chains[chain].deposit_address("wallet of an example")


def read_draft_amount(services: Services, draft: Draft) -> TypedAmount:
    """The typed amount as it is understood, in smallest units of the destination token. Raises
    `InvalidInput`."""
    decimals = _amount_decimals(services, draft)
    amount = read_amount("Amount", draft.amount, decimals, draft.token_out)
    if amount.units <= 0:
        raise InvalidInput("Amount must be greater than zero")
    return amount


def format_draft_amount(services: Services, draft: Draft) -> str:
    """The typed amount as it is understood: `1,000.5 USDC`. Raises `InvalidInput`."""
    units = read_draft_amount(services, draft).units
    plain = format_units(units, _amount_decimals(services, draft))
    return f"{group_thousands(plain)} {draft.token_out}"


def _amount_decimals(services: Services, draft: Draft) -> int:
    return services.catalogue.decimals_of(draft.token_out, (draft.source, draft.destination))


def check_draft(services: Services, draft: Draft, complete: bool) -> dict[FormField, str]:
    """What is wrong with each field. What is still empty is wrong only once the draft is to be
    `complete`."""
    checks: dict[FormField, Callable[[], object]] = {
        "amount": lambda: read_draft_amount(services, draft),
        "recipient": lambda: _check_address(
            services, draft.destination, draft.recipient, "Recipient address"
        ),
        "refund": lambda: _check_address(
            services, draft.source, draft.refund_address, "Refund address"
        ),
    }
    errors = {name: error for name, check in checks.items() if (error := _error_of(check))}
    if complete:
        missing: dict[FormField, str] = {
            "amount": "" if draft.amount.strip() else "Enter an amount",
            "recipient": "" if draft.recipient.strip() else "Enter a recipient address",
            "refund": "" if draft.refund_address.strip() else MISSING_REFUND,
        }
        errors |= {name: text for name, text in missing.items() if text}
    elif not draft.amount.strip():
        del errors["amount"]
    return errors


def _check_address(services: Services, chain: str, typed: str, field: str) -> None:
    if typed.strip():
        parse_payable_address(services, services.catalogue.chains[chain], typed.strip(), field)


def _error_of(check: Callable[[], object]) -> str:
    try:
        check()
    except InvalidInput as error:
        return str(error)
    return ""


def attribute_error(error: InvalidInput) -> tuple[FormField | None, str]:
    """The field that another value would help, and the sentence without the API's field name; no
    field where the price as a whole is not to be had."""
    name, separator, text = str(error).partition(": ")
    field = _FIELDS_OF_API.get(name) if separator else None
    return field, f"{_ADVICE[field]}: {text}" if field else str(error)


def price_draft(services: Services, caller: Principal, draft: Draft) -> Quote:
    """The quote that a payment made now would get; raises a `DomainError` that says why there is
    none."""
    catalogue = services.catalogue
    route = RequestedRoute(
        catalogue.chain(draft.source),
        catalogue.chain(draft.destination),
        catalogue.token(draft.source, draft.token_in),
        catalogue.token(draft.destination, draft.token_out),
    )
    amount = read_draft_amount(services, draft).units
    return intent_quotes.quote_intent(services, caller, route, amount, draft.token_out)


def build_price_details(quote: Quote) -> tuple[Detail, ...]:
    """The quote as shown beside the form."""
    fees = quote.costs.fee_micro_usd + quote.costs.app_micro_usd
    deposit = format_amount(quote.deposit_amount, quote.asset_decimals, quote.asset_symbol)
    return (
        Detail("Payer deposits", Cell(deposit, tone="strong")),
        Detail("Fees included", Cell(format_usd(fees, 4), format_fee_split(quote))),
        Detail(
            "Route",
            bridge_cell(quote.bridge, SAME_CHAIN),
        ),
        Detail(
            FROM_START_TO_PAYOUT,
            Cell(describe_trust(quote.custody, quote.trusted_seconds)),
            CUSTODY_HINT,
        ),
        *_swap_details(quote),
        Detail("Estimated time", Cell(f"about {format_duration(quote.fill_seconds)}")),
    )


def _swap_details(quote: Quote) -> tuple[Detail, ...]:
    if quote.swap is None:
        return ()
    cell = swap_cell(quote.swap, quote.asset_symbol, quote.asset_decimals, quote.slippage)
    return (Detail(SWAP, cell, SWAP_HINT),)


def format_fee_split(quote: Quote) -> str:
    """The parts of the fee as text."""
    swap = quote.swap.cost_micro_usd if quote.swap else 0
    parts = [
        ("service", quote.costs.service_micro_usd),
        (transfer_fee_label(quote.bridge or ""), quote.costs.bridge_micro_usd - swap),
        ("swap", swap),
        ("app", quote.costs.app_micro_usd),
    ]
    return ", ".join(f"{name} {format_usd(micro, 4)}" for name, micro in parts if micro)


def create_payment(services: Services, caller: Principal, draft: Draft) -> Intent:
    """Create the payment; the refund address doubles as the sender. Raises `InvalidInput`."""
    if errors := check_draft(services, draft, complete=True):
        raise InvalidInput("; ".join(errors.values()))
    catalogue = services.catalogue
    reference = draft.reference.strip()
    return create_intent(
        services,
        caller,
        CreateIntentRequest(
            sender=draft.refund_address.strip(),
            amount=str(read_draft_amount(services, draft).units),
            amount_symbol=draft.token_out,
            token_in=catalogue.token(draft.source, draft.token_in).address,
            token_out=catalogue.token(draft.destination, draft.token_out).address,
            source_chain=draft.source,
            destination_chain=draft.destination,
            recipient=draft.recipient.strip(),
            refund_address=draft.refund_address.strip(),
            metadata={"reference": reference} if reference else {},
            payment_link_id=None,
        ),
    )


def format_total(intent: Intent) -> str:
    """The amount due: `25.03 USDC (≈ 25.03 USD)`."""
    total = format_amount(intent.terms.deposit_amount, intent.asset_decimals, intent.asset_symbol)
    return f"{total} ({format_approx_usd(intent.costs.total_micro_usd)})"
