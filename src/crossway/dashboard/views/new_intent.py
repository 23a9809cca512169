"""The form of a new payment: its input, the quoted price and the created payment."""

from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.custody import (
    CUSTODY_HINT,
    FROM_START_TO_PAYOUT,
    describe_trust,
)
from crossway.dashboard.views.formatting import (
    format_amount,
    format_approx_usd,
    format_duration,
    format_usd,
)
from crossway.dashboard.views.quotes import SAME_CHAIN
from crossway.dashboard.views.swaps import SWAP, SWAP_HINT, swap_cell
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.money import parse_decimal
from crossway.domain.quotes import Quote, bridge_title
from crossway.ports.services import Services
from crossway.usecases.payments import intents
from crossway.usecases.payments.create_intent import CreateIntentRequest, create_intent
from crossway.usecases.pricing import quotes
from crossway.usecases.pricing.priced_request import RequestedRoute


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


def parse_amount(services: Services, draft: Draft) -> int:
    """The typed amount in smallest units of the destination token."""
    decimals = services.catalogue.decimals_of(draft.token_out, (draft.source, draft.destination))
    units = parse_decimal("Amount", draft.amount.strip(), decimals)
    if units <= 0:
        raise InvalidInput("Amount must be greater than zero")
    return units


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
    amount = parse_amount(services, draft)
    return quotes.quote_intent(services, caller, route, amount, draft.token_out)


def build_price_details(quote: Quote) -> tuple[Detail, ...]:
    """The quote as shown beside the form."""
    fees = quote.costs.fee_micro_usd + quote.costs.app_micro_usd
    deposit = format_amount(quote.deposit_amount, quote.asset_decimals, quote.asset_symbol)
    return (
        Detail("Payer deposits", Cell(deposit, tone="strong")),
        Detail("Fees included", Cell(format_usd(fees, 4), format_fee_split(quote))),
        Detail(
            "Route",
            Cell(bridge_title(quote.bridge) if quote.bridge else SAME_CHAIN),
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
        ("bridge", quote.costs.bridge_micro_usd - swap),
        ("swap", swap),
        ("app", quote.costs.app_micro_usd),
    ]
    return ", ".join(f"{name} {format_usd(micro, 4)}" for name, micro in parts if micro)


def create_payment(services: Services, caller: Principal, draft: Draft) -> Intent:
    """Create the payment; the refund address doubles as the sender. Raises `InvalidInput`."""
    if not draft.recipient.strip():
        raise InvalidInput("Enter a recipient address")
    if not draft.refund_address.strip():
        raise InvalidInput(
            "Enter a refund address: it gets the money back if the payment cannot be completed"
        )
    catalogue = services.catalogue
    reference = draft.reference.strip()
    return create_intent(
        services,
        caller,
        CreateIntentRequest(
            sender=draft.refund_address.strip(),
            amount=str(parse_amount(services, draft)),
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
