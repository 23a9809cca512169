"""What price moves could cost: payments whose terms hold while the prices do not."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from crossway.domain.clients import Caller
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.money import (
    MICRO_USD_DECIMALS,
    Price,
    format_units,
    micro_usd_down,
    micro_usd_up,
)
from crossway.domain.roles import Right
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services

MOST_INTENTS = 10_000
_OPEN = (State.PENDING, State.FUNDED, State.INITIATED)
_COMMITTED = (State.FUNDED, State.INITIATED)


@dataclass(frozen=True, slots=True)
class Exposure:
    """Open payments from one token to another: what they bring and cost at the prices of now.

    `committed` are paid for and will be filled; the others may still be paid at their old terms.
    Money is micro-USD; None where a price is missing.
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
        """What these payments bring beyond what they cost, fees included; a loss is negative."""
        if self.in_micro_usd is None or self.out_micro_usd is None:
            return None
        return self.in_micro_usd - self.out_micro_usd

    def sentence(self) -> str:
        """All of it for people."""
        what = "under way" if self.committed else "asked for and not paid"
        way = f"{self.symbol_in} on {self.source_chain} to {self.symbol_out} on "
        gain = self.gain_micro_usd
        now = "unknown for want of a price" if gain is None else f"{_usd(gain)} USD"
        return (
            f"{self.payments} payments {what} from {way}{self.destination_chain}, agreed at "
            f"{_usd(self.agreed_micro_usd)} USD: what they bring less what they cost is now {now}."
        )


def exposure(services: Services, caller: Caller) -> list[Exposure]:
    """Open payments grouped by their tokens, the greatest loss first; operators only."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        found = unit.intents.page(IntentFilter(states=_OPEN), MOST_INTENTS)
    groups: dict[tuple[str, str, str, str, bool], list[Intent]] = defaultdict(list)
    for intent in found:
        terms = intent.terms
        way = (terms.source_chain, intent.asset_symbol, terms.destination_chain, intent.out_symbol)
        groups[*way, intent.state in _COMMITTED].append(intent)
    prices = _prices(services, {s for way in groups for s in (way[1], way[3])})
    exposures = [
        Exposure(
            *way,
            payments=len(intents),
            agreed_micro_usd=sum(intent.costs.total_micro_usd for intent in intents),
            in_micro_usd=_brings(intents, prices.get(way[1])),
            out_micro_usd=_costs(intents, prices.get(way[3])),
        )
        for way, intents in groups.items()
    ]
    return sorted(exposures, key=lambda one: one.gain_micro_usd or 0)


def _prices(services: Services, symbols: Collection[str]) -> Mapping[str, Price]:
    try:
        return services.prices.usd(symbols)
    except Unreachable:
        return {}


def _brings(intents: Collection[Intent], price: Price | None) -> int | None:
    if price is None:
        return None
    return sum(
        micro_usd_down(i.terms.total_units, i.asset_decimals, price.pico_usd) for i in intents
    )


def _costs(intents: Collection[Intent], price: Price | None) -> int | None:
    if price is None:
        return None
    return sum(micro_usd_up(i.terms.out_units, i.out_decimals, price.pico_usd) for i in intents)


def _usd(micro_usd: int) -> str:
    return format_units(micro_usd, MICRO_USD_DECIMALS, 2)
