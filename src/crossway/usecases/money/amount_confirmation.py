"""Confirmation of manual transfers: above a limit, staff must type the amount again."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.intent import Intent
from crossway.domain.ledger import AddressBalance
from crossway.domain.money import format_units, micro_usd_up
from crossway.ports.services import Services


class AmountNotConfirmed(InvalidInput):
    """The amount was not typed again, or a different one was typed."""


@dataclass(frozen=True, slots=True)
class TransferAmount:
    """An amount to be transferred, in smallest units, and its value; None where unknown."""

    amount: int
    decimals: int
    symbol: str
    micro_usd: int | None

    @property
    def formatted(self) -> str:
        """The decimal amount, as it must be typed."""
        return format_units(self.amount, self.decimals)

    @property
    def label(self) -> str:
        """The decimal amount with its symbol."""
        return f"{self.formatted} {self.symbol}"


def amount_of_intent(intent: Intent, amount: int) -> TransferAmount:
    """An amount of an intent's deposit token, valued at the agreed price."""
    micro_usd = _value(intent, amount, intent.terms.deposit_amount)
    return TransferAmount(amount, intent.asset_decimals, intent.asset_symbol, micro_usd)


def amount_of_collected(intent: Intent, amount: int) -> TransferAmount:
    """An amount of what the start of an intent collected, which is another token than its deposit's
    where that was swapped; all of it is worth what was deposited."""
    collected = intent.collected
    micro_usd = _value(intent, amount, collected.amount)
    return TransferAmount(amount, collected.decimals, collected.symbol, micro_usd)


def _value(intent: Intent, amount: int, total: int) -> int | None:
    """The value of a part of an intent's total, rounded up, in micro-USD."""
    return -(-intent.costs.total_micro_usd * amount // total) if total else None


def amount_at_address(services: Services, balance: AddressBalance) -> TransferAmount:
    """What is held at a deposit address, valued at the current price."""
    amount = balance.held
    token = services.catalogue.by_address.get((balance.chain, balance.token))
    if token is None:
        return TransferAmount(amount, 0, f"units of {balance.token}", None)
    try:
        price = services.prices.get_usd_prices([token.symbol]).get(token.symbol)
    except Unreachable:
        price = None
    micro_usd = None if price is None else micro_usd_up(amount, token.decimals, price.pico_usd)
    return TransferAmount(amount, token.decimals, token.symbol, micro_usd)


def is_required(services: Services, caller: Principal, amount: TransferAmount) -> bool:
    """Whether the caller must type the amount again; always for amounts of unknown value."""
    limit = services.policy.sessions.second_confirmation_micro_usd
    exceeds_limit = limit == 0 or amount.micro_usd is None or amount.micro_usd > limit
    return caller.is_staff and amount.amount > 0 and exceeds_limit


def require_confirmation(
    services: Services, caller: Principal, amount: TransferAmount, typed_amount: object
) -> None:
    """Raise `AmountNotConfirmed` if the amount must be typed again and was not."""
    if not is_required(services, caller, amount):
        return
    if typed_amount is None or not str(typed_amount).strip():
        raise AmountNotConfirmed(
            f"amount must be typed again to confirm the transfer: {amount.label}"
        )
    if _parse_typed(str(typed_amount), amount.symbol) != Decimal(amount.formatted):
        raise AmountNotConfirmed(
            f"amount must be exactly {amount.label}; a different amount was typed"
        )


def _parse_typed(typed: str, symbol: str) -> Decimal | None:
    """Parse a typed amount, with or without its symbol and spaces between digits."""
    digits = "".join(typed.split()).removesuffix(symbol)
    try:
        return Decimal(digits) if digits.isascii() else None
    except InvalidOperation:
        return None
