"""What doctor says of bridges, and what a start requires of their contracts."""

from pathlib import Path

import pytest

from crossway.adapters.bridge_diagnostics import diagnose_bridges, missing_contracts
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.live_bridges import open_attestation_services
from crossway.adapters.live_environment import LiveEnvironment, open_live_environment
from crossway.startup_checks import SetupError
from tests.bridges.attestation_service import AttestationService
from tests.bridges.cctp_chains import CCTP, call
from tests.chains import anvil
from tests.chains.anvil import CATALOGUE, Anvil
from tests.chains.live import ARBITRUM, BASE, LiveWorld
from tests.chains.service import profile_of


def opened(folder: Path, chains: dict[str, Anvil], service_url: str) -> LiveEnvironment:
    path = profile_of(folder, chains.values(), bridges=("CCTP",), attestations=service_url)
    return open_live_environment(path, CATALOGUE, signs=False)


def findings_of(live: LiveEnvironment) -> dict[str, Finding]:
    services = open_attestation_services(live.profile.cctp)
    try:
        (findings,) = diagnose_bridges(live, services).values()
    finally:
        services.close()
    return {finding.subject: finding for finding in findings}


def test_bridges_that_work_are_told_with_their_reach_and_allowance(
    tmp_path: Path, cctp_chains: dict[str, Anvil], attestations: AttestationService
) -> None:
    live = opened(tmp_path, cctp_chains, attestations.url)
    findings = findings_of(live)
    assert findings["reach"].message == "between ARBITRUM_MAINNET, BASE_MAINNET"
    assert findings["service"].message == "answers; 5000000.25 USDC may be burnt fast"
    assert findings[BASE].message == "our contracts are the expected ones; not paused"
    assert all(finding.ok for finding in findings.values())
    assert list(missing_contracts(live)) == []
    live.close()


def test_a_silent_service_and_a_paused_bridge_are_told(
    tmp_path: Path, cctp_chains: dict[str, Anvil], attestations: AttestationService
) -> None:
    attestations.silent = True
    call(cctp_chains[BASE], CCTP.message_transmitter, "pause()")
    live = opened(tmp_path, cctp_chains, attestations.url)
    findings = findings_of(live)
    assert not findings["service"].ok
    assert findings[BASE].message == "Circle's MessageTransmitter is paused"
    assert findings[ARBITRUM].ok
    live.close()


def test_nothing_starts_where_a_bridge_lacks_its_contracts(
    tmp_path: Path, cctp_chains: dict[str, Anvil], attestations: AttestationService
) -> None:
    with anvil.running(ARBITRUM) as bare:
        chains = {BASE: cctp_chains[BASE], ARBITRUM: bare}
        path = profile_of(
            tmp_path, chains.values(), bridges=("CCTP",), attestations=attestations.url
        )
        with pytest.raises(SetupError) as refused:
            LiveWorld(tmp_path, chains, path)
    assert (
        "ARBITRUM_MAINNET: CCTP_FAST, which CCTP needs, is not deployed: "
        "run crossway contracts deploy --chain ARBITRUM_MAINNET" in str(refused.value)
    )
    assert "BASE_MAINNET" not in str(refused.value)
