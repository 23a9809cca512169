"""The figures of one payment, which its groups add up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from crossway.domain.analytics import COUNTED, Dimension, FailureCause, route_value
from crossway.domain.intent import State
from crossway.domain.money import PICO_USD_DECIMALS, micro_usd_down

_USDC: Final = "USDC"


def value_of_fee(
    units: int, symbol: str, decimals: int, deposit_amount: int, total_micro_usd: int
) -> int:
    """A booked fee in micro-USD at the payment's agreed price, rounded down, as the books value it;
    USDC is always one dollar."""
    if symbol == _USDC:
        return micro_usd_down(units, decimals, 10**PICO_USD_DECIMALS)
    return units * total_micro_usd // deposit_amount if deposit_amount else 0


@dataclass(frozen=True, slots=True)
class PaymentFigures:
    """What one payment adds to the sums. `created_at` is in microseconds, `hour` counted from 1970.
    `deposit_units` is the deposit if the payment completed, in units of 10**-`decimals`;
    `network_fees` are in smallest units of the native token of each chain."""

    intent_id: int
    created_at: int
    hour: int
    mode: str
    client_id: str
    source_chain: str
    destination_chain: str
    bridge: str
    symbol: str
    decimals: int
    state: State
    cause: FailureCause | None
    bucket: int | None
    deposited: bool
    started: bool
    underpaid: bool
    requested_micro_usd: int
    service_fee_micro_usd: int
    bridge_fee_micro_usd: int
    deposit_units: int
    network_fees: Mapping[str, int] = field(default_factory=dict)

    @property
    def route(self) -> str:
        """Its group of dimension ROUTE."""
        return route_value(self.source_chain, self.destination_chain)

    def groups(self) -> list[tuple[Dimension, str]]:
        """The group of each dimension that it belongs to."""
        groups = [
            (Dimension.ALL, ""),
            (Dimension.MERCHANT, self.client_id),
            (Dimension.ROUTE, self.route),
            (Dimension.BRIDGE, self.bridge),
            (Dimension.TOKEN, self.symbol),
            (Dimension.STATUS, self.state.value),
        ]
        return groups if self.cause is None else [*groups, (Dimension.CAUSE, self.cause.value)]

    def counts(self) -> tuple[int, ...]:
        """What it adds to each field of `COUNTED`."""
        return count_alike(
            *(self.state, self.deposited, self.started, self.underpaid, 1),
            *(self.requested_micro_usd, self.service_fee_micro_usd, self.bridge_fee_micro_usd),
        )


def count_alike(
    state: State,
    deposited: int,
    started: int,
    underpaid: int,
    payments: int,
    requested_micro_usd: int,
    service_fee_micro_usd: int,
    bridge_fee_micro_usd: int,
) -> tuple[int, ...]:
    """The values of `COUNTED` for a number of payments in the same state, all of them or none
    `deposited`, `started` and `underpaid`; amounts are their sums."""
    return (
        *(payments * n for n in _STATE_COUNTS[state]),
        *(payments * deposited, payments * started, payments * underpaid, requested_micro_usd),
        requested_micro_usd if state is State.COMPLETED else 0,
        service_fee_micro_usd,
        bridge_fee_micro_usd,
    )


_STATE_COUNTS: Final = {
    state: tuple(int(name == state.value.lower()) for name in COUNTED[: len(State)])
    for state in State
}
