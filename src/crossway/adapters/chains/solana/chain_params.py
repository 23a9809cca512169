"""Parameters of Solana clusters and common node limits, from traits.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class ChainParams:
    """Parameters of one cluster; traits.toml explains each."""

    batch: int
    accounts: int
    look: int
    usual: tuple[str, ...]
    units: int
    least_price: int
    most_price: int
    hash_seconds: float
    again_seconds: float
    behind: int
    token_2022: frozenset[str]
    refused: frozenset[str]


def load_chain_params(chain: str) -> ChainParams:
    """The parameters of a cluster."""
    data = _load_all()
    values = data["default"] | data.get(chain, {})
    usual, newer = tuple(values.pop("usual")), frozenset(values.pop("token_2022"))
    refused = frozenset(values.pop("refused"))
    return ChainParams(**values, usual=usual, token_2022=newer, refused=refused)


@cache
def _load_all() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("traits.toml").read_text(encoding="utf-8"))
