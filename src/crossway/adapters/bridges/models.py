"""Models of four bridges for the simulated network: quotes from figures in data files alone."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crossway.adapters.bridges.base import (
    PCT_PER_HUNDREDTH,
    BridgeModel,
    BridgeRoute,
    apply_rate,
    chain_family,
    encode_words,
    list_symbols,
    load_data,
    parse_rate,
)
from crossway.adapters.chains.words import address_word
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.quotes import BridgeName, BridgeQuote, RouteRequest

CCTP_FAST = 1000
CCTP_STANDARD = 2000


class Across(BridgeModel):
    """A share of the amount plus destination gas, reimbursed in bundles. In the details, `pctFee`
    is a fraction of 10**18 and `flatFee` the destination gas in USDC units.

    `enforced`: payments are sent through our contracts on both ends, and a relayer of Across pays
    the recipient; else the operator pays from inventory at these prices.
    """

    name = BridgeName.ACROSS

    def __init__(self, catalogue: Catalogue, enforced: bool = False) -> None:
        data = load_data(self.name)
        tokens = list_symbols(catalogue, data["tokens"])
        chains = [c for c in catalogue.chains.values() if c.id in tokens]
        super().__init__(data, chains, tokens, Custody.BRIDGE if enforced else Custody.OPERATOR)
        self._rate = parse_rate(data["relayer_bps"]) + parse_rate(data["lp_bps"])
        self._fill_deadline_seconds: int = (
            data["enforced_fill_deadline_seconds"] if enforced else data["fill_deadline_seconds"]
        )
        self._fill_seconds_mainnet: int = data["fill_seconds_mainnet"]
        self._fill_seconds_testnet: int = data["fill_seconds_testnet"]
        # Where its relayer pays the recipient, the operator has nothing to get back.
        self._settle_seconds: int = 0 if enforced else data["settle_seconds"]
        self._collector = "ACROSS" if enforced else ""

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        timestamp = int(now.timestamp())
        deadline = timestamp + self._fill_deadline_seconds
        pct_fee, flat_fee = self._rate * PCT_PER_HUNDREDTH, route.arrival_cost
        fee, network_cost = apply_rate(request.amount_micro_usd, self._rate), route.network_cost
        if self._custody is Custody.BRIDGE:
            # The relayer's gas is a part of the fee that Across takes from the deposit.
            fee, network_cost = fee + flat_fee, route.start_cost
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=fee + network_cost,
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
            network_micro_usd=network_cost,
            custody=self._custody,
            collector=self._collector,
        )


class Cctp(BridgeModel):
    """Circle's CCTP v2: USDC is burned on the source and minted on the destination. In the details,
    `maxFee` is in USDC units; a finality threshold of 1000 means fast transfer, 2000 standard
    transfer, which is free.

    `enforced`: payments are sent through our contracts on both ends, and what is minted pays the
    recipient; else the operator pays from inventory at these prices.
    """

    name = BridgeName.CCTP

    def __init__(self, catalogue: Catalogue, enforced: bool = False) -> None:
        data = load_data(self.name)
        sources = {name: _AttestationTerms.of(row) for name, row in data["source"].items()}
        chains = [
            chain
            for chain in catalogue.chains.values()
            if chain.cctp_domain is not None and chain_family(chain.id) in sources
        ]
        tokens = list_symbols(catalogue, {chain.id: ("USDC",) for chain in chains})
        super().__init__(data, chains, tokens, Custody.BRIDGE if enforced else Custody.OPERATOR)
        self._margin_percent: int = data["fee_margin_percent"] if enforced else 0
        self._attestation_terms = {chain.id: sources[chain_family(chain.id)] for chain in chains}
        # The domain, and the address of USDC as a number.
        self._mint_targets = {}
        for chain in chains:
            usdc_word = address_word(chain.kind, catalogue.tokens[chain.id, "USDC"].address)
            self._mint_targets[chain.id] = chain.cctp_domain or 0, int.from_bytes(usdc_word, "big")

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        terms, enforced = self._attestation_terms[request.source], self._custody is Custody.BRIDGE
        rate = terms.rate * (100 + self._margin_percent) // 100
        max_fee = apply_rate(request.amount_micro_usd, rate)
        domain, token = self._mint_targets[request.destination]
        network_cost = route.start_cost + route.arrival_cost if enforced else route.network_cost
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=max_fee + network_cost,
            fill_seconds=terms.seconds,
            settle_seconds=terms.seconds,
            details={"maxFee": str(max_fee), "minFinalityThreshold": terms.threshold},
            extra_data=encode_words(max_fee, terms.threshold, domain, token),
            network_micro_usd=network_cost,
            custody=self._custody,
            collector=terms.collector if enforced else "",
        )


@dataclass(frozen=True, slots=True)
class _AttestationTerms:
    """How Circle attests burns on a source chain: fast transfer where available, else standard."""

    threshold: int
    rate: int
    seconds: int

    @property
    def collector(self) -> str:
        """The instance of our contract that asks for this finality."""
        return "CCTP_FAST" if self.threshold == CCTP_FAST else "CCTP_STANDARD"

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
        tokens = list_symbols(catalogue, {chain.id: ("USDC",) for chain in chains})
        super().__init__(data, chains, tokens)
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
    source chain. Dollar stablecoins are exchanged for each other on the way at the same price."""

    name = BridgeName.RHINOFI

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        self._vaults: dict[str, int] = data["vaults"]
        tokens = list_symbols(catalogue, data["tokens"])
        chains = [c for c in catalogue.chains.values() if c.id in tokens]
        super().__init__(data, chains, tokens, exchanges=data["exchanges"])
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
