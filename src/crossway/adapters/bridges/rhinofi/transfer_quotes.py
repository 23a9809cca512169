"""What rhino.fi asks for a transfer between our accounts, held against what we asked for."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil
from threading import Lock

from crossway.adapters.bridges.rhinofi.api import TITLE, QuoteQuestion, Refused, RhinofiApi
from crossway.adapters.bridges.rhinofi.api_schemas import ChainConfig, ServiceQuote
from crossway.adapters.bridges.rhinofi.networks import bridge_contracts, rhinofi_terms
from crossway.adapters.chains.addresses import canonical_address
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable
from crossway.domain.money import (
    Token,
    format_units,
    rescale_up,
    share_up,
    units_for_micro_usd_up,
)


@dataclass(frozen=True, slots=True)
class TransferQuestion:
    """A transfer by our account on one chain to our account on another: `amount` units of the
    destination's token arrive. Both tokens are of one symbol, or are exchanged on the way."""

    source: Chain
    destination: Chain
    paid: Token
    received: Token
    amount: int

    def worth(self, prices: Mapping[str, int]) -> int:
        """What arrives in units of the source's token, rounded up, at these prices in pico-USD."""
        units = rescale_up(self.amount, self.received.decimals, self.paid.decimals)
        return ceil(Fraction(units * prices[self.received.symbol], prices[self.paid.symbol]))


@dataclass(frozen=True, slots=True)
class TransferQuote:
    """A quote that is what was asked for. `pay_units` leave the source, `gas_units` of them for the
    destination's gas, in units of the source's token. It lapses at `expires_at`, our margin before
    the service's own time."""

    question: TransferQuestion
    quote_id: str
    pay_units: int
    gas_units: int
    expires_at: datetime
    usual_seconds: float

    def fee_units(self, prices: Mapping[str, int]) -> int:
        """What the service takes on top of what arrives at these prices in pico-USD, in units of
        the source's token: never less than nothing."""
        return max(self.pay_units - self.question.worth(prices), 0)

    def is_too_dear(self, prices: Mapping[str, int]) -> bool:
        """Whether it asks for more than we pay, at these prices in pico-USD."""
        terms, paid = rhinofi_terms(), self.question.paid
        share = share_up(self.question.worth(prices), terms.most_fee_bps)
        pico_usd = prices[paid.symbol]
        gas = units_for_micro_usd_up(terms.most_gas_micro_usd, paid.decimals, pico_usd)
        return self.fee_units(prices) > share + gas


class TransferQuotes:
    """Asks for quotes between `accounts`, ours by chain. `timer` returns monotonic seconds."""

    def __init__(
        self,
        api: RhinofiApi,
        accounts: Mapping[str, str],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api, self._accounts, self._timer = api, accounts, timer
        self._lock = Lock()
        self._configs: Sequence[ChainConfig] = ()
        self._configs_until = float("-inf")

    def request(self, question: TransferQuestion) -> TransferQuote:
        """A quote that nothing commits to. Raises `Refused`, and `Unreachable` also where the
        service's answer is not what was asked for."""
        source = self.find_chain(question.source, question.paid, "tokenIn")
        destination = self.find_chain(question.destination, question.received, "tokenOut")
        asked = QuoteQuestion(
            source.name,
            destination.name,
            question.paid.symbol,
            question.received.symbol,
            format_units(question.amount, question.received.decimals),
            self._accounts[question.source.id],
            self._accounts[question.destination.id],
        )
        quote = self._api.request_quote(asked)
        self._check(question, asked, quote)
        return _as_transfer_quote(question, quote)

    def accounts_of(self, question: TransferQuestion) -> tuple[str, str]:
        """Our accounts on source and destination."""
        return self._accounts[question.source.id], self._accounts[question.destination.id]

    def find_chain(self, chain: Chain, token: Token, param: str) -> ChainConfig:
        """The service's entry of a chain that is there as we know it, with this token, which is
        this parameter of a payment. Raises `Refused` where it is not served, and `Unreachable`
        where it is not as we know it."""
        entries = [one for one in self._read_configs() if one.chain_id == chain.chain_id]
        if len(entries) != 1 or not entries[0].is_enabled:
            raise Refused(f"{TITLE} does not serve {chain.name} now", param="")
        entry = entries[0]
        if not _is_address(entry.contract, bridge_contracts()[chain.id]):
            raise Unreachable(f"{TITLE} names another contract on {chain.name} than we know")
        listed = entry.tokens.get(token.symbol)
        if listed is None or not _is_address(listed.address, token.address):
            raise Refused(f"{TITLE} does not carry {token.symbol} of {chain.name} now", param)
        if listed.decimals != token.decimals:
            raise Unreachable(f"{TITLE} counts {token.symbol} of {chain.name} in other units")
        return entry

    def _read_configs(self) -> Sequence[ChainConfig]:
        with self._lock:
            if self._timer() < self._configs_until:
                return self._configs
        # Asked without the lock: who asks at the same time waits for an answer, not for another.
        configs, keep_seconds = self._api.get_configs(), self._api.limits.cache_seconds
        with self._lock:
            self._configs, self._configs_until = configs, self._timer() + keep_seconds
        return configs

    def _check(self, question: TransferQuestion, asked: QuoteQuestion, quote: ServiceQuote) -> None:
        decimals, amount = question.received.decimals, question.amount
        tokens = quote.token_in, quote.token_out
        for what, is_same in (
            ("chains", (quote.chain_in, quote.chain_out) == (asked.chain_in, asked.chain_out)),
            ("tokens", tokens == (asked.token_in, asked.token_out)),
            ("an amount", _units(quote.receive, decimals) == amount),
            ("a depositor", _is_address(quote.depositor, asked.depositor)),
            ("a recipient", _is_address(quote.recipient, asked.recipient)),
        ):
            if not is_same:
                raise Unreachable(f"{TITLE}'s quote has {what} that it was not asked for")
        if _units(quote.least, decimals) < amount:
            raise Unreachable(f"{TITLE}'s quote does not promise the amount that was asked for")
        if not quote.pay:
            raise Unreachable(f"{TITLE}'s quote asks for nothing")


def _as_transfer_quote(question: TransferQuestion, quote: ServiceQuote) -> TransferQuote:
    terms, decimals = rhinofi_terms(), question.paid.decimals
    return TransferQuote(
        question,
        quote.quote_id,
        ceil(_units(quote.pay, decimals)),
        ceil(_units(quote.gas, decimals)),
        quote.expires_at - timedelta(seconds=terms.expiry_margin_seconds),
        quote.usual_seconds or terms.fill_seconds,
    )


def _units(amount: Decimal, decimals: int) -> Fraction:
    return Fraction(amount) * int(10**decimals)


def _is_address(text: str, address: str) -> bool:
    try:
        return canonical_address("evm", text) == address
    except ValueError:
        return False
