"""What a cluster of Solana and its usual nodes allow: the figures of traits.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Traits:
    """Limits and customs of one cluster; traits.toml says what each means."""

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


def traits(chain: str) -> Traits:
    """The traits of a cluster."""
    data = _read()
    found = data["default"] | data.get(chain, {})
    usual, newer = tuple(found.pop("usual")), frozenset(found.pop("token_2022"))
    refused = frozenset(found.pop("refused"))
    return Traits(**found, usual=usual, token_2022=newer, refused=refused)


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("traits.toml").read_text(encoding="utf-8"))
