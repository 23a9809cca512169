"""Records of quotes and of bridges with their routes."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from crossway_client.records.base import CamelCaseRecord
from crossway_client.records.intents import Swap


class QuotedRoute(CamelCaseRecord):
    """The quoted route; `bridge` is None within one chain."""

    token_in: str
    token_out: str
    source_chain: str
    destination_chain: str
    amount: int
    bridge: str | None
    recipient: str | None


class Quote(CamelCaseRecord):
    """A quote of one bridge; amounts in smallest units. `custody` is `BRIDGE` where contracts alone
    decide where the money goes, `OPERATOR` where the payer trusts the operator until the payout,
    usually for `trusted_seconds`. `estimated`: a model's figures, at which no payment is created.
    """

    bridge_fee_details: dict[str, Any]
    total_fee: int
    total_fee_formatted: Decimal
    app_fee: int = 0
    route: QuotedRoute
    asset_token: str
    fee_in_asset_token: int
    fee_in_asset_token_formatted: Decimal
    deposit_amount: int
    deposit_amount_formatted: Decimal
    estimated_fill_seconds: int
    custody: str
    trusted_seconds: int = 0
    swap: Swap | None = None
    slippage: Decimal = Decimal(0)
    estimated: bool = False
    expires_at: datetime


class OptimalRoute(Quote):
    """The best quote of a route, with what its bridge needs; `bridge_to_use` is None within one
    chain."""

    source_chain: str
    destination_chain: str
    token_in: str
    token_out: str
    original_amount: int
    total_fees: int
    bridge_to_use: str | None
    bridge_address: str | None
    bridge_extra_data: str
    supported_bridges: tuple[str, ...]


class PaymentOption(CamelCaseRecord):
    """A token that can be paid with on a chain."""

    token: str
    token_address: str
    deposit_amount: int
    deposit_amount_formatted: Decimal
    slippage: Decimal
    fee: int
    fee_formatted: Decimal


class SourceOption(CamelCaseRecord):
    """The tokens of one chain that one bridge carries best; `custody` and `estimated` as in
    `Quote`."""

    source_chain: str
    destination_chain: str
    total_fee: int
    total_fee_formatted: Decimal
    app_fee: int = 0
    service_fee: int
    bridge_fee: int
    bridge: str | None
    estimated_fill_seconds: int
    custody: str
    trusted_seconds: int = 0
    estimated: bool = False
    payment_options: tuple[PaymentOption, ...]


class MultiSourceQuote(CamelCaseRecord):
    """Payment options from every chain to one destination."""

    destination_chain: str
    quotes: tuple[SourceOption, ...]
    cheapest_option: SourceOption | None


class BridgeRoute(CamelCaseRecord):
    """One route of a bridge; `supported` is whether it can be used now."""

    source_chain: str
    destination_chain: str
    supported: bool
    bidirectional: bool


class BridgesMetadata(CamelCaseRecord):
    """Totals of the bridges and their routes."""

    total_bridges: int
    total_routes: int
    last_updated: datetime


class Bridges(CamelCaseRecord):
    """Every bridge with its routes, by the bridge's name."""

    bridges: dict[str, tuple[BridgeRoute, ...]]
    metadata: BridgesMetadata


class RouteInfo(CamelCaseRecord):
    """A pair of chains and how many bridges serve it."""

    source_chain: str
    destination_chain: str
    bridge_count: int
    is_supported: bool


class BridgesOfRoute(CamelCaseRecord):
    """The bridges that serve a pair of chains now."""

    supported_bridges: tuple[str, ...]
    route_info: RouteInfo


class BridgeInfo(CamelCaseRecord):
    """A bridge and how many routes it has."""

    bridge: str
    route_count: int


class RoutesOfBridge(CamelCaseRecord):
    """The routes of one bridge."""

    supported_routes: tuple[BridgeRoute, ...]
    bridge_info: BridgeInfo
