"""Every chain under conformance test; those of one process are shared by the tests of a module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.hardhat_networks import HARDHATS, hardhats
from tests.conformance.networks import NETWORKS, Network, anvils, trons


@pytest.fixture(scope="module")
def chains_of_this_run() -> Iterator[None]:
    with anvils():
        yield


@pytest.fixture(scope="module")
def hardhat_of_this_run() -> Iterator[None]:
    with hardhats():
        yield


@pytest.fixture(scope="module")
def tron_of_this_run() -> Iterator[None]:
    with trons():
        yield


@pytest.fixture(params=NETWORKS | HARDHATS, ids=lambda name: name.replace(" ", "-"))
def network(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Network]:
    if request.param.startswith("hardhat"):
        request.getfixturevalue("hardhat_of_this_run")
    if request.param.startswith("anvil"):
        request.getfixturevalue("chains_of_this_run")
    if request.param.startswith("tron"):
        request.getfixturevalue("tron_of_this_run")
    with (NETWORKS | HARDHATS)[request.param](tmp_path) as created:
        yield created
