"""What a chain and its usual nodes allow: the figures of traits.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Traits:
    """Limits and customs of one chain; traits.toml says what each means."""

    log_blocks: int
    recipients: int
    batch: int
    tags: bool
    fees: str
    tip_percent: int
    most_gwei: int
    gas: int
    lens: int
    history: bool
    places: bool

    def __post_init__(self) -> None:
        if self.fees not in ("eip1559", "legacy"):
            raise ValueError(f"fees must be eip1559 or legacy, not {self.fees!r}")


def traits(chain: str) -> Traits:
    """The traits of a chain."""
    data = _read()
    return Traits(**(data["default"] | data.get(chain, {})))


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("traits.toml").read_text(encoding="utf-8"))
