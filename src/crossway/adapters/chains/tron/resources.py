"""What a transaction costs: what the account has of energy and bandwidth, and the rest in TRX."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.evm.wire import Malformed, rows, table
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.tron.customs import Customs
from crossway.adapters.chains.tron.forms import long
from crossway.domain.errors import Unreachable

# Contracts read the chain's id as its last four bytes only since one of these was voted for.
CHAIN_ID_VOTE = "getAllowOptimizedReturnValueOfChainId"
_CHAIN_ID_VOTES = (CHAIN_ID_VOTE, "getAllowTvmCompatibleEvm")


@dataclass(frozen=True, slots=True)
class Prices:
    """What a unit of energy and a byte cost in sun, and whether contracts read the chain's id as
    the catalogue has it (None where the node does not say)."""

    energy_sun: int
    byte_sun: int
    short_chain_id: bool | None


@dataclass(frozen=True, slots=True)
class Has:
    """What an account can use up without paying: by staking, and the free bytes of the day."""

    energy: int
    staked_bytes: int
    free_bytes: int


def prices(line: Line, most_energy_sun: int) -> Prices:
    """What the chain charges now; a price that is not believed is no answer."""
    told = table(line.ask(Question("/wallet/getchainparameters", ({},)))[0], "chain parameters")
    found: dict[str, Any] = {}
    for one in rows(told.get("chainParameter"), "chain parameters"):
        row = table(one, "a chain parameter")
        found[str(row.get("key"))] = row.get("value", 0)
    energy = whole(found.get("getEnergyFee"), "a price of energy")
    if energy > most_energy_sun:
        raise Unreachable(
            f"the node asks for {energy:,} sun a unit of energy: more than {most_energy_sun:,} is "
            "not believed"
        )
    votes = [found[name] for name in _CHAIN_ID_VOTES if name in found]
    return Prices(
        energy,
        whole(found.get("getTransactionFee"), "a price of bandwidth"),
        any(votes) if votes else None,
    )


def resources(line: Line, address: str) -> Has:
    """What a plain address can use; an account that nobody ever sent anything to has nothing."""
    asked = Question("/wallet/getaccountresource", ({"address": long(address).hex()},))
    told = table(line.ask(asked)[0], "an account's resources")
    return Has(
        _left(told, "EnergyLimit", "EnergyUsed"),
        _left(told, "NetLimit", "NetUsed"),
        _left(told, "freeNetLimit", "freeNetUsed"),
    )


def _left(told: Mapping[str, Any], limit: str, used: str) -> int:
    there = whole(told.get(limit, 0), "a resource") - whole(told.get(used, 0), "a resource")
    return max(there, 0)


def fee_units(customs: Customs, charged: Prices, has: Has) -> int:
    """The most sun that one transaction burns: for energy beyond what is staked, and for all of its
    bytes where neither the staked nor the free ones are enough for the whole of it."""
    energy = max(customs.energy - has.energy, 0) * charged.energy_sun
    covered = max(has.staked_bytes, has.free_bytes) >= customs.bytes
    return energy + (0 if covered else customs.bytes * charged.byte_sun)


def whole(value: Any, what: str) -> int:
    """A number of 0 or more as the HTTP interface writes it."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Malformed(f"the node answered something else than {what}")
    return value
