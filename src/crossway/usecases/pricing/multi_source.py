"""Multi-source quotes: the cost of paying one destination from every token of every chain."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, QuotesUnavailable
from crossway.domain.estimates import BridgeEstimate
from crossway.domain.money import Token, parse_decimal
from crossway.domain.quotes import (
    BridgeQuote,
    Comparison,
    ExcludedSource,
    QuoteRejected,
    RouteRequest,
    SourceOption,
    rank_options,
)
from crossway.domain.same_chain import find_limit_problem
from crossway.ports.bridge import Bridge
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
from crossway.usecases.pricing.bridge_quotes import rejection_reasons
from crossway.usecases.pricing.estimates import (
    ShownQuotes,
    fetch_quotes_alone,
    fetch_shown_quotes,
)
from crossway.usecases.pricing.network_fees import (
    NetworkFees,
    read_network_costs,
    unknown_costs,
)
from crossway.usecases.pricing.price_snapshot import take_payout_snapshot
from crossway.usecases.pricing.priced_options import PricedOption, price_tokens
from crossway.usecases.pricing.source_options import RequestedPayout, build_option, group_tokens
from crossway.usecases.validation_errors import ValidationErrors

# Source chain, bridge, fee, fill time, whether it is swapped, and why it is an estimate.
_Price = tuple[str, str, int, int, bool, str]
_FETCH = {True: fetch_shown_quotes, False: fetch_quotes_alone}
BAD_AMOUNT = "Amount must be a valid positive number"
MAX_DECIMAL_PLACES = 60


def quote_multi_source(
    services: Services,
    caller: Principal | None,
    destination: str | None,
    amount: str | None,
    token_out: str | None,
    recipient: str | None = None,
    exclude_chains: str | None = None,
    with_estimates: bool = False,
) -> Comparison:
    """Quotes from every source chain to one destination; `amount` is a decimal
    amount of `token_out`. `with_estimates`: for display, where payments are not made from it."""
    errors, disabled = ValidationErrors(), active_kill_switches(services)
    if not _is_positive_number(amount):
        code = ErrorCode.PARAMETER_INVALID if amount else ErrorCode.PARAMETER_MISSING
        errors.add(BAD_AMOUNT, code, ("amount",))
    chain = errors.collect(parse_chain, services, caller, disabled, destination, "destinationChain")
    excluded = errors.collect(_parse_excluded_chains, services, caller, exclude_chains)
    token = parsed_amount = None
    if chain is not None:
        token = errors.collect(parse_token, services, caller, chain, token_out, "tokenOut")
        if recipient:
            errors.collect(parse_address, services, chain, recipient, "recipient")
    elif token_out is None:
        errors.add("tokenOut is required", ErrorCode.PARAMETER_MISSING)
    if token is not None and _is_positive_number(amount):
        parsed_amount = errors.collect(parse_decimal, "amount", amount, token.decimals)
    errors.raise_if_any()
    assert token is not None
    assert parsed_amount is not None
    assert excluded is not None
    return compare_sources(
        services, caller, token, parsed_amount, excluded, disabled, with_estimates
    )


def compare_sources(
    services: Services,
    caller: Principal | None,
    token_out: Token,
    amount: int,
    excluded: Collection[str],
    disabled: Collection[str],
    with_estimates: bool = False,
) -> Comparison:
    """Price the payout of `amount` of `token_out` from every source chain that is not excluded.
    With estimates, those tokens that no bridge quotes have the estimate of the cheapest bridge
    that did not answer.

    Raises `InvalidInput` and `QuotesUnavailable`."""
    prices = take_payout_snapshot(services, token_out.symbol)
    priced_out = prices.priced_token(token_out.symbol, token_out.decimals, "tokenOut")
    payout = RequestedPayout.of(services, caller, token_out, amount, priced_out)
    tokens = price_tokens(services.catalogue, prices)
    chains = [c for c in _source_chains(services, token_out.chain) if c.id not in excluded]
    excluded_sources = list(_list_closed(chains, disabled))
    chains = [chain for chain in chains if not is_source_disabled(disabled, chain.id)]
    fees, unknown = _network_fees(services, chains, payout)
    same_chain, too_much = _same_chain_options(chains, payout, tokens, fees)
    other_chains = [c for c in chains if c.id != token_out.chain and c.id in fees]
    fetch = partial(_FETCH[with_estimates], disabled=disabled)
    bridged, failed = _bridged_options(services, other_chains, payout, tokens, fees, fetch)
    return Comparison(
        destination=token_out.chain,
        token_out=token_out.address,
        out_symbol=token_out.symbol,
        out_decimals=token_out.decimals,
        amount=amount,
        options=rank_options(option for option in (*same_chain, *bridged) if option.options),
        excluded=(*excluded_sources, *too_much, *unknown, *failed),
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
    services: Services, chains: Sequence[Chain], payout: RequestedPayout
) -> tuple[Mapping[str, NetworkFees], list[ExcludedSource]]:
    """The network costs by source chain, and the chains that do not tell theirs. Raises
    `QuotesUnavailable` where the destination does not."""
    destination = payout.out.chain
    report = read_network_costs(services, {destination, *(chain.id for chain in chains)})
    if destination in report.unknown:
        raise QuotesUnavailable(unknown_costs(destination, report))
    costs, arrival = report.costs, report.costs[destination]
    fees = {
        chain.id: NetworkFees(costs[chain.id], arrival, payout.service)
        for chain in chains
        if chain.id in costs
    }
    missing = [c.id for c in chains if c.id in report.unknown]
    return fees, [ExcludedSource(chain, unknown_costs(chain, report)) for chain in missing]


def _same_chain_options(
    chains: Sequence[Chain],
    payout: RequestedPayout,
    tokens: Mapping[str, Sequence[PricedOption]],
    fees: Mapping[str, NetworkFees],
) -> tuple[list[SourceOption], list[ExcludedSource]]:
    """The option on the destination chain itself, if it is among these chains, or why there is
    none."""
    destination = [chain for chain in chains if chain.id == payout.out.chain]
    if problem := find_limit_problem(payout.micro_usd):
        return [], [ExcludedSource(chain.id, problem) for chain in destination]
    return [build_option(c, None, fees[c.id], payout, tokens[c.id]) for c in destination], []


def _bridged_options(
    services: Services,
    chains: Sequence[Chain],
    payout: RequestedPayout,
    tokens: Mapping[str, Sequence[PricedOption]],
    fees: Mapping[str, NetworkFees],
    fetch: Callable[[Services, Sequence[Bridge], Sequence[RouteRequest]], ShownQuotes],
) -> tuple[list[SourceOption], list[ExcludedSource]]:
    """The options on chains that need a bridge, and the chains and bridges without a quote.

    Unless an exchange prices each token for itself, all are alike that are not the one paid out and
    that no bridge exchanges for it, so that there are few requests for a chain, however many tokens
    it has.
    """
    out = payout.out
    alike = services.exchange is None or services.exchange.prices_alike
    exchanged = _exchanged_for(services.bridges, out)
    groups = [
        (chain, group)
        for chain in chains
        for group in group_tokens(payout, tokens[chain.id], alike, exchanged[chain.id])
    ]
    if not groups:
        return [], []
    requests = [
        RouteRequest(chain.id, out.chain, payout.micro_usd, group[0].carried_as, out.symbol)
        for chain, group in groups
    ]
    shown = fetch(services, services.bridges, requests)
    options, excluded = _options_of_groups(groups, shown, payout, fees)
    return options, [*excluded, *shown.fetched.excluded]


def _exchanged_for(bridges: Sequence[Bridge], out: Token) -> Mapping[str, set[str]]:
    """The symbols that bridges exchange for this token, by source chain."""
    found: dict[str, set[str]] = defaultdict(set)
    for bridge in bridges:
        for route in bridge.routes():
            if route.exchanged and route.destination == out.chain:
                pairs = route.exchanged
                found[route.source] |= {paid for paid, received in pairs if received == out.symbol}
    return found


def _options_of_groups(
    groups: Sequence[tuple[Chain, list[PricedOption]]],
    shown: ShownQuotes,
    payout: RequestedPayout,
    fees: Mapping[str, NetworkFees],
) -> tuple[list[SourceOption], list[ExcludedSource]]:
    """One option for all tokens of a chain that a bridge carries at one price, and the chains of
    which no token is carried."""
    carried: dict[_Price, tuple[Chain, BridgeQuote, list[PricedOption]]] = {}
    rejections: dict[str, list[QuoteRejected]] = {}
    for index, (chain, group) in enumerate(groups):
        quotes, estimates = shown.fetched.quotes[index], shown.estimates[index]
        if quotes or estimates:
            quote, reason = _choose(quotes, estimates, fees[chain.id])
            way = quote.swap is not None, reason
            price = chain.id, quote.bridge, quote.fee_micro_usd, quote.fill_seconds, *way
            carried.setdefault(price, (chain, quote, []))[2].extend(group)
        else:
            rejections.setdefault(chain.id, []).extend(shown.fetched.rejections[index])
    options = [
        build_option(chain, quote, fees[chain.id], payout, tokens, reason)
        for (*_, reason), (chain, quote, tokens) in carried.items()
    ]
    served = {option.source for option in options}
    return options, [
        ExcludedSource(chain, rejection_reasons(rejected) or "no bridge serves this route")
        for chain, rejected in rejections.items()
        if chain not in served
    ]


def _choose(
    quotes: Sequence[BridgeQuote], estimates: Sequence[BridgeEstimate], fees: NetworkFees
) -> tuple[BridgeQuote, str]:
    """The cheapest quote with the network costs of its own way to the recipient; without quotes
    the cheapest estimate, with the reason why it is one."""
    if len(quotes) == 1:
        return quotes[0], ""

    def cost(quote: BridgeQuote) -> tuple[int, int, str]:
        charged = quote.fee_with_network(fees.charged(quote.path))
        return charged, quote.fill_seconds, quote.bridge

    if quotes:
        return min(quotes, key=cost), ""
    estimate = min(estimates, key=lambda estimate: cost(estimate.figures))
    return estimate.figures, estimate.reason


def _source_chains(services: Services, destination: str) -> list[Chain]:
    """The configured chains of the destination's network (mainnet or testnet)."""
    chains = services.catalogue.chains
    testnet = chains[destination].testnet
    return [c for c in chains.values() if c.testnet == testnet and c.id in services.chains]
