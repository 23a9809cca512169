"""Findings of `crossway doctor` about Circle Gateway: its API, its contracts, and whether the
relayer may sign."""

from collections.abc import Iterator, Mapping

from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.bridges.gateway.networks import GatewayApis
from crossway.adapters.bridges.gateway.unified_balance import UnifiedBalance
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units

_DECIMALS = 6


def diagnose_gateway(ends: Mapping[str, GatewayEnd], apis: GatewayApis) -> Iterator[Finding]:
    """Findings about the unified balance and each chain."""
    if len(ends) < 2:
        remedy = "Add chains that it reaches, or leave GATEWAY out of the profile's bridges."
        reached = ", ".join(ends) or "none"
        yield Finding("reach", f"Circle Gateway reaches {reached} of the profile's chains", remedy)
        return
    yield Finding("reach", f"between {', '.join(sorted(ends))}")
    for testnet in sorted({end.chain.testnet for end in ends.values()}):
        yield _service_finding(ends, apis, testnet)
    for name, end in ends.items():
        yield _chain_finding(name, end)


def _service_finding(ends: Mapping[str, GatewayEnd], apis: GatewayApis, testnet: bool) -> Finding:
    subject = "test service" if testnet else "service"
    chains = [name for name, end in ends.items() if end.chain.testnet == testnet]
    try:
        told = UnifiedBalance(ends, apis).fetch_from_circle(chains)
    except Unreachable as error:
        remedy = "Open the way to it: without it, GATEWAY is not quoted and nothing is minted."
        return Finding(subject, str(error), remedy)
    units = format_units(sum(told.values()), _DECIMALS, least_places=2)
    return Finding(subject, f"answers; {units} USDC may be minted")


def _chain_finding(name: str, end: GatewayEnd) -> Finding:
    try:
        if not end.has_contracts():
            return Finding(
                name, "Circle Gateway's contracts are not there", "Do not use this node."
            )
        if paused := end.find_paused():
            remedy = "Wait: payments are made out of the inventory that is there."
            return Finding(name, f"Circle has paused the {paused}", remedy)
        authorized = end.depositor == end.relayer or end.depositor_balance().authorized
    except Unreachable as error:
        return Finding(name, str(error), "Make sure that a node answers, and try again.")
    if not authorized:
        message = f"{end.depositor} has not named the relayer {end.relayer} its delegate"
        return Finding(name, message, f"Run crossway gateway delegate --chain {name}")
    return Finding(name, "Circle's contracts are there; not paused; the relayer may sign")
