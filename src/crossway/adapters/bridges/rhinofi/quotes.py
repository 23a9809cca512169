"""Quotes of rhino.fi on live networks: what it asks now for the inventory that it moves."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Final

from crossway.adapters.bridges.base import BridgeModel, BridgeRoute, encode_words, load_data
from crossway.adapters.bridges.rhinofi.api import Refused
from crossway.adapters.bridges.rhinofi.networks import carried_symbols
from crossway.adapters.bridges.rhinofi.transfer_quotes import (
    TransferQuestion,
    TransferQuote,
    TransferQuotes,
)
from crossway.adapters.bridges.shared_questions import SharedQuestions
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.pricing import PricedToken, amount_for_usd, usd_value
from crossway.domain.quotes import (
    BridgeName,
    BridgeQuote,
    BridgeUnavailable,
    QuoteRejected,
    RouteRequest,
)
from crossway.ports.prices import Prices

MAX_WAIT_SECONDS: Final = 0.6
"""Less than a comparison waits for a bridge (`ports.policy`), so that what has come is used."""
MAX_KEPT: Final = 1_000
_WHOLE: Final = 10**18

Answer = TransferQuote | Refused
Question = TransferQuestion


class RhinofiQuotes(BridgeModel):
    """`ports.bridge.Bridge` by rhino.fi's own quotes between our accounts on `chains`, each token
    as itself or exchanged as the data file says. The operator pays recipients out of inventory,
    which rhino.fi then moves.

    In the details, `pctFee` is the service's share as a fraction of 10**18, `gasFee` what it asks
    for the destination's gas in USDC units, and `vaultId` our own number of the source chain, as
    the service names none. A quote is asked for in `executor`, and used again for the same amount
    until it expires.
    """

    name = BridgeName.RHINOFI
    runs_in_process = False

    def __init__(
        self,
        catalogue: Catalogue,
        chains: Collection[str],
        transfer_quotes: TransferQuotes,
        prices: Prices,
        executor: Executor,
        wait_seconds: float = MAX_WAIT_SECONDS,
    ) -> None:
        data = load_data(self.name)
        tokens = carried_symbols(catalogue, chains)
        served = [c for c in catalogue.chains.values() if c.id in tokens]
        super().__init__(data, served, tokens, exchanges=data["exchanges"])
        self._vaults: dict[str, int] = data["vaults"]
        self._settle_seconds: int = data["settle_seconds"]
        self._fill_seconds: int = data["fill_seconds"]
        self._catalogue, self._transfer_quotes, self._prices = catalogue, transfer_quotes, prices
        self._executor, self._wait_seconds = executor, wait_seconds
        self._questions: SharedQuestions[Question, Answer] = SharedQuestions(self._fetch, executor)
        self._lock = Lock()
        self._kept: dict[Question, TransferQuote] = {}

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        outcomes = [self._answer(request, now) for request in requests]
        open_quotes = [o for o in outcomes if isinstance(o, BridgeQuote)]
        if not open_quotes:
            return outcomes
        symbols = {symbol for quote in open_quotes for symbol in _symbols(quote.request)}
        prices = {s: p.pico_usd for s, p in self._prices.get_usd_prices(symbols).items()}
        questions = {
            quote.request: self._question(quote.request, prices[quote.request.symbol_out])
            for quote in open_quotes
            if _symbols(quote.request) <= prices.keys()
        }
        answers = self._ask(set(questions.values()), now)
        outcomes = [
            self._complete(o, questions.get(o.request), answers, prices)
            if isinstance(o, BridgeQuote)
            else o
            for o in outcomes
        ]
        failures = [o for o in outcomes if isinstance(o, BridgeUnavailable)]
        if failures and not any(isinstance(o, BridgeQuote) for o in outcomes):
            raise Unreachable(failures[0].reason)
        return outcomes

    def close(self) -> None:
        """End the threads that ask rhino.fi."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        """The quote as far as it is known without the service."""
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=route.network_cost,
            fill_seconds=self._fill_seconds,
            settle_seconds=self._settle_seconds,
            details={},
            network_micro_usd=route.network_cost,
        )

    def _question(self, request: RouteRequest, pico_usd: int) -> Question:
        source, destination = (
            self._catalogue.chains[chain] for chain in (request.source, request.destination)
        )
        paid = self._catalogue.tokens[source.id, request.symbol_in]
        received = self._catalogue.tokens[destination.id, request.symbol_out]
        token = PricedToken(received.symbol, received.decimals, pico_usd)
        amount = amount_for_usd(request.amount_micro_usd, token)
        return TransferQuestion(source, destination, paid, received, amount)

    def _ask(
        self, questions: Collection[Question], now: datetime
    ) -> Mapping[Question, "TransferQuote | Future[Answer]"]:
        """A kept quote, or the answer to come, which was waited for."""
        with self._lock:
            self._kept = {q: quote for q, quote in self._kept.items() if quote.expires_at > now}
            kept = {q: self._kept[q] for q in questions if q in self._kept}
        asked = {q: self._questions.ask(q) for q in questions if q not in kept}
        wait(asked.values(), self._wait_seconds)
        return {**kept, **asked}

    def _fetch(self, question: Question) -> Answer:
        try:
            quote = self._transfer_quotes.request(question)
        except Refused as refusal:
            return refusal
        with self._lock:
            if len(self._kept) < MAX_KEPT:
                self._kept[question] = quote
        return quote

    def _complete(
        self,
        quote: BridgeQuote,
        question: Question | None,
        answers: "Mapping[Question, TransferQuote | Future[Answer]]",
        prices: Mapping[str, int],
    ) -> BridgeQuote | QuoteRejected:
        request = quote.request
        if question is None:
            unpriced = min(_symbols(request) - prices.keys())
            return BridgeUnavailable(self.name, request, f"no price of {unpriced} is known")
        answer = answers[question]
        if isinstance(answer, TransferQuote):
            return self._price(quote, answer, prices)
        if not answer.done():
            return BridgeUnavailable(self.name, request, "did not respond in time")
        try:
            found = answer.result()
        except Unreachable as error:
            return BridgeUnavailable(self.name, request, str(error))
        if isinstance(found, Refused):
            return self._explain_refusal(request, found)
        return self._price(quote, found, prices)

    def _explain_refusal(self, request: RouteRequest, refused: Refused) -> QuoteRejected:
        """What is the amount's or the route's fault is a rejection; anything else means that no
        price is known."""
        if refused.param is None:
            return BridgeUnavailable(self.name, request, str(refused))
        return QuoteRejected(self.name, request, str(refused), param=refused.param)

    def _price(
        self, quote: BridgeQuote, priced: TransferQuote, prices: Mapping[str, int]
    ) -> BridgeQuote | QuoteRejected:
        """The quote with what the service asks on top of what arrives."""
        request, paid = quote.request, priced.question.paid
        if priced.is_too_dear(prices):
            reason = f"{self.name} asks for more than we pay now"
            return QuoteRejected(self.name, request, reason, param="")
        token = PricedToken(paid.symbol, paid.decimals, prices[paid.symbol])
        fee_units = priced.fee_units(prices)
        gas_units = min(priced.gas_units, fee_units)
        share = -(-(fee_units - gas_units) * _WHOLE // max(priced.question.worth(prices), 1))
        gas, vault = usd_value(gas_units, token), self._vaults[request.source]
        return replace(
            quote,
            fee_micro_usd=usd_value(fee_units, token) + quote.network_micro_usd,
            fill_seconds=round(priced.usual_seconds) or 1,
            details={"pctFee": share, "gasFee": str(gas), "vaultId": vault},
            extra_data=encode_words(share, gas, vault),
        )


def _symbols(request: RouteRequest) -> set[str]:
    return {request.symbol_in, request.symbol_out}
