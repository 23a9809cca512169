"""Two chains with CCTP and an attestation service, with Across, or with Circle Gateway, new for
each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bridges.across_chains import AcrossWorld, two_across_chains
from tests.bridges.across_service import running_across
from tests.bridges.attestation_service import AttestationService
from tests.bridges.cctp_chains import CctpWorld, attesting, two_cctp_chains
from tests.bridges.gateway_chains import GatewayWorld, following, two_gateway_chains
from tests.chains.anvil import Anvil


@pytest.fixture
def cctp_chains() -> Iterator[dict[str, Anvil]]:
    with two_cctp_chains() as made:
        yield made


@pytest.fixture
def attestations(cctp_chains: dict[str, Anvil]) -> Iterator[AttestationService]:
    with attesting(cctp_chains) as service:
        yield service


@pytest.fixture
def cctp_world(
    tmp_path: Path, cctp_chains: dict[str, Anvil], attestations: AttestationService
) -> Iterator[CctpWorld]:
    world = CctpWorld(tmp_path, cctp_chains, attestations)
    yield world
    world.close()


@pytest.fixture
def across_world(tmp_path: Path) -> Iterator[AcrossWorld]:
    with two_across_chains() as chains, running_across() as service:
        world = AcrossWorld(tmp_path, chains, service)
        world.step()
        world.record_openings()
        yield world
        world.close()


@pytest.fixture
def gateway_world(tmp_path: Path) -> Iterator[GatewayWorld]:
    with two_gateway_chains() as chains, following(chains) as service:
        world = GatewayWorld(tmp_path, chains, service)
        yield world
        world.close()
