"""How much of open payments depends on one token's price, and the limit of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.payment_links import LONGEST_OPEN
from crossway.domain.price_risk import PriceRisk, is_same_asset, risk_of
from crossway.domain.roles import Permission
from crossway.ports.records import OpenPair
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

_UNPAID_PART, _PAYER_PART = 2, 2


@dataclass(frozen=True, slots=True)
class TokenExposure:
    """Open payments that gain or lose when a token's price moves; `limit_micro_usd` is None where
    there is no limit, `unpaid_micro_usd` what payers made by payment links and have not paid."""

    symbol: str
    payments: int
    micro_usd: int
    limit_micro_usd: int | None
    unpaid_micro_usd: int = 0


def list_token_exposures(services: Services, caller: Principal) -> list[TokenExposure]:
    """Every token with exposure, the largest first; operators only."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        exposures = _sum_by_token(services, unit.intents.list_open_pairs())
    return sorted(exposures.values(), key=lambda exposure: -exposure.micro_usd)


class ExposureExceeded(InvalidInput):
    """A payment does not fit into the limit of exposure to a token's price."""


def require_exposure_room(
    services: Services, unit: UnitOfWork, intent: Intent, payer: str = ""
) -> None:
    """Check, after an intent was stored, that no token's exposure is above its limit now.

    Payments that payers made by payment links and have not paid may take half of the limit, and
    those of one network address (`payer`) half of what others left of that: whoever creates
    payments without paying them leaves room for everybody else. Raises `ExposureExceeded`, which
    undoes the unit of work. A payment that is swapped at its start gains or loses by no price.
    """
    limit, risks = services.policy.prices.exposure_micro_usd, services.catalogue.risks
    exposed = _exposed_symbols(risks, intent.asset_symbol, intent.out_symbol)
    if limit is None or not exposed or intent.swap is not None:
        return
    exposures = _sum_by_token(services, unit.intents.list_open_pairs())
    for symbol in exposed:
        if exposures[symbol].micro_usd > limit:
            room = max(limit - exposures[symbol].micro_usd + intent.costs.amount_micro_usd, 0)
            raise _exceeded(symbol, room)
        if intent.by_payer:
            own = _sum_unpaid(services, unit, payer, symbol) + intent.costs.amount_micro_usd
            others = exposures[symbol].unpaid_micro_usd - own
            own_limit = max(limit // _UNPAID_PART - others, 0) // _PAYER_PART
            if own > own_limit:
                room = max(own_limit - own + intent.costs.amount_micro_usd, 0)
                raise _exceeded(symbol, room)


def _exceeded(symbol: str, room_micro_usd: int) -> ExposureExceeded:
    return ExposureExceeded(
        f"amount: payments with {symbol} are limited, because their terms are fixed while "
        f"its price moves; there is room for {format_units(room_micro_usd, MICRO_USD_DECIMALS, 2)} "
        "USD now, and for more when others end"
    )


def _sum_unpaid(services: Services, unit: UnitOfWork, payer: str, symbol: str) -> int:
    """The value in micro-USD of a network address's open unpaid payments that depend on a token's
    price."""
    now = services.clock.now()
    return sum(
        intent.costs.amount_micro_usd
        for intent in unit.payment_links.list_open_of_payer(payer, now - LONGEST_OPEN)
        if symbol
        in _exposed_symbols(services.catalogue.risks, intent.asset_symbol, intent.out_symbol)
    )


def _exposed_symbols(
    risks: Mapping[str, PriceRisk], symbol_in: str, symbol_out: str
) -> Collection[str]:
    """The tokens whose price matters while a payment between two tokens is open."""
    if is_same_asset(risks, symbol_in, symbol_out):
        return ()
    return [s for s in (symbol_in, symbol_out) if risk_of(risks, s).daily_bps]


def _sum_by_token(services: Services, pairs: Collection[OpenPair]) -> Mapping[str, TokenExposure]:
    limit, sums = services.policy.prices.exposure_micro_usd, dict[str, TokenExposure]()
    for pair in pairs:
        for symbol in _exposed_symbols(services.catalogue.risks, pair.symbol_in, pair.symbol_out):
            known = sums.get(symbol) or TokenExposure(symbol, 0, 0, limit)
            sums[symbol] = replace(
                known,
                payments=known.payments + pair.payments,
                micro_usd=known.micro_usd + pair.micro_usd,
                unpaid_micro_usd=known.unpaid_micro_usd + pair.unpaid_micro_usd,
            )
    return sums
