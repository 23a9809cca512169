"""Energy and bandwidth: their prices, what an account has of them, and the fee for the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import as_count, as_list, as_object
from crossway.adapters.chains.tron.address_format import to_bytes
from crossway.adapters.chains.tron.chain_params import TronParams
from crossway.domain.errors import Unreachable
from crossway.ports.chain_calls import CallCosts

# Contracts see the chain id as its last four bytes only since one of these was voted for.
CHAIN_ID_VOTE = "getAllowOptimizedReturnValueOfChainId"
_CHAIN_ID_VOTES = (CHAIN_ID_VOTE, "getAllowTvmCompatibleEvm")


@dataclass(frozen=True, slots=True)
class ResourcePrices:
    """Prices of a unit of energy and of a byte in sun, and whether contracts see the chain id that
    the catalogue has (None where the node does not say)."""

    energy_sun: int
    byte_sun: int
    short_chain_id: bool | None


@dataclass(frozen=True, slots=True)
class AccountResources:
    """What an account can use without burning TRX: from staking, and the day's free bytes."""

    energy: int
    staked_bytes: int
    free_bytes: int


def read_prices(session: RpcSession, max_energy_sun: int) -> ResourcePrices:
    """The current prices. Raises `Unreachable` for an energy price above `max_energy_sun`."""
    result = session.call(RpcRequest("/wallet/getchainparameters", ({},)))[0]
    listed = as_object(result, "chain parameters").get("chainParameter")
    parameters: dict[str, Any] = {}
    for value in as_list(listed, "chain parameters"):
        parameter = as_object(value, "a chain parameter")
        parameters[str(parameter.get("key"))] = parameter.get("value", 0)
    energy = as_count(parameters.get("getEnergyFee"), "an energy price")
    if energy > max_energy_sun:
        raise Unreachable(
            f"the node asks for {energy:,} sun per unit of energy: more than {max_energy_sun:,} is "
            "not believed"
        )
    votes = [parameters[name] for name in _CHAIN_ID_VOTES if name in parameters]
    return ResourcePrices(
        energy,
        as_count(parameters.get("getTransactionFee"), "a bandwidth price"),
        any(votes) if votes else None,
    )


def read_resources(session: RpcSession, address: str) -> AccountResources:
    """What an address in EVM form can use; nothing for an account that never received anything."""
    request = RpcRequest("/wallet/getaccountresource", ({"address": to_bytes(address).hex()},))
    resources = as_object(session.call(request)[0], "an account's resources")
    return AccountResources(
        _available(resources, "EnergyLimit", "EnergyUsed"),
        _available(resources, "NetLimit", "NetUsed"),
        _available(resources, "freeNetLimit", "freeNetUsed"),
    )


def _available(resources: Mapping[str, Any], limit: str, used: str) -> int:
    total = as_count(resources.get(limit, 0), "a resource")
    return max(total - as_count(resources.get(used, 0), "a resource"), 0)


def call_costs(params: TronParams, prices: ResourcePrices) -> CallCosts:
    """The sun that each call burns where nothing is staked: what is staked costs as much in what
    it would earn."""
    size = params.tx_bytes * prices.byte_sun
    return CallCosts(
        **{call: energy * prices.energy_sun + size for call, energy in params.call_energy.items()}
    )


def fee_units(params: TronParams, prices: ResourcePrices, resources: AccountResources) -> int:
    """The maximum sun that one transaction burns: for energy beyond the staked, and for all of its
    bytes where neither the staked nor the free ones cover all of them."""
    energy = max(params.energy_limit - resources.energy, 0) * prices.energy_sun
    covered = max(resources.staked_bytes, resources.free_bytes) >= params.tx_bytes
    return energy + (0 if covered else params.tx_bytes * prices.byte_sun)
