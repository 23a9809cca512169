"""The names of leases, and into how many shards the engines that run divide a chain."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from crossway.ports.store import UnitOfWork

Role = Literal["engine", "indexer"]
# How the names of each role's leases begin.
PREFIX: Final[Mapping[Role, str]] = {"engine": "chain:", "indexer": "index:"}
_NAME: Final = re.compile(r"[a-z]+:([^:]+)(?::(\d+)/(\d+))?")
_DECIDING: Final = "shards of "


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard of a chain: its number, and how many there are."""

    chain: str
    number: int
    count: int


def name_lease(prefix: str, shard: Shard) -> str:
    """The name of a shard's lease: the chain's, where one shard is all of it."""
    part = f":{shard.number}/{shard.count}" if shard.count > 1 else ""
    return f"{prefix}{shard.chain}{part}"


def parse_lease(name: str) -> Shard:
    """The shard that a lease is of."""
    chain, number, count = _NAME.fullmatch(name).groups()  # type: ignore[union-attr]
    return Shard(chain, int(number or 0), int(count or 1))


def agree_on_counts(
    unit: UnitOfWork, prefix: str, wanted: Mapping[str, int], taken: Mapping[str, bool]
) -> dict[str, int]:
    """Into how many shards each chain is divided: as those who hold leases of it do, else as
    `wanted`. Chains are left out while another engine decides.

    Engines that divided a chain differently would work on the same payments. `taken`: the leases
    that were taken, each with whether it is held now."""
    counts = _held_counts(prefix, taken)
    if free := wanted.keys() - counts.keys():
        mine = unit.leases.lock_free([_DECIDING + prefix + chain for chain in free])
        # Whoever decided before has committed.
        taken = unit.leases.list_taken()
        counts = _held_counts(prefix, taken)
        free = {chain for chain in free - counts.keys() if _DECIDING + prefix + chain in mine}
        old = {name: parse_lease(name) for name in taken if name.startswith(prefix)}
        # An engine that took one and was paused since must notice.
        others = [n for n, s in old.items() if s.chain in free and s.count != wanted[s.chain]]
        locked = {old[name].chain for name in (unit.leases.end(others) if others else ())}
        counts |= {chain: wanted[chain] for chain in free - locked}
    return {chain: count for chain, count in counts.items() if chain in wanted}


def _held_counts(prefix: str, taken: Mapping[str, bool]) -> dict[str, int]:
    held = (parse_lease(n) for n, is_held in taken.items() if is_held and n.startswith(prefix))
    return {shard.chain: shard.count for shard in held}


def leases_to_take(prefix: str, counts: Mapping[str, int]) -> Iterable[list[str]]:
    """The names of the leases that engines share equally: the chains that one shard is all of
    among themselves, and the shards of each other chain."""
    whole = sorted(chain for chain, count in counts.items() if count == 1)
    yield [name_lease(prefix, Shard(chain, 0, 1)) for chain in whole]
    for chain, count in sorted(counts.items()):
        if count > 1:
            yield [name_lease(prefix, Shard(chain, number, count)) for number in range(count)]
