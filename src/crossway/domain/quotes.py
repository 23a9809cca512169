"""Quotes: what a bridge charges for a leg, what a payer may deposit, and how offers are ranked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class BridgeName(StrEnum):
    """The four bridges (wire.md §3)."""

    ACROSS = "ACROSS"
    CCTP = "CCTP"
    GATEWAY = "GATEWAY"
    RHINOFI = "RHINOFI"


_BRIDGES = {"ACROSS": "Across", "GATEWAY": "Circle Gateway", "RHINOFI": "rhino.fi"}


def bridge_title(bridge: str) -> str:
    """A bridge's name for people."""
    return _BRIDGES.get(bridge, bridge)


@dataclass(frozen=True, slots=True)
class Leg:
    """Money to be moved from one chain to another, as a bridge is asked for a price."""

    source: str
    destination: str
    amount_micro_usd: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A bridge's price for a leg: its fee in micro-USD, the network's own costs included.

    `fill_seconds` is the usual time from deposit to fill, `settle_seconds` that until the
    relayer is repaid; `details` is `bridgeFeeDetails`, `extra_data` `bridgeExtraData` (hex).
    """

    bridge: BridgeName
    leg: Leg
    fee_micro_usd: int
    fill_seconds: int
    settle_seconds: int
    details: Mapping[str, Any]
    extra_data: str = "0x"


@dataclass(frozen=True, slots=True)
class NoOffer:
    """A bridge does not take this leg; `reason` is a sentence for people."""

    bridge: BridgeName
    leg: Leg
    reason: str
    supported: bool = True


@dataclass(frozen=True, slots=True)
class Route:
    """One pair of chains that a bridge serves, in this direction; of what it takes at once
    `least_micro_usd` and `most_micro_usd` are the bounds, None where they are not known."""

    bridge: BridgeName
    source: str
    destination: str
    bidirectional: bool
    enabled: bool = True
    least_micro_usd: int | None = None
    most_micro_usd: int | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """A whole offer for one token in and one token out; units are smallest units.

    `fee_units` is the bridge's and the service's fee; the client's own, `app_fee_units`, is apart.
    Both count the symbol in which the amount was asked, `fee_asset_units` (the first of them) and
    `deposit_units` (amount and all fees) count `token_in`. `bridge` is None within one chain.
    """

    bridge: BridgeName | None
    source: str
    destination: str
    token_in: str
    token_out: str
    recipient: str | None
    amount_symbol: str
    amount_decimals: int
    amount_units: int
    out_units: int
    service_micro_usd: int
    bridge_micro_usd: int
    app_micro_usd: int
    fee_units: int
    app_fee_units: int
    asset_symbol: str
    asset_decimals: int
    fee_asset_units: int
    deposit_units: int
    slippage: str
    fill_seconds: int
    expires_at: datetime
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PaymentOption:
    """One token with which a payer may pay from a chain; `deposit_units` holds the amount, the
    fees of bridge and service, which are `fee_units`, and the client's own."""

    symbol: str
    address: str
    decimals: int
    fee_units: int
    deposit_units: int
    slippage: str


@dataclass(frozen=True, slots=True)
class SourceOption:
    """The best way to pay from one chain; fees in units of the destination token.

    The total is the bridge's and the service's part; the client's own fee is apart from it.
    `fee_micro_usd` is all that the payer pays beyond the amount, all three.
    """

    source: str
    destination: str
    bridge: BridgeName | None
    total_fee_units: int
    service_fee_units: int
    bridge_fee_units: int
    app_fee_units: int
    fee_micro_usd: int
    fill_seconds: int
    options: tuple[PaymentOption, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A chain or a bridge that a comparison does not show, and why."""

    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Ways to pay from every chain, same-chain first, then by cost; `missing` says why not."""

    destination: str
    token_out: str
    out_symbol: str
    out_decimals: int
    amount_units: int
    options: tuple[SourceOption, ...]
    missing: tuple[LeftOut, ...]

    @property
    def cheapest(self) -> SourceOption | None:
        """The option with the lowest fees among all source chains."""
        return min(self.options, key=lambda o: (o.fee_micro_usd, o.fill_seconds), default=None)


def ranked(options: Iterable[SourceOption]) -> tuple[SourceOption, ...]:
    """Same-chain options first; the rest by cost, then by speed (service.md §5)."""
    return tuple(
        sorted(options, key=lambda o: (o.bridge is not None, o.fee_micro_usd, o.fill_seconds))
    )


def best(offers: Iterable[Offer]) -> Offer | None:
    """The cheapest offer, the faster one at equal cost."""
    return min(offers, key=lambda o: (o.fee_micro_usd, o.fill_seconds, o.bridge), default=None)
