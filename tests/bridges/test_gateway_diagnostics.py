"""What doctor says of Circle Gateway."""

from collections.abc import Mapping

from crossway.adapters.bridges.gateway.diagnostics import diagnose_gateway
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.live_bridges import gateway_ends, open_gateway_apis
from tests.bridges.cctp_chains import call
from tests.bridges.gateway_chains import AMOUNT, GATEWAY, GatewayWorld
from tests.chains.live import ARBITRUM, BASE
from tests.commands import crossway


def findings_of(world: GatewayWorld) -> Mapping[str, Finding]:
    apis = open_gateway_apis(world.live.profile.gateway)
    try:
        return {one.subject: one for one in diagnose_gateway(gateway_ends(world.live), apis)}
    finally:
        apis.close()


def test_a_gateway_that_works_is_told_with_its_balance(gateway_world: GatewayWorld) -> None:
    gateway_world.deposited(BASE, 2 * AMOUNT)
    gateway_world.pass_finality()
    findings = findings_of(gateway_world)
    assert findings["reach"].message == "between ARBITRUM_MAINNET, BASE_MAINNET"
    assert findings["service"].message == "answers; 50.00 USDC may be minted"
    ready = "Circle's contracts are there; not paused; the relayer may sign"
    assert findings[BASE].message == findings[ARBITRUM].message == ready
    assert all(finding.ok for finding in findings.values())


def test_what_is_wrong_is_told(gateway_world: GatewayWorld) -> None:
    gateway_world.service.silent = True
    call(gateway_world.anvils[BASE], GATEWAY.wallet, "pause()")
    gateway_world.anvils[ARBITRUM].rpc("anvil_setCode", GATEWAY.minter, "0x")
    findings = findings_of(gateway_world)
    assert findings["service"].message.startswith("Circle Gateway did not respond")
    assert findings[BASE].message == "Circle has paused the wallet"
    assert findings[ARBITRUM].message == "Circle Gateway's contracts are not there"
    assert not any(findings[name].ok for name in ("service", BASE, ARBITRUM))


def test_doctor_prints_it(gateway_world: GatewayWorld) -> None:
    told = crossway(
        gateway_world.folder / "data",
        "doctor",
        CROSSWAY_NETWORK="live",
        CROSSWAY_PROFILE=str(gateway_world.folder / "profile.toml"),
    )
    text = told.stdout + told.stderr
    assert "GATEWAY\n" in text
    assert "answers; 0.00 USDC may be minted" in text
