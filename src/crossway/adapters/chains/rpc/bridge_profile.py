"""What a profile says of the services of bridges: where they are, our keys, how they are asked."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from crossway.adapters.chains.addresses import canonical_address

Url = Annotated[str, Field(pattern=r"^(https?://\S+)?$", max_length=500)]
KeyReference = Annotated[str, Field(pattern=r"^(env:\S+)?$")]
_NAMES = ("timeout_seconds", "requests_per_second", "requests_per_minute", "cache_seconds")


class ServiceProfile(BaseModel):
    """The URLs of a bridge's services for main and for test networks, by default its own, and its
    limits where they differ from those of the bridge's data file: a request ends within
    `timeout_seconds`; no more begin in any second and minute. A quote never waits for longer than
    the comparison that it is for."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    url: Url = ""
    test_url: Url = ""
    timeout_seconds: float | None = Field(default=None, gt=0, le=60)
    requests_per_second: int | None = Field(default=None, ge=1, le=1_000)
    requests_per_minute: int | None = Field(default=None, ge=1, le=60_000)

    def limits(self) -> Mapping[str, float]:
        """The limits that are set, by name."""
        return self.model_dump(include=set(_NAMES), exclude_none=True)


class CctpProfile(ServiceProfile):
    """Circle's attestation services, which need no key. Its fees count for `cache_seconds`."""

    # Circle allows 35 a second for each caller, in all of its processes.
    requests_per_second: int | None = Field(default=None, ge=1, le=35)
    cache_seconds: float | None = Field(default=None, ge=5, le=600)


class AcrossProfile(ServiceProfile):
    """Across' APIs, whose quotes may not be kept. `api_key` is `env:NAME`, where the environment
    has the API key that Across gave the operator."""

    api_key: KeyReference = ""


class GatewayProfile(ServiceProfile):
    """Circle Gateway's APIs, which need no key. Their estimates count for `cache_seconds`.
    `depositor` is the address of another account than the relayer's that owns the unified balance,
    and has named the relayer its delegate; its key is never configured."""

    cache_seconds: float | None = Field(default=None, ge=5, le=600)
    depositor: str = Field(default="", max_length=100)

    @model_validator(mode="after")
    def _canonical_depositor(self) -> "GatewayProfile":
        canonical = canonical_address("evm", self.depositor) if self.depositor else ""
        if canonical != self.depositor:
            raise ValueError(f"depositor must be written {canonical}")
        return self


class RhinofiProfile(ServiceProfile):
    """rhino.fi's API, which has no test networks. `api_key` is `env:NAME`, where the environment
    has the key that rhino.fi gave the operator: without one, nothing is asked of it. Its list of
    chains counts for `cache_seconds`."""

    api_key: KeyReference = ""
    cache_seconds: float | None = Field(default=None, ge=5, le=600)


def read_key(field: str, reference: str, environment: Mapping[str, str]) -> str:
    """The key that `env:NAME` in this field of the profile stands for; empty without one. Raises
    `ValueError`, which names the field and the variable, where the environment lacks it."""
    name = reference.removeprefix("env:")
    key = environment.get(name, "") if name else ""
    if name and not key:
        raise ValueError(f"{field}: the environment has no {name}")
    return key
