"""What Tron and its usual nodes allow: the figures of customs.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from crossway.adapters.chains.evm.traits import Traits

# Nothing of these is asked for on Tron: no older state, no lens, no price of gas.
_NOT_ASKED = {"fees": "legacy", "tip_percent": 0, "most_gwei": 0, "lens": 0}


@dataclass(frozen=True, slots=True)
class Customs:
    """Limits and customs of the chain; customs.toml says what each means."""

    log_blocks: int
    recipients: int
    batch: int
    scan_blocks: int
    page_blocks: int
    energy: int
    bytes: int
    most_energy_sun: int
    life_seconds: int

    @property
    def traits(self) -> Traits:
        """The same for what reads as on an EVM chain: the block `finalized` is known, the state
        of older blocks is not."""
        return Traits(
            log_blocks=self.log_blocks,
            recipients=self.recipients,
            batch=self.batch,
            tags=True,
            gas=self.energy,
            history=False,
            # Older nodes count the events of a receipt from nought.
            places=False,
            **_NOT_ASKED,  # type: ignore[arg-type]
        )


@cache
def customs() -> Customs:
    """The customs of the chain."""
    text = files(__package__).joinpath("customs.toml").read_text(encoding="utf-8")
    return Customs(**tomllib.loads(text))
