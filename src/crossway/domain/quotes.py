"""Bridge quotes, payment options and their ranking."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from math import ceil
from typing import Any, Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Chain
from crossway.domain.costs import Costs
from crossway.domain.network_costs import PayoutPath
from crossway.domain.swaps import Swap, SwapQuote

CCTP_MAX_FEE_DIVISOR: Final = 500


class BridgeName(StrEnum):
    """The supported bridges; INVENTORY is none, but a payment out of the operator's inventory."""

    ACROSS = "ACROSS"
    CCTP = "CCTP"
    GATEWAY = "GATEWAY"
    RHINOFI = "RHINOFI"
    INVENTORY = "INVENTORY"


_BRIDGES = {
    "ACROSS": "Across",
    "GATEWAY": "Circle Gateway",
    "RHINOFI": "rhino.fi",
    "INVENTORY": "Inventory",
}


def bridge_title(bridge: str) -> str:
    """A bridge's display name."""
    return _BRIDGES.get(bridge, bridge)


@dataclass(frozen=True, slots=True)
class RouteRequest:
    """An amount to move between two chains, for which a bridge is asked for a quote; `symbol_in` is
    deposited, and `symbol_out` paid out."""

    source: str
    destination: str
    amount_micro_usd: int
    symbol_in: str = "USDC"
    symbol_out: str = "USDC"


@dataclass(frozen=True, slots=True)
class BridgeQuote:
    """A bridge's quote for a route; `fee_micro_usd` includes `network_micro_usd`, a model's
    constant for the network costs, which the service's own figure replaces.

    `fill_seconds` is the usual time from deposit to payout, `settle_seconds` until the relayer is
    reimbursed; `details` is `bridgeFeeDetails`, `extra_data` `bridgeExtraData` (hex). `custody`
    BRIDGE: `collector` is the name of the bridge's contract that collects the deposit. `swap`: the
    start exchanges the deposited token first, which is `swap_micro_usd` of the fee.
    """

    bridge: BridgeName
    request: RouteRequest
    fee_micro_usd: int
    fill_seconds: int
    settle_seconds: int
    details: Mapping[str, Any]
    extra_data: str = "0x"
    network_micro_usd: int = 0
    custody: Custody = Custody.OPERATOR
    collector: str = ""
    swap: SwapQuote | None = None
    swap_micro_usd: int = 0

    @property
    def path(self) -> PayoutPath:
        """Who pays the recipient, which decides the network costs."""
        if self.custody is Custody.OPERATOR:
            return PayoutPath.INVENTORY
        if self.bridge is BridgeName.ACROSS:
            return PayoutPath.BRIDGE_RELAYER
        return PayoutPath.CLAIM if self.swap is None else PayoutPath.SWAPPED_CLAIM

    def with_network_fee(self, micro_usd: int) -> "BridgeQuote":
        """The quote with these network costs instead of the model's."""
        fee = self.fee_with_network(micro_usd)
        return replace(self, fee_micro_usd=fee, network_micro_usd=micro_usd)

    def fee_with_network(self, micro_usd: int) -> int:
        """The fee with these network costs instead of the model's."""
        return self.fee_micro_usd - self.network_micro_usd + micro_usd

    def rank(self) -> tuple[int, int, str]:
        """The sort key by which the cheapest quote comes first, the faster one at equal cost."""
        return self.fee_micro_usd, self.fill_seconds, self.bridge


@dataclass(frozen=True, slots=True)
class QuoteRejected:
    """A bridge does not quote a route; `reason` is a sentence for the user, `param` the parameter
    that another value would help, empty where none would."""

    bridge: BridgeName
    request: RouteRequest
    reason: str
    supported: bool = True
    param: str = "amount"


@dataclass(frozen=True, slots=True)
class BridgeUnavailable(QuoteRejected):
    """The bridge's service does not say what it charges on a route that the bridge serves: it gave
    no answer or none that can be used, or it is left alone for a while."""

    param: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """A pair of chains that a bridge serves in this direction.

    A transfer must be between `min_micro_usd` and `max_micro_usd`; None means unknown. `symbols`
    are carried, each as itself; None: any token into any other. `exchanged` are the pairs of other
    symbols, paid in and paid out, that the bridge exchanges on the way. `swaps`: other tokens are
    swapped for one of these on the source chain, where an exchange sells them.
    """

    bridge: BridgeName
    source: str
    destination: str
    bidirectional: bool
    enabled: bool = True
    min_micro_usd: int | None = None
    max_micro_usd: int | None = None
    symbols: frozenset[str] | None = None
    custody: Custody = Custody.OPERATOR
    swaps: bool = False
    exchanged: frozenset[tuple[str, str]] = frozenset()

    def carries(self, symbol_in: str, symbol_out: str) -> bool:
        """Whether a token of `symbol_in` is paid in and one of `symbol_out` paid out."""
        if self.symbols is None:
            return True
        if symbol_in == symbol_out:
            return symbol_in in self.symbols
        return (symbol_in, symbol_out) in self.exchanged


@dataclass(frozen=True, slots=True)
class Quote:
    """A complete quote from one token to another; amounts are in smallest units.

    `fee_units` is the fee of bridge and service, `app_fee_units` the client's; both count the
    symbol of the requested amount. `deposit_amount` (amount and all fees) counts `token_in`, and
    `costs` gives its parts. `bridge` is None within one chain; the times, `details`,
    `extra_data`, `custody` and `collector` are as in `BridgeQuote`. `trusted_seconds` is how long a
    payer usually trusts the operator, from start to payout; 0 where contracts alone decide. `swap`
    is what the start exchanges the deposit for, and `slippage` by how many percent more than
    expected that may cost before it fails.
    `estimate_reason` as in `SourceOption`: an estimate is never the terms of a payment.
    """

    bridge: BridgeName | None
    source: str
    destination: str
    token_in: str
    token_out: str
    recipient: str | None
    amount_symbol: str
    amount_decimals: int
    amount: int
    payout_amount: int
    costs: Costs
    fee_units: int
    app_fee_units: int
    asset_symbol: str
    asset_decimals: int
    deposit_amount: int
    slippage: str
    fill_seconds: int
    settle_seconds: int
    expires_at: datetime
    details: Mapping[str, Any]
    extra_data: str
    custody: Custody = Custody.OPERATOR
    collector: str = ""
    trusted_seconds: int = 0
    swap: Swap | None = None
    estimate_reason: str = ""


@dataclass(frozen=True, slots=True)
class PaymentOption:
    """One token to pay with from a chain.

    `deposit_amount` includes the amount, the fee of bridge and service (`fee_units`) and the
    client's fee.
    """

    symbol: str
    address: str
    decimals: int
    fee_units: int
    deposit_amount: int
    slippage: str


@dataclass(frozen=True, slots=True)
class SourceOption:
    """The best way to pay from one chain with the tokens in `options`; fees are in units of the
    destination token.

    `total_fee_units` is the fee of bridge and service without the client's. `fee_micro_usd` is
    everything the payer pays beyond the amount, the client's fee included. `custody` and
    `trusted_seconds` are as in `Quote`. `estimate_reason`: the figures are those of a
    `BridgeEstimate`, with its reason; empty for a quote.
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
    custody: Custody = Custody.OPERATOR
    trusted_seconds: int = 0
    estimate_reason: str = ""


@dataclass(frozen=True, slots=True)
class ExcludedSource:
    """A chain or bridge that a comparison omits, and why."""

    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Payment options from every chain, ranked; `excluded` explains the omitted ones."""

    destination: str
    token_out: str
    out_symbol: str
    out_decimals: int
    amount: int
    options: tuple[SourceOption, ...]
    excluded: tuple[ExcludedSource, ...]

    @property
    def cheapest(self) -> SourceOption | None:
        """The option with the lowest fees, the faster one at equal cost, estimates aside; None
        where there is no other."""
        quoted = (option for option in self.options if not option.estimate_reason)
        return min(quoted, key=lambda o: (o.fee_micro_usd, o.fill_seconds), default=None)


def rank_options(options: Iterable[SourceOption]) -> tuple[SourceOption, ...]:
    """Rank options: same-chain first, then quotes and then estimates, each by cost and speed."""

    def rank(option: SourceOption) -> tuple[bool, bool, int, int]:
        is_bridged, is_estimate = option.bridge is not None, bool(option.estimate_reason)
        return is_bridged, is_estimate, option.fee_micro_usd, option.fill_seconds

    return tuple(sorted(options, key=rank))


def usual_times(
    source: Chain, destination: Chain, micro_usd: int, quote: BridgeQuote | None
) -> tuple[int, int]:
    """How long a payment usually takes from deposit to payout, and how much of it the payer trusts
    the operator; in seconds."""
    if quote is not None and quote.custody is Custody.BRIDGE:
        # Sent as soon as the deposit is seen: if its block goes away, so does what was sent.
        blocks = 2 * source.block_time_seconds + destination.block_time_seconds
        return ceil(blocks) + quote.fill_seconds, 0
    if quote is not None:
        return source.confirmation_seconds(micro_usd) + quote.fill_seconds, quote.fill_seconds
    return source.confirmation_seconds(micro_usd), ceil(2 * source.block_time_seconds)


def cctp_max_fee(total: int, amount: int) -> int:
    """The fee that our CctpBridge contract offers to Circle of a deposit of `total`: at most what
    is above the recipient's amount, and never more than a 500th."""
    return min(total - amount, total // CCTP_MAX_FEE_DIVISOR)
