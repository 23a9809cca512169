"""Circle's contracts and attestation services of main and of test networks."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from crossway.adapters.bridges.cctp.iris import Iris
from crossway.domain.catalogue import Chain


@dataclass(frozen=True, slots=True)
class CctpContracts:
    """Circle's contracts, which have the same address on every EVM chain of a network, and the URL
    of its attestation service."""

    token_messenger: str
    message_transmitter: str
    attestation_service: str


@dataclass(frozen=True, slots=True)
class AttestationTimes:
    """How long Circle usually takes to attest to a burn on a source chain; `fast_seconds` is None
    where fast messages do not exist."""

    fast_seconds: int | None
    standard_seconds: int


@dataclass(frozen=True, slots=True)
class AttestationServices:
    """The clients of Circle's two attestation services."""

    main: Iris
    test: Iris

    def of(self, testnet: bool) -> Iris:
        """That of main or of test networks."""
        return self.test if testnet else self.main

    def close(self) -> None:
        """Close the connections of both."""
        self.main.close()
        self.test.close()


def cctp_contracts(testnet: bool) -> CctpContracts:
    """Circle's contracts of main or of test networks."""
    return CctpContracts(**_data()["network"]["test" if testnet else "main"])


def attestation_times(chain: Chain) -> AttestationTimes:
    """The usual times of burns on a chain, which are the same on its test network."""
    row = _data()["source"][chain.id.rsplit("_", 1)[0]]
    return AttestationTimes(row.get("fast_seconds"), row["standard_seconds"])


@lru_cache
def _data() -> Mapping[str, Any]:
    file = files("crossway.adapters.bridges").joinpath("cctp.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
