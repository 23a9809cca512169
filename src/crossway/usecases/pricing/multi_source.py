"""Multi-source quotes: the cost of paying one destination from every token of every chain."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.money import (
    MICRO_USD_DECIMALS,
    PICO_USD_DECIMALS,
    Token,
    parse_decimal,
    rescale_up,
)
from crossway.domain.pricing import (
    PricedToken,
    amount_for_usd,
    slippage_percent,
    usd_value,
)
from crossway.domain.quotes import (
    BridgeName,
    Comparison,
    ExcludedSource,
    PaymentOption,
    RouteRequest,
    SourceOption,
    cheapest_quote,
    rank_options,
)
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches, is_chain_disabled
from crossway.usecases.chains.request_fields import (
    parse_address,
    parse_chain,
    parse_token,
    split_list,
)
from crossway.usecases.pricing.price_snapshot import PriceSnapshot, take_payout_snapshot
from crossway.usecases.pricing.quotes import BridgeQuotes, fetch_bridge_quotes
from crossway.usecases.validation_errors import ValidationErrors

BAD_AMOUNT = "Amount must be a valid positive number"
MAX_DECIMAL_PLACES = 60
SCALE_DECIMALS = PICO_USD_DECIMALS - MICRO_USD_DECIMALS


@dataclass(frozen=True, slots=True)
class _PricedOption:
    """A token with factors precomputed from its price: an amount for micro-USD is
    `micro_usd * scale / pico_usd`, rounded up, as in `domain.pricing.amount_for_usd`."""

    symbol: str
    address: str
    decimals: int
    scale: int
    pico_usd: int


@dataclass(frozen=True, slots=True)
class _Payment:
    """The requested payout, and what is the same for every source: service and app fee in
    micro-USD, and slippage by deposited symbol."""

    out: Token
    priced_out: PricedToken
    units: int
    micro_usd: int
    service: int
    app: int
    slippage: Mapping[str, str]

    @staticmethod
    def of(
        services: Services,
        caller: Principal | None,
        token_out: Token,
        amount: int,
        priced_out: PricedToken,
    ) -> "_Payment":
        """The payment of an amount of `token_out` for this caller."""
        micro_usd = usd_value(amount, priced_out)
        app = caller.client.app_fee(micro_usd) if caller else 0
        service = services.policy.service_fee.calculate(micro_usd)
        slippage = {s: slippage_percent(s, token_out.symbol) for s in services.catalogue.symbols}
        return _Payment(token_out, priced_out, amount, micro_usd, service, app, slippage)


def quote_multi_source(
    services: Services,
    caller: Principal | None,
    destination: str | None,
    amount: str | None,
    token_out: str | None,
    recipient: str | None = None,
    exclude_chains: str | None = None,
) -> Comparison:
    """Quotes from every source chain to one destination; `amount` is a decimal
    amount of `token_out`."""
    errors, disabled = ValidationErrors(), active_kill_switches(services)
    if not _is_positive_number(amount):
        errors.add(BAD_AMOUNT)
    chain = errors.collect(parse_chain, services, caller, disabled, destination, "destinationChain")
    excluded = errors.collect(_parse_excluded_chains, services, exclude_chains)
    token = parsed_amount = None
    if chain is not None:
        token = errors.collect(parse_token, services, chain, token_out, "tokenOut")
        if recipient:
            errors.collect(parse_address, services, chain, recipient, "recipient")
    if token is not None and _is_positive_number(amount):
        parsed_amount = errors.collect(parse_decimal, "amount", amount, token.decimals)
    errors.raise_if_any()
    assert token is not None
    assert parsed_amount is not None
    assert excluded is not None
    return compare_sources(services, caller, token, parsed_amount, excluded, disabled)


def compare_sources(
    services: Services,
    caller: Principal | None,
    token_out: Token,
    amount: int,
    excluded: Collection[str],
    disabled: Collection[str],
) -> Comparison:
    """Price the payout of `amount` of `token_out` from every source chain that is not excluded.

    Raises `InvalidInput` and `QuotesUnavailable`.
    """
    catalogue = services.catalogue
    prices = take_payout_snapshot(services, token_out.symbol)
    priced_out = prices.priced_token(token_out.symbol, token_out.decimals, "tokenOut")
    payment = _Payment.of(services, caller, token_out, amount, priced_out)
    tokens = _priced_tokens(catalogue, prices)
    chains = [
        chain for chain in _source_chains(services, token_out.chain) if chain.id not in excluded
    ]
    excluded_sources = [
        ExcludedSource(c.id, "is disabled") for c in chains if is_chain_disabled(disabled, c.id)
    ]
    chains = [chain for chain in chains if not is_chain_disabled(disabled, chain.id)]
    same_chain = [chain for chain in chains if chain.id == token_out.chain]
    options = [
        _option(chain, None, chain.same_chain_cost_micro_usd, 0, payment, tokens[chain.id])
        for chain in same_chain
    ]
    other_chains = [chain for chain in chains if chain.id != token_out.chain]
    bridged, failed = _bridged_options(services, other_chains, payment, tokens, disabled)
    return Comparison(
        destination=token_out.chain,
        token_out=token_out.address,
        out_symbol=token_out.symbol,
        out_decimals=token_out.decimals,
        amount=amount,
        options=rank_options(option for option in (*options, *bridged) if option.options),
        excluded=(*excluded_sources, *failed),
    )


def _parse_excluded_chains(services: Services, names: str | None) -> set[str]:
    return {services.catalogue.chain(name, "excludeChains").id for name in split_list(names)}


def _is_positive_number(text: str | None) -> bool:
    try:
        return parse_decimal("amount", text, MAX_DECIMAL_PLACES) > 0
    except InvalidInput:
        return False


def _bridged_options(
    services: Services,
    chains: Sequence[Chain],
    payment: _Payment,
    tokens: Mapping[str, Sequence[_PricedOption]],
    disabled: Collection[str],
) -> tuple[list[SourceOption], list[ExcludedSource]]:
    """The options on chains that need a bridge, and the chains and bridges without a quote."""
    if not chains:
        return [], []
    requests = [RouteRequest(chain.id, payment.out.chain, payment.micro_usd) for chain in chains]
    bridge_quotes = fetch_bridge_quotes(services, services.bridges, requests, disabled)
    options: list[SourceOption] = []
    excluded: list[ExcludedSource] = []
    for index, chain in enumerate(chains):
        if quote := cheapest_quote(bridge_quotes.quotes[index]):
            fee, fill = quote.fee_micro_usd, quote.fill_seconds
            options.append(_option(chain, quote.bridge, fee, fill, payment, tokens[chain.id]))
        else:
            excluded.append(ExcludedSource(chain.id, _rejection_reason(bridge_quotes, index)))
    return options, [*excluded, *bridge_quotes.excluded]


def _source_chains(services: Services, destination: str) -> list[Chain]:
    """The configured chains of the destination's network (mainnet or testnet)."""
    chains = services.catalogue.chains
    testnet = chains[destination].testnet
    return [c for c in chains.values() if c.testnet == testnet and c.id in services.chains]


def _rejection_reason(bridge_quotes: BridgeQuotes, index: int) -> str:
    reasons = [
        rejection.reason for rejection in bridge_quotes.rejections[index] if rejection.supported
    ]
    return ", ".join(reasons) or "no bridge serves this route"


def _option(
    chain: Chain,
    bridge: BridgeName | None,
    bridge_micro_usd: int,
    bridge_seconds: int,
    payment: _Payment,
    tokens: Sequence[_PricedOption],
) -> SourceOption:
    priced_out, service, app = payment.priced_out, payment.service, payment.app
    service_units, bridge_units = (
        amount_for_usd(service, priced_out),
        amount_for_usd(bridge_micro_usd, priced_out),
    )
    return SourceOption(
        source=chain.id,
        destination=payment.out.chain,
        bridge=bridge,
        total_fee_units=service_units + bridge_units,
        service_fee_units=service_units,
        bridge_fee_units=bridge_units,
        app_fee_units=amount_for_usd(app, priced_out),
        fee_micro_usd=service + bridge_micro_usd + app,
        fill_seconds=chain.confirmation_seconds(payment.micro_usd) + bridge_seconds,
        options=_payment_options(payment, service + bridge_micro_usd, tokens),
    )


def _payment_options(
    payment: _Payment, fee_micro_usd: int, tokens: Sequence[_PricedOption]
) -> tuple[PaymentOption, ...]:
    """The deposit amount of each token; equal to the unit to `domain.pricing.calculate_costs`."""
    amount, decimals, symbol = payment.units, payment.out.decimals, payment.out.symbol
    micro_usd, app, slippage = payment.micro_usd, payment.app, payment.slippage
    options = []
    for token in tokens:
        scale, pico_usd = token.scale, token.pico_usd
        fee_amount = -(-fee_micro_usd * scale // pico_usd)
        if token.symbol == symbol:
            deposit_amount = rescale_up(amount, decimals, token.decimals) + fee_amount
        else:
            deposit_amount = -(-micro_usd * scale // pico_usd) + fee_amount
        if app:
            deposit_amount += -(-app * scale // pico_usd)
        options.append(
            PaymentOption(
                token.symbol,
                token.address,
                token.decimals,
                fee_amount,
                deposit_amount,
                slippage[token.symbol],
            )
        )
    return tuple(options)


def _priced_tokens(
    catalogue: Catalogue, prices: PriceSnapshot
) -> Mapping[str, Sequence[_PricedOption]]:
    """The enabled tokens that have a price, by chain; kept for the last few sets of prices."""
    for cached_catalogue, cached_prices, cached in _tables:
        if cached_catalogue is catalogue and cached_prices == prices.pico_usd:
            return cached
    table = {
        chain: tuple(
            _PricedOption(
                t.symbol, t.address, t.decimals, 10 ** (t.decimals + SCALE_DECIMALS), pico
            )
            for t in tokens
            if t.enabled and (pico := prices.pico_usd.get(t.symbol)) is not None
        )
        for chain, tokens in catalogue.by_chain.items()
    }
    _tables.appendleft((catalogue, prices.pico_usd, table))
    return table


_Table = Mapping[str, Sequence[_PricedOption]]
# As many as there are payout tokens in common use, each with spreads of its own.
_tables: deque[tuple[Catalogue, Mapping[str, int], _Table]] = deque(maxlen=8)
