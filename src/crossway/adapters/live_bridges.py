"""The bridges of a live environment: their quotes, their services and their contracts."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from crossway.adapters.bridges.across.api import AcrossApi, AcrossApis
from crossway.adapters.bridges.across.client import AcrossClient
from crossway.adapters.bridges.across.inventory import AcrossInventory
from crossway.adapters.bridges.across.networks import api_url
from crossway.adapters.bridges.across.pool_end import PoolEnd
from crossway.adapters.bridges.across.quotes import AcrossQuotes
from crossway.adapters.bridges.cctp.client import CctpClient
from crossway.adapters.bridges.cctp.iris import Iris
from crossway.adapters.bridges.cctp.networks import AttestationServices, cctp_contracts
from crossway.adapters.bridges.cctp.quotes import CctpQuotes
from crossway.adapters.bridges.gateway.api import GatewayApi
from crossway.adapters.bridges.gateway.client import GatewayTransfers
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.bridges.gateway.networks import (
    GatewayApis,
    gateway_contracts,
    has_gateway,
)
from crossway.adapters.bridges.gateway.quotes import GatewayQuotes
from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.live_models import live_models
from crossway.adapters.bridges.rhinofi.api import RhinofiApi
from crossway.adapters.bridges.rhinofi.client import RhinofiInventory
from crossway.adapters.bridges.rhinofi.networks import bridge_contracts, rhinofi_terms
from crossway.adapters.bridges.rhinofi.quotes import RhinofiQuotes
from crossway.adapters.bridges.rhinofi.transfer_quotes import TransferQuotes
from crossway.adapters.bridges.service_limits import load_limits
from crossway.adapters.bridges.swapping import SwappingBridge
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import chain_deployment, default_deployment
from crossway.adapters.chains.rpc.bridge_profile import (
    AcrossProfile,
    CctpProfile,
    GatewayProfile,
    read_key,
)
from crossway.adapters.chains.rpc.profile import Profile
from crossway.adapters.chains.rpc.protocols import HasBridgeEnd, HasSwapQuoter
from crossway.adapters.exchanges.uniswap import UniswapExchange
from crossway.adapters.live_environment import LiveEnvironment
from crossway.domain.catalogue import Chain
from crossway.domain.quotes import BridgeName
from crossway.ports.bridge import Bridge, BridgeClient, BridgeEnd
from crossway.ports.exchange import Exchange
from crossway.ports.inventory_bridge import InventoryBridge
from crossway.ports.prices import Prices

# Questions at a time: those of quotes never wait behind those about transfers.
THREADS: Final = 4
QUOTE_THREADS: Final = 16
"""Across and rhino.fi are asked for each amount and pair of chains anew, and pools on each chain: a
comparison asks ten questions."""
SWAPPING: Final = {"CCTP_FAST": "CCTP_SWAP_FAST", "CCTP_STANDARD": "CCTP_SWAP_STANDARD"}
"""The contracts that swap the deposit before they send it, by those that do not."""


@dataclass(frozen=True, slots=True)
class LiveBridges:
    """The bridges as `ports.services.Services` has them. `clients` and `ends` are there whatever
    the profile allows to be quoted: payments that are on their way are followed to their end. So
    are `inventory_bridges`, by which the operator's inventory moves, where the profile has what
    they need. `models` are those of the bridges whose services may not answer. The `exchange` sells
    what CCTP does not carry."""

    bridges: Sequence[Bridge]
    models: Mapping[str, Bridge]
    clients: Mapping[str, BridgeClient]
    ends: Mapping[str, BridgeEnd]
    exchange: Exchange
    inventory_bridges: Mapping[str, InventoryBridge]


def open_bridges(live: LiveEnvironment, prices: Prices) -> LiveBridges:
    """The bridges of a live environment; asks no service yet. Raises `ValueError` where the key
    that its profile names is not set."""
    catalogue = live.catalogue
    contracts = {name: _bridge_contracts(catalogue.chains[name]) for name in live.chains}
    ends = {
        name: chain.bridge_end
        for name, chain in live.chains.items()
        if isinstance(chain, HasBridgeEnd) and contracts[name]
    }
    exchange = _open_exchange(live, contracts, prices)
    apis = _open_across_apis(live.profile.across)
    opened = (
        _open_cctp(live, contracts, ends, exchange),
        _open_across(live, contracts, ends, prices, apis),
    )
    funding: list[tuple[Bridge, InventoryBridge]] = [
        open_gateway(live),
        *_open_rhinofi(live, prices),
    ]
    bridges: list[Bridge] = [*(quotes for quotes, _ in (*opened, *funding)), Inventory(catalogue)]
    allowed = [bridge for bridge in bridges if bridge.name in live.profile.bridges]
    return LiveBridges(
        allowed,
        live_models(catalogue, allowed),
        {client.name: client for _, client in opened},
        ends,
        exchange,
        {
            **{bridge.name: bridge for _, bridge in funding},
            BridgeName.ACROSS: _open_across_inventory(live, prices, apis),
        },
    )


Contracts = Mapping[str, Mapping[str, str]]


def _open_exchange(live: LiveEnvironment, contracts: Contracts, prices: Prices) -> Exchange:
    """The exchange on those chains where a contract of ours swaps."""
    quoters = {
        name: chain.swap_quoter
        for name, chain in live.chains.items()
        if isinstance(chain, HasSwapQuoter) and SWAPPING["CCTP_FAST"] in contracts[name]
    }
    return UniswapExchange(live.catalogue, quoters, prices, _threads("swap-quotes", QUOTE_THREADS))


def _open_cctp(
    live: LiveEnvironment,
    contracts: Contracts,
    ends: Mapping[str, BridgeEnd],
    exchange: Exchange,
) -> tuple[Bridge, BridgeClient]:
    services = open_attestation_services(live.profile.cctp)
    with_cctp = [name for name in ends if "CCTP_FAST" in contracts[name]]
    fast_names = ("CCTP_FAST", SWAPPING["CCTP_FAST"])
    fast = {contracts[name][contract] for name in with_cctp for contract in fast_names}
    quotes = CctpQuotes(
        live.catalogue,
        with_cctp,
        services,
        _threads("cctp-quotes"),
        cache_seconds=live.profile.cctp.cache_seconds,
    )
    client = CctpClient(live.catalogue, services, ends, fast, _threads("cctp-transfers"))
    return SwappingBridge(quotes, exchange, SWAPPING), client


def _open_across(
    live: LiveEnvironment,
    contracts: Contracts,
    ends: Mapping[str, BridgeEnd],
    prices: Prices,
    apis: AcrossApis,
) -> tuple[Bridge, BridgeClient]:
    bridger = default_deployment().bridges[BridgeName.ACROSS]
    with_across = [name for name in ends if BridgeName.ACROSS in contracts[name]]
    threads = _threads("across-quotes", QUOTE_THREADS)
    quotes = AcrossQuotes(live.catalogue, with_across, bridger, apis, prices, threads)
    client = AcrossClient(live.catalogue, live.chains, ends, apis, _threads("across-transfers"))
    return quotes, client


def _open_across_inventory(
    live: LiveEnvironment, prices: Prices, apis: AcrossApis
) -> InventoryBridge:
    threads = _threads("across-inventory")
    return AcrossInventory(live.catalogue, across_ends(live), apis, prices, threads)


def across_ends(live: LiveEnvironment) -> dict[str, PoolEnd]:
    """Across' pool on each chain of an environment that has one. Inventory needs no contract of
    ours."""
    facts = live.catalogue.chains
    return {
        name: PoolEnd(chain, facts[name])
        for name, chain in live.chains.items()
        if isinstance(chain, EvmChain) and facts[name].across_pool
    }


def open_gateway(live: LiveEnvironment) -> tuple[GatewayQuotes, GatewayTransfers]:
    """Circle Gateway's quotes, and what moves inventory by it."""
    profile, ends = live.profile.gateway, gateway_ends(live)
    apis = open_gateway_apis(profile)
    threads = _threads("gateway-quotes")
    quotes = GatewayQuotes(live.catalogue, ends, apis, threads, cache_seconds=profile.cache_seconds)
    return quotes, GatewayTransfers(ends, apis)


def gateway_ends(live: LiveEnvironment) -> dict[str, GatewayEnd]:
    """Circle Gateway's contracts on each chain of an environment that has them."""
    return {
        name: GatewayEnd(chain, live.profile.gateway.depositor)
        for name, chain in live.chains.items()
        if isinstance(chain, EvmChain) and has_gateway(live.catalogue.chains[name])
    }


def open_gateway_apis(profile: GatewayProfile) -> GatewayApis:
    """The clients of Circle Gateway's APIs."""
    limits = load_limits(BridgeName.GATEWAY, profile.limits())
    main, test = (
        GatewayApi(url or gateway_contracts(testnet).api, limits)
        for url, testnet in ((profile.url, False), (profile.test_url, True))
    )
    return GatewayApis(main, test)


def _open_rhinofi(
    live: LiveEnvironment, prices: Prices
) -> Sequence[tuple[Bridge, InventoryBridge]]:
    """rhino.fi's quotes, and what moves inventory by it; nothing where the profile has no key."""
    api = open_rhinofi_api(live.profile)
    if api is None:
        return []
    reached = [name for name in live.chains if name in bridge_contracts()]
    accounts = {name: live.chains[name].accounts.relayer for name in reached}
    transfer_quotes = TransferQuotes(api, accounts)
    threads = _threads("rhinofi-quotes", QUOTE_THREADS)
    quotes = RhinofiQuotes(live.catalogue, reached, transfer_quotes, prices, threads)
    threads = _threads("rhinofi-transfers")
    moving = RhinofiInventory(live.catalogue, live.chains, api, transfer_quotes, prices, threads)
    return [(quotes, moving)]


def _threads(name: str, most: int = THREADS) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(most, thread_name_prefix=name)


def _open_across_apis(profile: AcrossProfile) -> AcrossApis:
    key = read_key("across.api_key", profile.api_key, os.environ)
    limits = load_limits(BridgeName.ACROSS, profile.limits())
    main, test = (
        AcrossApi(url or api_url(testnet), limits, key)
        for url, testnet in ((profile.url, False), (profile.test_url, True))
    )
    return AcrossApis(main, test)


def open_rhinofi_api(profile: Profile) -> RhinofiApi | None:
    """The client of rhino.fi's API; None where the profile names no key, and does not need one.
    Raises `ValueError` where it does."""
    key = read_key("rhinofi.api_key", profile.rhinofi.api_key, os.environ)
    if not key:
        if BridgeName.RHINOFI in profile.bridges:
            raise ValueError("rhinofi.api_key is missing: without one, RHINOFI cannot be used")
        return None
    limits = load_limits(BridgeName.RHINOFI, profile.rhinofi.limits())
    return RhinofiApi(profile.rhinofi.url or rhinofi_terms().api, limits, key)


def _bridge_contracts(chain: Chain) -> Mapping[str, str]:
    return chain_deployment(chain).bridges if chain.kind == "evm" else {}


def open_attestation_services(profile: CctpProfile) -> AttestationServices:
    """The clients of Circle's attestation services."""
    limits = load_limits(BridgeName.CCTP, profile.limits())
    main, test = (
        Iris(url or cctp_contracts(testnet).attestation_service, limits)
        for url, testnet in ((profile.url, False), (profile.test_url, True))
    )
    return AttestationServices(main, test)
