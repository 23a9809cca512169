"""What doctor says of rhino.fi."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.live_environment import open_live_environment
from crossway.adapters.rhinofi_diagnostics import diagnose_rhinofi
from tests.bridges.rhinofi_chains import (
    CONTRACTS,
    KEY_NAME,
    configs,
    profile_with_rhinofi,
    put_rhinofi,
    rhinofi_key,
)
from tests.bridges.rhinofi_service import RhinofiService, running_rhinofi
from tests.chains.anvil import CATALOGUE, Anvil
from tests.chains.live import ARBITRUM, BASE, two_chains
from tests.chains.service import profile_of


@pytest.fixture
def chains() -> Iterator[dict[str, Anvil]]:
    with two_chains() as made:
        for one in made.values():
            put_rhinofi(one)
        yield made


@pytest.fixture
def service() -> Iterator[RhinofiService]:
    with running_rhinofi(chains=configs()) as one, rhinofi_key():
        yield one


def findings_of(path: Path) -> dict[str, Finding]:
    live = open_live_environment(path, CATALOGUE, signs=False)
    try:
        by_bridge = diagnose_rhinofi(live)
    finally:
        live.close()
    return {finding.subject: finding for finding in by_bridge.get("RHINOFI", ())}


def test_a_service_that_is_as_we_know_it_is_told_with_its_tokens(
    tmp_path: Path, chains: dict[str, Anvil], service: RhinofiService
) -> None:
    found = findings_of(profile_with_rhinofi(tmp_path, chains, service.url))
    assert {subject: finding.message for subject, finding in found.items()} == {
        "reach": "between ARBITRUM_MAINNET, BASE_MAINNET",
        "service": "answers, and accepts the key",
        ARBITRUM: "the contract is the known one; carries USDC, USDT",
        BASE: "the contract is the known one; carries USDC, USDT",
    }
    assert all(finding.ok for finding in found.values())


def test_another_contract_and_a_missing_one_are_told(
    tmp_path: Path, chains: dict[str, Anvil], service: RhinofiService
) -> None:
    service.chains["BASE"]["contractAddress"] = "0x000000000000000000000000000000000000c0dE"
    chains[ARBITRUM].rpc("anvil_setCode", CONTRACTS[ARBITRUM], "0x")
    found = findings_of(profile_with_rhinofi(tmp_path, chains, service.url))
    assert found[BASE].message == "rhino.fi names another contract on Base than we know"
    assert found[ARBITRUM].message == f"our nodes have no contract at {CONTRACTS[ARBITRUM]}"
    assert not found[BASE].ok


def test_a_key_that_is_not_accepted_or_missing_is_told(
    tmp_path: Path, chains: dict[str, Anvil], service: RhinofiService
) -> None:
    path = profile_with_rhinofi(tmp_path, chains, service.url)
    service.status, service.body = 401, b""
    found = findings_of(path)
    assert found["service"].message == "rhino.fi does not accept the API key"
    path.write_text(path.read_text().replace(KEY_NAME, "NO_SUCH_KEY"))
    found = findings_of(path)
    assert found["key"].message == "rhinofi.api_key: the environment has no NO_SUCH_KEY"


def test_nothing_is_said_of_it_where_the_profile_does_not_name_it(
    tmp_path: Path, chains: dict[str, Anvil], service: RhinofiService
) -> None:
    assert findings_of(profile_of(tmp_path, chains.values())) == {}
    assert service.requests == []
