"""What a chain and its usual nodes allow: the figures of traits.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Traits:
    """Limits and customs of one chain; traits.toml says what each means."""

    blocks: int
    recipients: int
    page: int
    batch: int
    l2_gas: int
    data_gas: int
    data_percent: int
    tip_percent: int
    most_strk: int
    l1: bool


def traits(chain: str) -> Traits:
    """The traits of a chain."""
    data = _read()
    return Traits(**(data["default"] | data.get(chain, {})))


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("traits.toml").read_text(encoding="utf-8"))
