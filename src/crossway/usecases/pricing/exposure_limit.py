"""How much of open payments depends on one token's price, and the limit of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.price_risk import PriceRisk, is_same_asset, risk_of
from crossway.domain.roles import Permission
from crossway.ports.records import OpenPair
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork


@dataclass(frozen=True, slots=True)
class TokenExposure:
    """Open payments that gain or lose when a token's price moves; `limit_micro_usd` is None where
    there is no limit."""

    symbol: str
    payments: int
    micro_usd: int
    limit_micro_usd: int | None


def list_token_exposures(services: Services, caller: Principal) -> list[TokenExposure]:
    """Every token with exposure, the largest first; operators only."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        exposures = _sum_by_token(services, unit.intents.list_open_pairs())
    return sorted(exposures.values(), key=lambda exposure: -exposure.micro_usd)


def require_exposure_room(services: Services, unit: UnitOfWork, intent: Intent) -> None:
    """Check, after an intent was stored, that no token's exposure is above its limit now.

    Raises `InvalidInput`, which undoes the unit of work.
    """
    limit, risks = services.policy.prices.exposure_micro_usd, services.catalogue.risks
    exposed = _exposed_symbols(risks, intent.asset_symbol, intent.out_symbol)
    if limit is None or not exposed:
        return
    exposures = _sum_by_token(services, unit.intents.list_open_pairs())
    for symbol in exposed:
        if exposures[symbol].micro_usd > limit:
            room = max(limit - exposures[symbol].micro_usd + intent.costs.amount_micro_usd, 0)
            raise InvalidInput(
                f"amount: payments with {symbol} are limited, because their terms are fixed while "
                f"its price moves; there is room for {format_units(room, MICRO_USD_DECIMALS, 2)} "
                "USD now, and for more when others end"
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
            )
    return sums
