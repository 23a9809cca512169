"""Findings of `crossway doctor` about the bridges of a live environment, and what they require."""

from collections.abc import Iterator, Mapping
from typing import Final

from crossway.adapters.bridges.cctp.networks import AttestationServices, cctp_contracts
from crossway.adapters.chains.evm.calldata import Call, call_request
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import BRIDGE_CONTRACTS, chain_deployment
from crossway.adapters.chains.evm.operator_txs import check_code
from crossway.adapters.chains.evm.rpc_schemas import parse_data
from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.operator import deploy_command
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.live_environment import LiveEnvironment
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units
from crossway.domain.quotes import BridgeName, bridge_title

# paused() of Circle's contracts, and pausedDeposits() of Across' pools.
_PAUSED: Final = bytes.fromhex("5c975abb")
_PAUSED_DEPOSITS: Final = bytes.fromhex("6068d6cb")


def bridge_chains(live: LiveEnvironment, bridge: str) -> dict[str, EvmChain]:
    """The chains of an environment between which a bridge of its profile carries payments."""
    if bridge not in live.profile.bridges or bridge not in BRIDGE_CONTRACTS:
        return {}
    return {
        name: chain
        for name, chain in live.chains.items()
        if isinstance(chain, EvmChain)
        and set(BRIDGE_CONTRACTS[bridge])
        <= chain_deployment(live.catalogue.chains[name]).optional.keys()
    }


def missing_contracts(live: LiveEnvironment) -> Iterator[str]:
    """What must be deployed before the bridges of a profile carry payments, a sentence each. A
    deposit that is sent by a contract which is not there would lie at its address. Nodes that do
    not answer are no reason against a start."""
    for bridge in BRIDGE_CONTRACTS:
        chains = bridge_chains(live, bridge)
        for name, chain in chains.items() if len(chains) > 1 else ():
            try:
                problems = _problems(chain, bridge)
            except Unreachable:
                continue
            for contract, problem in problems.items():
                yield (
                    f"{name}: {contract}, which {bridge_title(bridge)} needs, is {problem}: run "
                    f"{deploy_command(name)}, or leave {bridge} out of the profile's bridges"
                )


def diagnose_bridges(
    live: LiveEnvironment, services: AttestationServices
) -> dict[str, list[Finding]]:
    """Findings by bridge of the profile."""
    findings: dict[str, list[Finding]] = {}
    for bridge in BRIDGE_CONTRACTS:
        if bridge not in live.profile.bridges:
            continue
        chains = bridge_chains(live, bridge)
        of_bridge = [_reach_finding(live, bridge, chains)]
        if of_bridge[0].ok and len(chains) < 2:
            findings[bridge] = of_bridge
            continue
        if bridge == BridgeName.CCTP:
            of_bridge += _service_findings(live, chains, services)
        of_bridge += [finding for name in chains for finding in _chain_findings(live, bridge, name)]
        findings[bridge] = of_bridge
    return findings


def _reach_finding(live: LiveEnvironment, bridge: str, chains: Mapping[str, EvmChain]) -> Finding:
    if len(chains) > 1:
        return Finding("reach", f"between {', '.join(sorted(chains))}")
    message = (
        f"{bridge_title(bridge)} reaches {', '.join(chains) or 'none'} of the profile's chains"
    )
    if "bridges" not in live.profile.model_fields_set:
        return Finding("reach", f"{message}: no payment crosses over it")
    remedy = f"Add chains that it reaches, or leave {bridge} out of the profile's bridges."
    return Finding("reach", message, remedy)


def _service_findings(
    live: LiveEnvironment, chains: Mapping[str, EvmChain], services: AttestationServices
) -> Iterator[Finding]:
    """Whether Circle's attestation service answers, and what it still attests fast."""
    for testnet in sorted({live.catalogue.chains[name].testnet for name in chains}):
        subject = "test service" if testnet else "service"
        try:
            allowance = services.of(testnet).get_fast_allowance()
        except Unreachable as error:
            remedy = "Open the way to it: without it, CCTP is not quoted and nothing is delivered."
            yield Finding(subject, str(error), remedy)
            continue
        yield Finding(subject, f"answers; {format_units(allowance, 6, 2)} USDC may be burnt fast")


def _chain_findings(live: LiveEnvironment, bridge: str, name: str) -> Iterator[Finding]:
    chain = bridge_chains(live, bridge)[name]
    try:
        problems = _problems(chain, bridge)
        if problems:
            message = ", ".join(f"{contract} {problem}" for contract, problem in problems.items())
            yield Finding(name, message, f"Run {deploy_command(name)}")
            return
        paused = _find_paused(live, bridge, name)
    except Unreachable as error:
        yield Finding(name, str(error), "Make sure that a node answers, and try again.")
        return
    if paused:
        remedy = "Wait: payments over it are sent when it goes on, or refunded at their expiry."
        yield Finding(name, f"{paused} is paused", remedy)
    else:
        yield Finding(name, "our contracts are the expected ones; not paused")


def _problems(chain: EvmChain, bridge: str) -> dict[str, str]:
    at = chain.context.deployment
    problems = chain.context.pool.first(lambda session: check_code(session, at, (bridge,)))
    # Recipients are paid through the second filler.
    needed = "Filler2", *BRIDGE_CONTRACTS[bridge]
    return {name: problems[name] for name in needed if problems.get(name)}


def _find_paused(live: LiveEnvironment, bridge: str, name: str) -> str:
    """What of a bridge is paused on a chain; empty for nothing. Raises `Unreachable`."""
    facts = live.catalogue.chains[name]
    if bridge == BridgeName.CCTP:
        at = cctp_contracts(facts.testnet)
        asked = {"Circle's MessageTransmitter": Call(at.message_transmitter, _PAUSED)}
    else:
        asked = {"the pool of Across": Call(facts.across_pool or "", _PAUSED_DEPOSITS)}
    chain = bridge_chains(live, bridge)[name]

    def read(session: RpcSession) -> list[object]:
        return list(session.batch([call_request(call) for call in asked.values()]))

    results = chain.context.pool.first(read)
    return ", ".join(
        what for what, result in zip(asked, results, strict=True) if _is_paused(what, result)
    )


def _is_paused(what: str, result: object) -> bool:
    if isinstance(result, RpcError):
        raise Unreachable(f"{what} does not say whether it is paused: {result.message}")
    data = parse_data(result, f"whether {what} is paused")
    if not data:
        raise Unreachable(f"{what} is not where it should be")
    return any(data)
