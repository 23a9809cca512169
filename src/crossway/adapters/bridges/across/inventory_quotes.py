"""What a deposit of inventory costs, and the terms of one that we would make."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from crossway.adapters.bridges.across.api import TITLE, AcrossApis, FeeQuestion
from crossway.adapters.bridges.across.api_schemas import SuggestedFees
from crossway.adapters.bridges.across.fees import price_deposit
from crossway.adapters.bridges.across.networks import inventory_terms
from crossway.adapters.bridges.across.pool_end import PoolEnd
from crossway.adapters.bridges.across.relays import InventoryDeposit, handler_message
from crossway.adapters.chains.addresses import canonical_address
from crossway.domain.errors import Unreachable
from crossway.domain.money import (
    Token,
    format_units,
    micro_usd_up,
    rescale_up,
    share_up,
    units_for_micro_usd_up,
)
from crossway.ports.prices import Prices

MARGIN_SECONDS: Final = 60
"""Nothing is signed within so much of the last time at which a pool takes it."""


@dataclass(frozen=True, slots=True)
class InventoryQuestion:
    """A transfer from our account on one chain to it on another: `amount` units of the
    destination's token arrive."""

    source: PoolEnd
    destination: PoolEnd
    paid: Token
    received: Token
    amount: int

    @property
    def at_par(self) -> int:
        """What arrives, in units of the source's token, rounded up."""
        return rescale_up(self.amount, self.received.decimals, self.paid.decimals)


@dataclass(frozen=True, slots=True)
class InventoryQuote:
    """A deposit that we would make, signed before `expires_at`; it usually takes `usual_seconds`
    from its agreement to its fill."""

    deposit: InventoryDeposit
    expires_at: datetime
    usual_seconds: float


@dataclass(frozen=True, slots=True)
class _Times:
    """Of one deposit, in epoch seconds: `signed_until` is ours, `taken_until` the pool's."""

    quote: int
    signed_until: int
    taken_until: int
    fill_deadline: int


class InventoryQuotes:
    """Prices deposits by the fees that Across suggests, and by rules of the pools themselves."""

    def __init__(self, apis: AcrossApis, prices: Prices) -> None:
        self._apis, self._prices = apis, prices
        self._terms = inventory_terms()

    def request(self, question: InventoryQuestion, nonce: int) -> InventoryQuote:
        """A deposit of this nonce; nothing commits to it. Raises `Refused`, and `Unreachable` with
        a sentence where none is made now."""
        price = self._read_price(question.paid.symbol)
        through = self._handler(question)
        fees = self._ask(question, through)
        paid = self._price(question, fees, price)
        times = self._plan(question.source, fees)
        source, to = question.source, question.destination
        deposit = InventoryDeposit(
            source.pool,
            source.relayer,
            to.relayer,
            through,
            (question.paid.address, question.received.address),
            (paid, question.amount),
            (source.number, to.number),
            nonce,
            times.quote,
            times.fill_deadline,
            times.taken_until,
        )
        value = micro_usd_up(question.at_par, question.paid.decimals, price)
        # Our own two transactions: the deposit waits for the approval, and relayers for it.
        sending = 2 * source.facts.confirmation_seconds(value)
        expires_at = datetime.fromtimestamp(times.signed_until, UTC)
        return InventoryQuote(deposit, expires_at, fees.fill_seconds + sending)

    def _read_price(self, symbol: str) -> int:
        """In pico-USD."""
        price = self._prices.get_usd_prices({symbol}).get(symbol)
        if price is None:
            raise Unreachable(f"no price of {symbol} is known")
        return price.pico_usd

    def _handler(self, question: InventoryQuestion) -> str:
        """The contract through which the tokens have to go to arrive as such; empty for none."""
        to = question.destination
        if to.read_rules().wrapped_native.lower() != question.received.address.lower():
            return ""
        handler = self._terms.handlers.get(to.facts.id, "")
        if not handler or not to.has_code(handler):
            symbol = question.received.symbol
            raise Unreachable(f"{TITLE} would pay {symbol} on {to.facts.name} out unwrapped")
        return handler

    def _ask(self, question: InventoryQuestion, through: str) -> SuggestedFees:
        source, to = question.source, question.destination
        message = handler_message(to.relayer) if through else b""
        fees = self._apis.of(source.facts.testnet).suggest_fees(
            FeeQuestion(
                question.paid.address,
                question.received.address,
                source.facts.chain_id,
                to.facts.chain_id,
                question.at_par,
                through or to.relayer,
                "0x" + message.hex(),
            )
        )
        if fees.pool and not _is_address(fees.pool, source.pool):
            raise Unreachable(f"{TITLE} names another pool on {source.facts.name} than we know")
        return fees

    def _price(self, question: InventoryQuestion, fees: SuggestedFees, pico_usd: int) -> int:
        """What is deposited, in units."""
        terms, paid, at_par = self._terms, question.paid, question.at_par
        price = price_deposit(at_par, fees, terms.margin_percent)
        if price is None:
            raise Unreachable(f"{TITLE} asks for all of the deposit")
        if (objection := price.objection(fees)) is not None:
            words, limit = objection
            amount = f"{format_units(limit, paid.decimals)} {paid.symbol}"
            raise Unreachable(f"{TITLE} takes {words} {amount} now")
        fee = price.deposit - at_par
        most_gas = units_for_micro_usd_up(terms.most_gas_micro_usd, paid.decimals, pico_usd)
        if fee > share_up(at_par, terms.most_fee_bps) + most_gas:
            amount = f"{format_units(fee, paid.decimals)} {paid.symbol}"
            raise Unreachable(f"{TITLE} asks for {amount}, which is more than we pay")
        return price.deposit

    def _plan(self, source: PoolEnd, fees: SuggestedFees) -> _Times:
        """When it is signed, taken and filled, by the time of the source's newest block."""
        rules, head, terms = source.read_rules(), source.heads(), self._terms
        if rules.paused:
            raise Unreachable(f"{TITLE}' pool on {source.facts.name} takes no deposits at present")
        now = int(head.time.timestamp())
        # The pool refuses a time that is ahead of its block.
        quote = min(fees.timestamp, now)
        taken_until = quote + rules.quote_seconds
        signed_until = min(now + terms.quote_seconds, taken_until - MARGIN_SECONDS)
        if signed_until <= now:
            raise Unreachable(f"{TITLE}' price is too old to be used")
        # A deposit that is taken late must not be lost to its deadline, which the pool ignores.
        deadline = max(now + terms.fill_seconds, taken_until + terms.least_fill_seconds)
        if deadline > now + rules.fill_seconds:
            raise Unreachable(f"{TITLE}' pool on {source.facts.name} allows too little time")
        return _Times(quote, signed_until, taken_until, deadline)


def _is_address(text: str, address: str) -> bool:
    try:
        return canonical_address("evm", text) == address
    except ValueError:
        return False
