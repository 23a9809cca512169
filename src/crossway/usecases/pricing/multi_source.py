"""Multi-source quotes: the cost of paying one destination from every token of every chain."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, QuotesUnavailable
from crossway.domain.money import (
    Token,
    parse_decimal,
    rescale_up,
)
from crossway.domain.network_costs import network_fee
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
from crossway.usecases.chains.kill_switches import (
    active_kill_switches,
    is_chain_disabled,
    is_source_disabled,
)
from crossway.usecases.chains.request_fields import (
    parse_address,
    parse_chain,
    parse_known_chain,
    parse_token,
    split_list,
)
from crossway.usecases.pricing.network_fees import read_network_costs, unknown_costs
from crossway.usecases.pricing.price_snapshot import take_payout_snapshot
from crossway.usecases.pricing.priced_options import PricedOption, price_tokens
from crossway.usecases.pricing.quotes import BridgeQuotes, fetch_bridge_quotes
from crossway.usecases.validation_errors import ValidationErrors

BAD_AMOUNT = "Amount must be a valid positive number"
MAX_DECIMAL_PLACES = 60


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
    excluded = errors.collect(_parse_excluded_chains, services, caller, exclude_chains)
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
    prices = take_payout_snapshot(services, token_out.symbol)
    priced_out = prices.priced_token(token_out.symbol, token_out.decimals, "tokenOut")
    payment = _Payment.of(services, caller, token_out, amount, priced_out)
    tokens = price_tokens(services.catalogue, prices)
    chains = [c for c in _source_chains(services, token_out.chain) if c.id not in excluded]
    excluded_sources = list(_list_closed(chains, disabled))
    chains = [chain for chain in chains if not is_source_disabled(disabled, chain.id)]
    fees, unknown = _network_fees(services, chains, payment)
    options = [
        _option(chain, None, fees[chain.id], 0, payment, tokens[chain.id])
        for chain in chains
        if chain.id == token_out.chain
    ]
    other_chains = [c for c in chains if c.id != token_out.chain and c.id in fees]
    bridged, failed = _bridged_options(services, other_chains, payment, tokens, fees, disabled)
    return Comparison(
        destination=token_out.chain,
        token_out=token_out.address,
        out_symbol=token_out.symbol,
        out_decimals=token_out.decimals,
        amount=amount,
        options=rank_options(option for option in (*options, *bridged) if option.options),
        excluded=(*excluded_sources, *unknown, *failed),
    )


def _list_closed(chains: Sequence[Chain], disabled: Collection[str]) -> Iterator[ExcludedSource]:
    for chain in chains:
        if is_chain_disabled(disabled, chain.id):
            yield ExcludedSource(chain.id, "is disabled")
        elif is_source_disabled(disabled, chain.id):
            yield ExcludedSource(chain.id, "takes no new payments at the moment")


def _parse_excluded_chains(
    services: Services, caller: Principal | None, names: str | None
) -> set[str]:
    return {
        parse_known_chain(services, caller, name, "excludeChains").id for name in split_list(names)
    }


def _is_positive_number(text: str | None) -> bool:
    try:
        return parse_decimal("amount", text, MAX_DECIMAL_PLACES) > 0
    except InvalidInput:
        return False


def _network_fees(
    services: Services, chains: Sequence[Chain], payment: _Payment
) -> tuple[Mapping[str, int], list[ExcludedSource]]:
    """The network costs by source chain, and the chains that do not tell theirs. Raises
    `QuotesUnavailable` where the destination does not."""
    destination = payment.out.chain
    report = read_network_costs(services, {destination, *(chain.id for chain in chains)})
    if destination in report.unknown:
        raise QuotesUnavailable(unknown_costs(destination, report))
    costs, arrival = report.costs, report.costs[destination]
    fees = {
        c.id: network_fee(costs[c.id], arrival, payment.service, c.id != destination)
        for c in chains
        if c.id in costs
    }
    missing = [c.id for c in chains if c.id in report.unknown]
    return fees, [ExcludedSource(chain, unknown_costs(chain, report)) for chain in missing]


def _bridged_options(
    services: Services,
    chains: Sequence[Chain],
    payment: _Payment,
    tokens: Mapping[str, Sequence[PricedOption]],
    fees: Mapping[str, int],
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
            fee = quote.fee_with_network(fees[chain.id])
            fill = quote.fill_seconds
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
    tokens: Sequence[PricedOption],
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
    payment: _Payment, fee_micro_usd: int, tokens: Sequence[PricedOption]
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
