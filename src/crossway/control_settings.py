"""The settings of the operator's controls on outgoing money."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import BaseSettings

from crossway.ports.policy import ControlsPolicy

LIVE_SECOND_PERSON_USD = 10_000
LIVE_ADDRESS_DELAY_HOURS = 24


class ControlSettings(BaseSettings):
    """Limits of what one person may send by hand, and of what is sent in an hour."""

    network: Literal["simulated", "live"] = Field(
        default="simulated", description="The simulated network, or live chains."
    )
    second_person_above_usd: Literal["off"] | Annotated[int, Field(ge=0, le=10**9)] | None = Field(
        default=None,
        description="Manual transfers above this amount need a second person, and so does a new "
        "address; off: never. By default 10000 on live chains, else off.",
    )
    address_delay_hours: int | None = Field(
        default=None,
        ge=0,
        le=720,
        description="How long a new address waits before money can be sent there by hand; by "
        "default 24 on live chains, else 0.",
    )
    hourly_limit_usd: int | None = Field(
        default=None,
        ge=1,
        le=10**12,
        description="More than this sent within an hour on one chain presses the emergency stop.",
    )
    hourly_factor: int | None = Field(
        default=None,
        ge=2,
        le=1_000,
        description="More than so many times the most of any hour of the past seven days presses "
        "the emergency stop.",
    )
    signature_allowance_micro_usd: int = Field(
        default=20_000,
        ge=0,
        le=10**9,
        description="What carrying out a payer's signature may cost the operator, who pays that "
        "network fee; dearer ones are not offered, those that a quote pays for are.",
    )

    @property
    def controls(self) -> ControlsPolicy:
        """The controls as a policy."""
        live = self.network == "live"
        above, hours = self.second_person_above_usd, self.address_delay_hours
        if above is None:
            above = LIVE_SECOND_PERSON_USD if live else "off"
        if hours is None:
            hours = LIVE_ADDRESS_DELAY_HOURS if live else 0
        return ControlsPolicy(
            second_person_micro_usd=None if above == "off" else 1_000_000 * above,
            address_delay=timedelta(hours=hours),
            hourly_limit_micro_usd=_micro_usd(self.hourly_limit_usd),
            usual_factor=self.hourly_factor,
        )


def _micro_usd(usd: int | None) -> int | None:
    return None if usd is None else 1_000_000 * usd
