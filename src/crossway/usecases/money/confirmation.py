"""Money that a person moves by hand: above a limit, its amount is typed once more."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from crossway.domain.clients import Caller
from crossway.domain.deposits import Deposit
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.intent import Intent
from crossway.domain.money import format_units, micro_usd_up
from crossway.ports.services import Services


class NotConfirmed(InvalidInput):
    """The amount was not typed again, or another one was."""


@dataclass(frozen=True, slots=True)
class Sum:
    """An amount that is about to move, and its worth; None where nobody knows it."""

    units: int
    decimals: int
    symbol: str
    micro_usd: int | None

    @property
    def amount(self) -> str:
        """The amount as it is to be typed."""
        return format_units(self.units, self.decimals)

    @property
    def words(self) -> str:
        """The amount with its token."""
        return f"{self.amount} {self.symbol}"


def of_intent(intent: Intent, units: int) -> Sum:
    """So much of what an intent asks for, at the price that was agreed."""
    total = intent.terms.total_units
    worth = -(-intent.costs.total_micro_usd * units // total) if total else None
    return Sum(units, intent.asset_decimals, intent.asset_symbol, worth)


def of_deposit(services: Services, deposit: Deposit) -> Sum:
    """What came in, at the price of now."""
    came = deposit.incoming
    token = services.catalogue.by_address.get((came.chain, came.token))
    if token is None:
        return Sum(came.units, 0, f"units of {came.token}", None)
    try:
        price = services.prices.usd([token.symbol]).get(token.symbol)
    except Unreachable:
        price = None
    worth = None if price is None else micro_usd_up(came.units, token.decimals, price.pico_usd)
    return Sum(came.units, token.decimals, token.symbol, worth)


def is_needed(services: Services, caller: Caller, moved: Sum) -> bool:
    """Whether this person must type this amount again; what is of unknown worth always."""
    limit = services.vigilance.second_confirmation_micro_usd
    above = limit == 0 or moved.micro_usd is None or moved.micro_usd > limit
    return caller.operator and moved.units > 0 and above


def check(services: Services, caller: Caller, moved: Sum, typed: object) -> None:
    """Raises `NotConfirmed` unless the amount was typed, where it must be."""
    if not is_needed(services, caller, moved):
        return
    if typed is None or not str(typed).strip():
        raise NotConfirmed(f"amount must be typed again before so much is moved: {moved.words}")
    if _read(str(typed), moved.symbol) != Decimal(moved.amount):
        raise NotConfirmed(f"amount must be {moved.words} as it stands; it was typed differently")


def _read(typed: str, symbol: str) -> Decimal | None:
    """A typed amount, with or without its token and the spaces that people set between digits."""
    plain = "".join(typed.split()).removesuffix(symbol)
    try:
        return Decimal(plain) if plain.isascii() else None
    except InvalidOperation:
        return None
