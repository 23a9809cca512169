"""Ways to pay from every chain to one: every token of every chain, priced in one pass."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.clients import Caller
from crossway.domain.money import MICRO_USD_DECIMALS, PICO_USD_DECIMALS, Token, rescale_up
from crossway.domain.pricing import Side, app_fee, for_usd, slippage_of, worth
from crossway.domain.quotes import (
    BridgeName,
    Comparison,
    LeftOut,
    Leg,
    PaymentOption,
    SourceOption,
    best,
    ranked,
)
from crossway.ports.services import Services
from crossway.usecases.network.switches import chain_is_off
from crossway.usecases.pricing.offers import Offered, offers_for
from crossway.usecases.pricing.rates import Rates, rates

SCALE_DECIMALS = PICO_USD_DECIMALS - MICRO_USD_DECIMALS


@dataclass(frozen=True, slots=True)
class _Priced:
    """A token with what never changes while its price stands: units of it for micro-USD are
    `micro_usd * scale / pico_usd`, rounded up, as in domain/pricing.for_usd."""

    symbol: str
    address: str
    decimals: int
    scale: int
    pico_usd: int


@dataclass(frozen=True, slots=True)
class _Payment:
    """What is to arrive, and what does not depend on the way: fees in micro-USD, and slippage by
    the symbol paid with."""

    out: Token
    side: Side
    units: int
    micro_usd: int
    service: int
    app: int
    slippage: Mapping[str, str]

    @staticmethod
    def of(
        services: Services, caller: Caller | None, out: Token, units: int, side: Side
    ) -> "_Payment":
        """The payment of these units for this caller."""
        micro_usd = worth(units, side)
        client = caller.client if caller else None
        app = client and app_fee(micro_usd, client.app_fee_bps, client.app_fee_cap_micro_usd)
        service = services.policy.service_fee.on(micro_usd)
        slippage = {s: slippage_of(s, out.symbol) for s in services.catalogue.symbols}
        return _Payment(out, side, units, micro_usd, service, app or 0, slippage)


def same_chain_cost(chain: Chain) -> int:
    """What a payment within one chain costs the relayer: a start and a fill, in micro-USD."""
    return 2 * chain.transfer_cost_micro_usd


def wait_seconds(chain: Chain, micro_usd: int) -> int:
    """How long a deposit of this worth takes to be deep enough on its chain."""
    return ceil(chain.block_time_seconds * (chain.confirmations.for_worth(micro_usd) + 1))


def compare(
    services: Services,
    caller: Caller | None,
    out: Token,
    units: int,
    excluded: Collection[str],
    off: Collection[str],
) -> Comparison:
    """Every way to make `units` of `out` arrive, but for the excluded chains."""
    catalogue = services.catalogue
    prices = rates(services, catalogue.symbols)
    side = prices.side(out.symbol, out.decimals, "tokenOut")
    payment = _Payment.of(services, caller, out, units, side)
    tokens = _priced_tokens(catalogue, prices)
    chains = [chain for chain in _sources(services, out.chain) if chain.id not in excluded]
    missing = [LeftOut(c.id, "is switched off") for c in chains if chain_is_off(off, c.id)]
    chains = [chain for chain in chains if not chain_is_off(off, chain.id)]
    away = [chain for chain in chains if chain.id != out.chain]
    legs = [Leg(chain.id, out.chain, payment.micro_usd) for chain in away]
    offered = offers_for(services, services.bridges if legs else (), legs, off)
    options = [
        _option(chain, None, same_chain_cost(chain), 0, payment, tokens[chain.id])
        for chain in chains
        if chain.id == out.chain
    ]
    for index, chain in enumerate(away):
        if offer := best(offered.offers[index]):
            fee, fill = offer.fee_micro_usd, offer.fill_seconds
            options.append(_option(chain, offer.bridge, fee, fill, payment, tokens[chain.id]))
        else:
            missing.append(LeftOut(chain.id, _why_none(offered, index)))
    return Comparison(
        destination=out.chain,
        token_out=out.address,
        out_symbol=out.symbol,
        out_decimals=out.decimals,
        amount_units=units,
        options=ranked(option for option in options if option.options),
        missing=(*missing, *offered.missing),
    )


def _sources(services: Services, destination: str) -> list[Chain]:
    """The configured chains of the destination's network."""
    chains = services.catalogue.chains
    testnet = chains[destination].testnet
    return [c for c in chains.values() if c.testnet == testnet and c.id in services.chains]


def _why_none(offered: Offered, index: int) -> str:
    bounds = [refusal.reason for refusal in offered.refusals[index] if refusal.supported]
    return ", ".join(bounds) or "no bridge serves this route"


def _option(
    chain: Chain,
    bridge: BridgeName | None,
    bridge_micro_usd: int,
    bridge_seconds: int,
    payment: _Payment,
    tokens: Sequence[_Priced],
) -> SourceOption:
    side, service, app = payment.side, payment.service, payment.app
    service_units, bridge_units = for_usd(service, side), for_usd(bridge_micro_usd, side)
    return SourceOption(
        source=chain.id,
        destination=payment.out.chain,
        bridge=bridge,
        total_fee_units=service_units + bridge_units,
        service_fee_units=service_units,
        bridge_fee_units=bridge_units,
        app_fee_units=for_usd(app, side),
        fee_micro_usd=service + bridge_micro_usd + app,
        fill_seconds=wait_seconds(chain, payment.micro_usd) + bridge_seconds,
        options=_payment_options(payment, service + bridge_micro_usd, tokens),
    )


def _payment_options(
    payment: _Payment, fee: int, tokens: Sequence[_Priced]
) -> tuple[PaymentOption, ...]:
    """What to deposit of each token; to the unit what domain/pricing.costs_of gives for one."""
    units, decimals, symbol = payment.units, payment.out.decimals, payment.out.symbol
    micro_usd, app, slippage = payment.micro_usd, payment.app, payment.slippage
    options = []
    for token in tokens:
        scale, pico = token.scale, token.pico_usd
        fees = -(-fee * scale // pico)
        if token.symbol == symbol:
            deposit = rescale_up(units, decimals, token.decimals) + fees
        else:
            deposit = -(-micro_usd * scale // pico) + fees
        if app:
            deposit += -(-app * scale // pico)
        options.append(
            PaymentOption(
                token.symbol, token.address, token.decimals, fees, deposit, slippage[token.symbol]
            )
        )
    return tuple(options)


def _priced_tokens(catalogue: Catalogue, prices: Rates) -> Mapping[str, Sequence[_Priced]]:
    """By chain, the enabled tokens that have a price; made anew only when a price has moved."""
    global _latest
    known, by_price, table = _latest
    if known is not catalogue or by_price != prices.pico_usd:
        table = {
            chain: tuple(
                _Priced(t.symbol, t.address, t.decimals, 10 ** (t.decimals + SCALE_DECIMALS), pico)
                for t in tokens
                if t.enabled and (pico := prices.pico_usd.get(t.symbol)) is not None
            )
            for chain, tokens in catalogue.by_chain.items()
        }
        _latest = catalogue, prices.pico_usd, table
    return table


_latest: tuple[Catalogue | None, Mapping[str, int], Mapping[str, Sequence[_Priced]]]
_latest = None, {}, {}
