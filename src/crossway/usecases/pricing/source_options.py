"""The options to pay from one chain: its tokens with their deposit amounts, for one bridge."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.money import Token, rescale_up
from crossway.domain.network_costs import PayoutPath
from crossway.domain.pricing import PricedToken, amount_for_usd, usd_value
from crossway.domain.quotes import BridgeQuote, PaymentOption, SourceOption, usual_times
from crossway.ports.services import Services
from crossway.usecases.pricing.network_fees import NetworkFees
from crossway.usecases.pricing.priced_options import PricedOption
from crossway.usecases.pricing.swap_terms import slippage_percent


@dataclass(frozen=True, slots=True)
class RequestedPayout:
    """The requested payout, and what is the same for every source: service and app fee in
    micro-USD and in units of the token paid out, and the slippage of swaps by deposited symbol."""

    out: Token
    destination: Chain
    priced_out: PricedToken
    units: int
    micro_usd: int
    service: int
    app: int
    service_units: int
    app_units: int
    slippage: Mapping[str, str]

    @staticmethod
    def of(
        services: Services,
        caller: Principal | None,
        token_out: Token,
        amount: int,
        priced_out: PricedToken,
    ) -> "RequestedPayout":
        """The payment of an amount of `token_out` for this caller."""
        micro_usd = usd_value(amount, priced_out)
        app = caller.client.app_fee(micro_usd) if caller else 0
        service = services.policy.service_fee.calculate(micro_usd)
        symbols = services.catalogue.symbols
        slippage = {s: slippage_percent(services, s, token_out.symbol) for s in symbols}
        destination = services.catalogue.chains[token_out.chain]
        return RequestedPayout(
            out=token_out,
            destination=destination,
            priced_out=priced_out,
            units=amount,
            micro_usd=micro_usd,
            service=service,
            app=app,
            service_units=amount_for_usd(service, priced_out),
            app_units=amount_for_usd(app, priced_out),
            slippage=slippage,
        )


def group_tokens(
    payout: RequestedPayout,
    tokens: Sequence[PricedOption],
    alike: bool,
    exchanged: Collection[str],
) -> Iterator[list[PricedOption]]:
    """The tokens that are of the symbol paid out, then those of each that bridges exchange for it
    (`exchanged`), and all others, which are one group where they are priced `alike`, and else one
    group each; only groups with tokens."""
    apart = [payout.out.symbol, *sorted(exchanged)]
    groups: dict[str, list[PricedOption]] = {symbol: [] for symbol in apart}
    for token in tokens:
        is_apart = not alike or token.carried_as in apart
        groups.setdefault(token.carried_as if is_apart else "", []).append(token)
    yield from filter(None, groups.values())


def build_option(
    chain: Chain,
    quote: BridgeQuote | None,
    fees: NetworkFees,
    payout: RequestedPayout,
    tokens: Sequence[PricedOption],
    estimate_reason: str = "",
) -> SourceOption:
    """The option to pay from a chain with these tokens over a bridge; None on the same chain."""
    network = fees.charged(PayoutPath.SAME_CHAIN if quote is None else quote.path)
    bridge_micro_usd = network if quote is None else quote.fee_with_network(network)
    bridge_units = amount_for_usd(bridge_micro_usd, payout.priced_out)
    fee_micro_usd = payout.service + bridge_micro_usd
    fill_seconds, trusted_seconds = usual_times(chain, payout.destination, payout.micro_usd, quote)
    return SourceOption(
        source=chain.id,
        destination=payout.out.chain,
        bridge=quote.bridge if quote else None,
        total_fee_units=payout.service_units + bridge_units,
        service_fee_units=payout.service_units,
        bridge_fee_units=bridge_units,
        app_fee_units=payout.app_units,
        fee_micro_usd=fee_micro_usd + payout.app,
        fill_seconds=fill_seconds,
        options=_payment_options(payout, fee_micro_usd, tokens, bool(quote and quote.swap)),
        custody=quote.custody if quote else Custody.OPERATOR,
        trusted_seconds=trusted_seconds,
        estimate_reason=estimate_reason,
    )


def _payment_options(
    payout: RequestedPayout, fee_micro_usd: int, tokens: Sequence[PricedOption], swapped: bool
) -> tuple[PaymentOption, ...]:
    """The deposit amount of each token; equal to the unit to `domain.pricing.calculate_costs`."""
    amount, decimals, symbol = payout.units, payout.out.decimals, payout.out.symbol
    micro_usd, app, slippage = payout.micro_usd, payout.app, payout.slippage
    options = []
    for token in tokens:
        scale, pico_usd = token.scale, token.pico_usd
        fee_amount = -(-fee_micro_usd * scale // pico_usd)
        if token.carried_as == symbol:
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
                slippage[token.carried_as] if swapped else "0",
            )
        )
    return tuple(options)
