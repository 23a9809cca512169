"""Checks of `crossway doctor` on the nodes of a live chain: health, clock, limits and agreement."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from pydantic import SecretStr

from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.adapters.chains.rpc.profile import ChainProfile, resolve_urls
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable, WrongChain

# Tolerated age of the newest block and distance between nodes, besides two block times.
_MAX_AGE_SECONDS, _MAX_DISTANCE_SECONDS = 60.0, 30.0
_SILENT = "Check the URL and its key, or remove this node from `rpc`."
_WRONG_CHAIN = "It answers for another chain: correct its URL, or remove this node from `rpc`."


@dataclass(frozen=True, slots=True)
class NodeHead:
    """A node's newest block."""

    height: int
    time: datetime


@dataclass(frozen=True, slots=True)
class NodeProbe:
    """How a family probes a node: `connect` opens the pool of a profile with a single node,
    `read_head` reads the newest block, and `check_capabilities` finds out whether the node accepts
    the queries of the deposit scan (arguments: subject of the findings, pool, newest block)."""

    connect: Callable[[ChainProfile, Mapping[str, str]], RpcPool]
    read_head: Callable[[RpcSession], NodeHead]
    check_capabilities: Callable[[str, RpcPool, NodeHead], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class _NodeResult:
    """The newest block of a node that answered."""

    name: str
    head: NodeHead


def probe_nodes(
    chain: Chain,
    profile: ChainProfile,
    environment: Mapping[str, str],
    now: datetime,
    probe: NodeProbe,
) -> Iterator[Finding]:
    """Findings about each node, and about how the nodes agree."""
    try:
        urls = resolve_urls(chain.id, profile, environment)
    except ValueError as error:
        yield Finding("nodes", str(error), "Set the variable, or write the URL into the profile.")
        return
    results = []
    for url in urls:
        single = profile.model_copy(update={"rpc": [url.get_secret_value()], "quorum": 1})
        with closing(probe.connect(single, {})) as pool:
            pool.lift_budgets()
            findings, answered = _probe_node(chain, pool, probe, _host(url), now)
        results += answered
        yield from findings
    yield from _check_agreement(chain, profile, results)


def _host(url: SecretStr) -> str:
    """The part of a URL that contains no key."""
    return url.get_secret_value().split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]


def _probe_node(
    chain: Chain, pool: RpcPool, probe: NodeProbe, name: str, now: datetime
) -> tuple[list[Finding], list[_NodeResult]]:
    subject, started_at = f"node {name}", time.monotonic()
    try:
        # The first request also verifies the chain id.
        head = pool.first(probe.read_head)
    except Unreachable as error:
        remedy = _WRONG_CHAIN if isinstance(error, WrongChain) else _SILENT
        return [Finding(subject, str(error), remedy)], []
    latency = (time.monotonic() - started_at) * 1000
    message = f"chain {chain.chain_id}, block {head.height:,}, {latency:.0f} ms"
    return [
        Finding(subject, message),
        *_check_clock(subject, chain, head, now),
        *probe.check_capabilities(subject, pool, head),
    ], [_NodeResult(name, head)]


def _check_clock(subject: str, chain: Chain, head: NodeHead, now: datetime) -> Iterator[Finding]:
    age = (now - head.time).total_seconds()
    if abs(age) > _MAX_AGE_SECONDS + 2 * chain.block_time_seconds:
        message = f"its newest block is {age:,.0f} s old by this machine's clock"
        remedy = "Set this machine's clock by NTP; if it is right, the node is behind."
        yield Finding(subject, message, remedy)


def _check_agreement(
    chain: Chain, profile: ChainProfile, results: Sequence[_NodeResult]
) -> Iterator[Finding]:
    if len(results) < profile.quorum:
        message = f"{len(results)} of the {profile.quorum} nodes that must agree answer"
        yield Finding("agreement", message, "Deposits are not credited before enough nodes answer.")
    if len(results) < 2:
        return
    heights = [result.head.height for result in results]
    distance = max(heights) - min(heights)
    if distance * chain.block_time_seconds > _MAX_DISTANCE_SECONDS + 2 * chain.block_time_seconds:
        behind = min(results, key=lambda result: result.head.height).name
        yield Finding("agreement", f"nodes are {distance:,} blocks apart", f"{behind} is behind.")
    else:
        yield Finding("agreement", f"nodes are at most {distance:,} blocks apart")
