"""Looking at the nodes of a live chain for `crossway doctor`, whatever its family."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from pydantic import SecretStr

from crossway.adapters.chains.live.findings import Finding
from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.adapters.chains.live.profile import ChainProfile, urls
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable

# How old the newest block may be, and how far nodes may be apart, besides the chain's own pace.
_STALE_SECONDS, _APART_SECONDS = 60.0, 30.0


@dataclass(frozen=True, slots=True)
class Newest:
    """A node's newest block."""

    height: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Look:
    """How a family looks at a node: opens the nodes of a profile of one, reads the newest block,
    and finds out what of the wide questions of detection it answers."""

    nodes_of: Callable[[ChainProfile, Mapping[str, str]], Nodes]
    newest: Callable[[Line], Newest]
    customs: Callable[[str, Nodes, Newest], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one node answered."""

    name: str
    newest: Newest


def examine(
    chain: Chain,
    profile: ChainProfile,
    environment: Mapping[str, str],
    now: datetime,
    look: Look,
) -> Iterator[Finding]:
    """Each node by itself, and how they agree."""
    try:
        addresses = urls(chain.id, profile, environment)
    except ValueError as error:
        yield Finding("nodes", str(error), "Set the variable, or write the URL into the profile.")
        return
    seen = []
    for url in addresses:
        alone = profile.model_copy(update={"rpc": [url.get_secret_value()], "quorum": 1})
        with closing(look.nodes_of(alone, {})) as nodes:
            findings, answered = _of_node(chain, nodes, look, _host(url), now)
        seen += answered
        yield from findings
    yield from _agreement(chain, profile, seen)


def _host(url: SecretStr) -> str:
    """The part of a URL that holds no key."""
    return url.get_secret_value().split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]


def _of_node(
    chain: Chain, nodes: Nodes, look: Look, name: str, now: datetime
) -> tuple[list[Finding], list[_Seen]]:
    what, began = f"node {name}", time.monotonic()
    try:
        # The first answer is held against the chain's name.
        newest = nodes.one(look.newest)
    except Unreachable as error:
        remedy = "Check the URL and its key, or take this node out of `rpc`."
        return [Finding(what, str(error), remedy)], []
    took = (time.monotonic() - began) * 1000
    said = f"chain {chain.chain_id}, block {newest.height:,}, {took:.0f} ms"
    return [
        Finding(what, said),
        *_clock(what, chain, newest, now),
        *look.customs(what, nodes, newest),
    ], [_Seen(name, newest)]


def _clock(what: str, chain: Chain, newest: Newest, now: datetime) -> Iterator[Finding]:
    age = (now - newest.at).total_seconds()
    if abs(age) > _STALE_SECONDS + 2 * chain.block_time_seconds:
        said = f"its newest block is {age:,.0f} s old by this machine's clock"
        yield Finding(
            what, said, "Set this machine's clock by NTP; if it is right, the node is behind."
        )


def _agreement(chain: Chain, profile: ChainProfile, seen: Sequence[_Seen]) -> Iterator[Finding]:
    if len(seen) < profile.quorum:
        said = f"{len(seen)} of the {profile.quorum} nodes that must agree answer"
        yield Finding("agreement", said, "Deposits are not credited before enough nodes answer.")
    if len(seen) < 2:
        return
    heights = [one.newest.height for one in seen]
    apart = max(heights) - min(heights)
    if apart * chain.block_time_seconds > _APART_SECONDS + 2 * chain.block_time_seconds:
        behind = min(seen, key=lambda one: one.newest.height).name
        yield Finding("agreement", f"nodes are {apart:,} blocks apart", f"{behind} is behind.")
    else:
        yield Finding("agreement", f"nodes are at most {apart:,} blocks apart")
