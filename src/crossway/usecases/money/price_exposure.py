"""Price exposure: what open payments gain or lose when prices move after they were agreed."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from crossway.domain.clients import Principal
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.money import (
    MICRO_USD_DECIMALS,
    Price,
    format_units,
    micro_usd_down,
    micro_usd_up,
)
from crossway.domain.price_risk import is_same_asset
from crossway.domain.roles import Permission
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services

MAX_INTENTS = 10_000
_OPEN = (State.PENDING, State.FUNDED, State.INITIATED)
_COMMITTED = (State.FUNDED, State.INITIATED)


@dataclass(frozen=True, slots=True)
class Exposure:
    """Open payments from one token to another, valued at current prices.

    Committed payments are funded and will be paid out; the others may still be funded at their
    agreed price. Of the deposits only what stands against the payouts depends on prices: fees of
    the service, the bridge and the merchant are left out, the spread is in it. `agreed_micro_usd`
    is what the payouts were worth when they were agreed. Values are in micro-USD, None where a
    price is missing.
    """

    source_chain: str
    symbol_in: str
    destination_chain: str
    symbol_out: str
    committed: bool
    payments: int
    agreed_micro_usd: int
    in_micro_usd: int | None
    out_micro_usd: int | None

    @property
    def gain_micro_usd(self) -> int | None:
        """The value of deposits without fees, minus that of payouts; a loss is negative."""
        if self.in_micro_usd is None or self.out_micro_usd is None:
            return None
        return self.in_micro_usd - self.out_micro_usd

    def describe(self) -> str:
        """This exposure as a sentence."""
        status = "in progress" if self.committed else "not yet funded"
        route = f"{self.symbol_in} on {self.source_chain} to {self.symbol_out} on "
        gain = self.gain_micro_usd
        result = "unknown because a price is missing" if gain is None else f"{_usd(gain)} USD"
        return (
            f"{self.payments} payments {status} from {route}{self.destination_chain}, agreed at "
            f"{_usd(self.agreed_micro_usd)} USD; deposits without fees minus payouts at current "
            f"prices: "
            f"{result}."
        )


def list_exposures(services: Services, caller: Principal) -> list[Exposure]:
    """Open payments that depend on a price, grouped by route and token, the largest loss first;
    operators only."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        open_intents = unit.intents.list_page(IntentFilter(states=_OPEN), MAX_INTENTS)
    groups: dict[tuple[str, str, str, str, bool], list[Intent]] = defaultdict(list)
    for intent in open_intents:
        # A swap succeeds at the exchange's price, or is refunded.
        if intent.swap is not None or is_same_asset(
            services.catalogue.risks, intent.asset_symbol, intent.out_symbol
        ):
            continue
        terms = intent.terms
        route = (
            terms.source_chain,
            intent.asset_symbol,
            terms.destination_chain,
            intent.out_symbol,
        )
        groups[*route, intent.state in _COMMITTED].append(intent)
    prices = _prices(services, {s for route in groups for s in (route[1], route[3])})
    exposures = [
        Exposure(
            *route,
            payments=len(intents),
            agreed_micro_usd=sum(intent.costs.amount_micro_usd for intent in intents),
            in_micro_usd=_total_in(intents, prices.get(route[1])),
            out_micro_usd=_total_out(intents, prices.get(route[3])),
        )
        for route, intents in groups.items()
    ]
    return sorted(exposures, key=lambda exposure: exposure.gain_micro_usd or 0)


def _prices(services: Services, symbols: Collection[str]) -> Mapping[str, Price]:
    try:
        return services.prices.get_usd_prices(symbols)
    except Unreachable:
        return {}


def _total_in(intents: Collection[Intent], price: Price | None) -> int | None:
    if price is None:
        return None
    return sum(
        micro_usd_down(_units_against_payout(i), i.asset_decimals, price.pico_usd) for i in intents
    )


def _units_against_payout(intent: Intent) -> int:
    """The deposit without the fees that are in it, in smallest units."""
    costs = intent.costs
    return intent.terms.deposit_amount - costs.fees_units - costs.app_fee_units


def _total_out(intents: Collection[Intent], price: Price | None) -> int | None:
    if price is None:
        return None
    return sum(micro_usd_up(i.terms.payout_amount, i.out_decimals, price.pico_usd) for i in intents)


def _usd(micro_usd: int) -> str:
    return format_units(micro_usd, MICRO_USD_DECIMALS, 2)
