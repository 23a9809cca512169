"""The guided form: what was typed, what it would cost, and the payment it becomes."""

from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Fact
from crossway.dashboard.views.figures import about_usd, amount, duration, usd
from crossway.dashboard.views.quotes import SAME_CHAIN
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.money import parse_decimal
from crossway.domain.quotes import Quote, bridge_title
from crossway.ports.services import Services
from crossway.usecases.payments import intents
from crossway.usecases.payments.terms import CreateIntent
from crossway.usecases.pricing import quotes
from crossway.usecases.pricing.cases import Asked


@dataclass(frozen=True, slots=True)
class Draft:
    """The form as it stands; chains by identifier, tokens by symbol, the rest as typed."""

    source: str
    destination: str
    token_in: str
    token_out: str
    amount: str
    recipient: str = ""
    refund_address: str = ""
    reference: str = ""


def made(services: Services, caller: Caller, intent_id: int) -> Intent:
    """The payment that the form became, as it stands now."""
    return intents.by_id(services, caller, intent_id)


def example_address(services: Services, chain: str) -> str:
    """An address of the right form for trying things out, on the simulated network alone."""
    return services.chains[chain].own.treasury if services.network == "simulated" else ""


def units_of(services: Services, draft: Draft) -> int:
    """The typed amount in smallest units of the token that arrives."""
    decimals = services.catalogue.decimals_of(draft.token_out, (draft.source, draft.destination))
    units = parse_decimal("Amount", draft.amount.strip(), decimals)
    if units <= 0:
        raise InvalidInput("Amount must be greater than zero")
    return units


def priced(services: Services, caller: Caller, draft: Draft) -> Quote:
    """What the payment would cost now; raises a `Refusal` with the reason when it cannot be."""
    catalogue = services.catalogue
    asked = Asked(
        catalogue.token(draft.source, draft.token_in).address,
        catalogue.token(draft.destination, draft.token_out).address,
        draft.source,
        draft.destination,
        str(units_of(services, draft)),
        amount_symbol=draft.token_out,
    )
    return quotes.best(services, caller, asked)


def price_facts(quote: Quote) -> tuple[Fact, ...]:
    """The quote as the form shows it before anything is made."""
    fees = quote.service_micro_usd + quote.bridge_micro_usd + quote.app_micro_usd
    deposit = amount(quote.deposit_units, quote.asset_decimals, quote.asset_symbol)
    return (
        Fact("Payer deposits", Cell(deposit, tone="strong")),
        Fact("Fees in it", Cell(usd(fees, 4), about_split(quote))),
        Fact(
            "Way",
            Cell(bridge_title(quote.bridge) if quote.bridge else SAME_CHAIN),
        ),
        Fact("Usual time", Cell(f"about {duration(quote.fill_seconds)}")),
    )


def about_split(quote: Quote) -> str:
    """The parts of the fee."""
    parts = [
        ("service", quote.service_micro_usd),
        ("bridge", quote.bridge_micro_usd),
        ("app", quote.app_micro_usd),
    ]
    return ", ".join(f"{name} {usd(micro, 4)}" for name, micro in parts if micro)


def create(services: Services, caller: Caller, draft: Draft) -> Intent:
    """Make the payment; the refund address is the sender where the form names no other."""
    if not draft.recipient.strip():
        raise InvalidInput("Recipient: say who gets the money")
    if not draft.refund_address.strip():
        raise InvalidInput("Refund address: say where money goes back to if it cannot be delivered")
    catalogue = services.catalogue
    reference = draft.reference.strip()
    return intents.create(
        services,
        caller,
        CreateIntent(
            sender=draft.refund_address.strip(),
            amount=str(units_of(services, draft)),
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


def total_line(intent: Intent) -> str:
    """`25.03 USDC (≈ 25.03 USD)`: what the payer has to send."""
    total = amount(intent.terms.total_units, intent.asset_decimals, intent.asset_symbol)
    return f"{total} ({about_usd(intent.costs.total_micro_usd)})"
