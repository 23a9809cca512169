"""Quotes of Across on live networks: what its relayers ask for a deposit of our contract now."""

from collections.abc import Collection, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from crossway.adapters.bridges.across.api import AcrossApis, FeeQuestion, Refused
from crossway.adapters.bridges.across.api_schemas import SuggestedFees
from crossway.adapters.bridges.across.fees import price_deposit
from crossway.adapters.bridges.across.networks import carried_symbols
from crossway.adapters.bridges.base import BridgeModel, BridgeRoute, encode_words, load_data
from crossway.adapters.bridges.shared_questions import SharedQuestions
from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units
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
# Whom the message pays by which a fill is priced: somebody who has never been paid, as costs most.
_NOBODY: Final = canonical_address("evm", "0x" + keccak256(b"Crossway: nobody")[-20:].hex())
_TOO_LITTLE, _TOO_MUCH, _NO_ROUTE = "AMOUNT_TOO_LOW", "AMOUNT_TOO_HIGH", "ROUTE_NOT_ENABLED"

Answer = SuggestedFees | Refused


class AcrossQuotes(BridgeModel):
    """`ports.bridge.Bridge` by the fees that Across suggests: what our contract, `bridger`, carries
    between `chains`, each token as itself.

    In the details, `pctFee` is the share of the deposit that relayers and pool ask, as a fraction
    of 10**18, and `flatFee` the relayer's gas in USDC units, both with the margin. `timestamp` is
    the time of Across' answer, which is asked for in `executor` and not kept.
    """

    name = BridgeName.ACROSS
    runs_in_process = False

    def __init__(
        self,
        catalogue: Catalogue,
        chains: Collection[str],
        bridger: str,
        apis: AcrossApis,
        prices: Prices,
        executor: Executor,
        wait_seconds: float = MAX_WAIT_SECONDS,
    ) -> None:
        data = load_data(self.name)
        served = [
            chain for chain in catalogue.chains.values() if chain.id in chains and chain.across_pool
        ]
        tokens = carried_symbols(catalogue, {chain.id for chain in served})
        super().__init__(data, served, tokens, Custody.BRIDGE)
        self._margin_percent: int = data["fee_margin_percent"]
        self._deadline_seconds: int = data["enforced_fill_deadline_seconds"]
        self._catalogue, self._bridger = catalogue, bridger
        self._apis, self._prices = apis, prices
        self._executor, self._wait_seconds = executor, wait_seconds
        self._questions: SharedQuestions[_Asked, Answer] = SharedQuestions(self._fetch, executor)

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        outcomes = [self._answer(request, now) for request in requests]
        open_quotes = [o for o in outcomes if isinstance(o, BridgeQuote)]
        if not open_quotes:
            return outcomes
        prices = self._prices.get_usd_prices({q.request.symbol_in for q in open_quotes})
        pending = {}
        for quote in open_quotes:
            if (price := prices.get(quote.request.symbol_in)) is not None:
                asked = self._ask_about(quote.request, price.pico_usd)
                pending[quote.request] = asked, self._questions.ask(asked)
        wait([future for _, future in pending.values()], self._wait_seconds)
        outcomes = [
            self._complete(o, pending.get(o.request), now) if isinstance(o, BridgeQuote) else o
            for o in outcomes
        ]
        failures = [o for o in outcomes if isinstance(o, BridgeUnavailable)]
        if failures and not any(isinstance(o, BridgeQuote) for o in outcomes):
            raise Unreachable(failures[0].reason)
        return outcomes

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        """The quote as far as it is known without Across."""
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=route.start_cost,
            fill_seconds=0,
            settle_seconds=0,
            details={},
            network_micro_usd=route.start_cost,
            custody=Custody.BRIDGE,
            collector=BridgeName.ACROSS,
        )

    def _ask_about(self, request: RouteRequest, pico_usd: int) -> "_Asked":
        source, target = (
            self._catalogue.chains[chain] for chain in (request.source, request.destination)
        )
        paid, received = (
            self._catalogue.tokens[chain.id, request.symbol_in] for chain in (source, target)
        )
        token = PricedToken(paid.symbol, paid.decimals, pico_usd)
        amount = amount_for_usd(request.amount_micro_usd, token)
        message = self._encode_message(source, target, paid, received, amount)
        question = FeeQuestion(
            paid.address,
            received.address,
            source.chain_id,
            target.chain_id,
            amount,
            self._bridger,
            message,
        )
        return _Asked(source.testnet, question, token)

    def _encode_message(
        self, source: Chain, target: Chain, paid: Token, received: Token, amount: int
    ) -> str:
        """Terms of a payment that nobody makes, which our contract accepts in a fill: so Across
        simulates what relayers simulate later, and prices its gas."""
        bridger, nobody = address_word("evm", self._bridger), address_word("evm", _NOBODY)
        words = (
            number_word(int(source.chain_id)),
            number_word(0),
            address_word("evm", paid.address),
            number_word(amount),
            *(bridger, nobody, nobody, number_word(0)),
            number_word(int(target.chain_id)),
            address_word("evm", received.address),
            *(nobody, number_word(1)),
        )
        return "0x" + b"".join(words).hex()

    def _fetch(self, asked: "_Asked") -> Answer:
        try:
            return self._apis.of(asked.testnet).suggest_fees(asked.question)
        except Refused as refusal:
            return refusal

    def _complete(
        self, quote: BridgeQuote, asked: "tuple[_Asked, Future[Answer]] | None", now: datetime
    ) -> BridgeQuote | QuoteRejected:
        request = quote.request
        if asked is None:
            return BridgeUnavailable(
                self.name, request, f"no price of {request.symbol_in} is known"
            )
        if not asked[1].done():
            return BridgeUnavailable(self.name, request, "did not respond in time")
        try:
            answer = asked[1].result()
        except Unreachable as error:
            return BridgeUnavailable(self.name, request, str(error))
        if isinstance(answer, Refused):
            return self._explain_refusal(request, answer)
        return self._price(quote, asked[0], answer, now)

    def _explain_refusal(self, request: RouteRequest, refused: Refused) -> QuoteRejected:
        """What is the amount's or the route's fault is a rejection; anything else means that no
        price is known."""
        code = refused.error.code
        if code in (_TOO_LITTLE, _TOO_MUCH):
            quantity = "little" if code == _TOO_LITTLE else "much"
            reason = f"{self.name} does not take as {quantity} now"
            return QuoteRejected(self.name, request, reason)
        if code == _NO_ROUTE:
            return self._reject_tokens(request)
        return BridgeUnavailable(
            self.name, request, f"refused to price it: {refused.error.message}"
        )

    def _price(
        self, quote: BridgeQuote, asked: "_Asked", fees: SuggestedFees, now: datetime
    ) -> BridgeQuote | QuoteRejected:
        """The quote with the fee on the whole deposit, of which it is a part, or why none is given
        for that much."""
        price, token = price_deposit(asked.question.amount, fees, self._margin_percent), asked.token
        if price is None:
            return BridgeUnavailable(self.name, quote.request, "asks for all of the deposit")
        if (objection := price.objection(fees)) is not None:
            words, limit = objection
            amount = f"{format_units(limit, token.decimals)} {token.symbol}"
            reason = f"{self.name} takes {words} {amount} now"
            return QuoteRejected(self.name, quote.request, reason)
        fee = usd_value(price.deposit - asked.question.amount, token)
        flat = usd_value(price.gas, token)
        deadline = int(now.timestamp()) + self._deadline_seconds
        return replace(
            quote,
            fee_micro_usd=fee + quote.network_micro_usd,
            fill_seconds=fees.fill_seconds,
            details={
                "timestamp": fees.timestamp,
                "fillDeadline": deadline,
                "pctFee": price.share,
                "flatFee": str(flat),
            },
            extra_data=encode_words(fees.timestamp, deadline, price.share, flat),
        )

    def close(self) -> None:
        """End the threads that ask Across, and close the connections to it."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._apis.close()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question to the API of main or of test networks, and the token that is paid in."""

    testnet: bool
    question: FeeQuestion
    token: PricedToken
