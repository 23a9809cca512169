"""Models of four bridges: quotes computed from figures in data files, without network calls."""

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any

from crossway.adapters.chains.words import address_word
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.money import MICRO_USD_DECIMALS, format_units, parse_decimal
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, Route, RouteRequest

# Data files give rates in basis points with up to two decimals: 1.3 is 130 hundredths.
RATE_PLACES = 2
HUNDREDTHS_IN_WHOLE = 1_000_000
PCT_PER_HUNDREDTH = 10**18 // HUNDREDTHS_IN_WHOLE
CCTP_FAST = 1000
CCTP_STANDARD = 2000


def load_data(name: BridgeName) -> Mapping[str, Any]:
    """The data file of a bridge; every value in it cites its source."""
    data_file = files("crossway.adapters.bridges").joinpath(f"{name.lower()}.toml")
    return tomllib.loads(data_file.read_text(encoding="utf-8"))


def parse_rate(rate_bps: str) -> int:
    """Parse a rate in basis points, such as `1.3`, into hundredths of a basis point."""
    return parse_decimal("rate", rate_bps, RATE_PLACES)


def apply_rate(amount: int, rate_hundredths: int) -> int:
    """The fee that a rate takes of an amount, rounded up."""
    return -(-amount * rate_hundredths // HUNDREDTHS_IN_WHOLE)


def chain_family(chain_id: str) -> str:
    """`BASE` for `BASE_MAINNET` and `BASE_TESTNET`; fees are the same for both."""
    return chain_id.rsplit("_", 1)[0]


def encode_words(*numbers: int) -> str:
    """ABI-encode numbers as the consecutive 32-byte words that bridge contracts read, in hex."""
    return "0x" + b"".join([number.to_bytes(32, "big") for number in numbers]).hex()


@dataclass(frozen=True, slots=True)
class BridgeRoute:
    """A served pair of chains with the network costs in micro-USD.

    `arrival_cost` is the cost on the destination of the bridge's own payout: a mint, or another
    relayer's gas. `network_cost` adds to it the relayer's start on the source and its fill.
    """

    source: Chain
    destination: Chain
    arrival_cost: int
    network_cost: int


class BridgeModel(ABC):
    """A bridge that quotes every route between its chains, within the limits of its data file.

    `name` and `runs_in_process` as in `ports.bridges.Bridge`; a model implements `_quote`.
    """

    name: BridgeName
    runs_in_process = True

    def __init__(self, data: Mapping[str, Any], chains: Collection[Chain]) -> None:
        self._minimum = parse_decimal("minimum_usd", data["minimum_usd"], MICRO_USD_DECIMALS)
        self._maximum = parse_decimal("maximum_usd", data["maximum_usd"], MICRO_USD_DECIMALS)
        self._served = {
            (source.id, destination.id): _bridge_route(source, destination)
            for source in chains
            for destination in chains
            if source.id != destination.id and source.testnet == destination.testnet
        }
        self._routes = tuple(
            Route(
                self.name,
                source,
                destination,
                bidirectional=(destination, source) in self._served,
                min_micro_usd=self._minimum,
                max_micro_usd=self._maximum,
            )
            for source, destination in self._served
        )

    def routes(self) -> Sequence[Route]:
        """The routes that the bridge serves."""
        return self._routes

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """A quote or a rejection for each request, in order."""
        outcomes: list[BridgeQuote | QuoteRejected] = []
        for request in requests:
            route = self._served.get((request.source, request.destination))
            if route is None:
                reason = f"{self.name} does not support {request.source} -> {request.destination}"
                outcomes.append(QuoteRejected(self.name, request, reason, supported=False))
            elif request.amount_micro_usd < self._minimum:
                reason = f"{self.name} takes at least {_usd(self._minimum)} USD"
                outcomes.append(QuoteRejected(self.name, request, reason))
            elif request.amount_micro_usd > self._maximum:
                reason = f"{self.name} takes at most {_usd(self._maximum)} USD"
                outcomes.append(QuoteRejected(self.name, request, reason))
            else:
                outcomes.append(self._quote(request, route, now))
        return outcomes

    @abstractmethod
    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        """The quote of a served route for an amount within the limits."""


def _bridge_route(source: Chain, destination: Chain) -> BridgeRoute:
    arrival_cost = destination.transfer_cost_micro_usd
    fill_cost = destination.transfer_cost_micro_usd
    network_cost = source.transfer_cost_micro_usd + fill_cost + arrival_cost
    return BridgeRoute(source, destination, arrival_cost, network_cost)


def _usd(micro_usd: int) -> str:
    return format_units(micro_usd, MICRO_USD_DECIMALS, least_places=2)


class Across(BridgeModel):
    """A share of the amount plus destination gas, reimbursed in bundles. In the details, `pctFee`
    is a fraction of 10**18 and `flatFee` the destination gas in USDC units."""

    name = BridgeName.ACROSS

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        served = (*data["mainnets"], *data["testnets"])
        super().__init__(data, [c for c in catalogue.chains.values() if c.id in served])
        self._rate = parse_rate(data["relayer_bps"]) + parse_rate(data["lp_bps"])
        self._fill_deadline_seconds: int = data["fill_deadline_seconds"]
        self._fill_seconds_mainnet: int = data["fill_seconds_mainnet"]
        self._fill_seconds_testnet: int = data["fill_seconds_testnet"]
        self._settle_seconds: int = data["settle_seconds"]

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        timestamp = int(now.timestamp())
        deadline = timestamp + self._fill_deadline_seconds
        pct_fee, flat_fee = self._rate * PCT_PER_HUNDREDTH, route.arrival_cost
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=apply_rate(request.amount_micro_usd, self._rate) + route.network_cost,
            fill_seconds=self._fill_seconds_testnet
            if route.source.testnet
            else self._fill_seconds_mainnet,
            settle_seconds=self._settle_seconds,
            details={
                "timestamp": timestamp,
                "fillDeadline": deadline,
                "pctFee": pct_fee,
                "flatFee": str(flat_fee),
            },
            extra_data=encode_words(timestamp, deadline, pct_fee, flat_fee),
            network_micro_usd=route.network_cost,
        )


class Cctp(BridgeModel):
    """Circle's CCTP v2: USDC is burned on the source and minted on the destination. In the details,
    `maxFee` is in USDC units; a finality threshold of 1000 means fast transfer, 2000 standard
    transfer, which is free."""

    name = BridgeName.CCTP

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        sources = {name: _AttestationTerms.of(row) for name, row in data["source"].items()}
        chains = [
            chain
            for chain in catalogue.chains.values()
            if chain.cctp_domain is not None
            and (chain.id, "USDC") in catalogue.tokens
            and chain_family(chain.id) in sources
        ]
        super().__init__(data, chains)
        self._attestation_terms = {chain.id: sources[chain_family(chain.id)] for chain in chains}
        # The domain, and the address of USDC as a number.
        self._mint_targets = {}
        for chain in chains:
            usdc_word = address_word(chain.kind, catalogue.tokens[chain.id, "USDC"].address)
            self._mint_targets[chain.id] = chain.cctp_domain or 0, int.from_bytes(usdc_word, "big")

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        terms = self._attestation_terms[request.source]
        max_fee = apply_rate(request.amount_micro_usd, terms.rate)
        domain, token = self._mint_targets[request.destination]
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=max_fee + route.network_cost,
            fill_seconds=terms.seconds,
            settle_seconds=terms.seconds,
            details={"maxFee": str(max_fee), "minFinalityThreshold": terms.threshold},
            extra_data=encode_words(max_fee, terms.threshold, domain, token),
            network_micro_usd=route.network_cost,
        )


@dataclass(frozen=True, slots=True)
class _AttestationTerms:
    """How Circle attests burns on a source chain: fast transfer where available, else standard."""

    threshold: int
    rate: int
    seconds: int

    @staticmethod
    def of(row: dict[str, Any]) -> "_AttestationTerms":
        if "fast_bps" in row:
            return _AttestationTerms(CCTP_FAST, parse_rate(row["fast_bps"]), row["fast_seconds"])
        return _AttestationTerms(CCTP_STANDARD, 0, row["standard_seconds"])


class Gateway(BridgeModel):
    """Circle Gateway: a unified balance on one chain is minted instantly on another. In the
    details, `pctFee` is a fraction of 10**18 and `gasFee` is Circle's charge for the burn in USDC
    units."""

    name = BridgeName.GATEWAY

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        sources = data["source"]
        chains = [c for c in catalogue.chains.values() if chain_family(c.id) in sources]
        super().__init__(data, chains)
        self._rate = parse_rate(data["transfer_bps"])
        self._fill_seconds: int = data["fill_seconds"]
        self._gas_fees: dict[str, int] = {}
        self._settle_seconds: dict[str, int] = {}
        for chain in chains:
            row = sources[chain_family(chain.id)]
            self._gas_fees[chain.id] = parse_decimal("gas_usd", row["gas_usd"], MICRO_USD_DECIMALS)
            self._settle_seconds[chain.id] = row["settle_seconds"]

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        pct_fee, gas_fee = self._rate * PCT_PER_HUNDREDTH, self._gas_fees[request.source]
        bridge_fee = apply_rate(request.amount_micro_usd, self._rate) + gas_fee
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=bridge_fee + route.network_cost,
            fill_seconds=self._fill_seconds,
            settle_seconds=self._settle_seconds[request.source],
            details={"pctFee": pct_fee, "gasFee": str(gas_fee)},
            extra_data=encode_words(pct_fee, gas_fee),
            network_micro_usd=route.network_cost,
        )


class Rhinofi(BridgeModel):
    """rhino.fi: an agreed share of the amount plus destination gas at cost. In the details,
    `pctFee` is a fraction of 10**18, `gasFee` is in USDC units, and `vaultId` is the vault on the
    source chain."""

    name = BridgeName.RHINOFI

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        self._vaults: dict[str, int] = data["vaults"]
        super().__init__(data, [c for c in catalogue.chains.values() if c.id in self._vaults])
        self._rate = parse_rate(data["platform_bps"])
        self._fill_seconds: int = data["fill_seconds"]
        self._settle_seconds: int = data["settle_seconds"]

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        pct_fee, vault = self._rate * PCT_PER_HUNDREDTH, self._vaults[request.source]
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=apply_rate(request.amount_micro_usd, self._rate) + route.network_cost,
            fill_seconds=self._fill_seconds,
            settle_seconds=self._settle_seconds,
            details={"pctFee": pct_fee, "gasFee": str(route.arrival_cost), "vaultId": vault},
            extra_data=encode_words(pct_fee, route.arrival_cost, vault),
            network_micro_usd=route.network_cost,
        )
