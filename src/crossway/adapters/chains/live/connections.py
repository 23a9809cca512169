"""The nodes that a profile names for a chain, with connections that are kept open."""

from collections.abc import Mapping

import httpx

from crossway.adapters.chains.live.nodes import Identity, Nodes
from crossway.adapters.chains.live.profile import ChainProfile, urls
from crossway.adapters.chains.live.rpc import Node

_CONNECTIONS = 8


def nodes_of(
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    identity: Identity,
    batch: int,
) -> Nodes:
    """The nodes of a chain; each takes `batch` questions in one request. Raises `ValueError` with
    a sentence where a URL is wrong or a variable of it is missing."""
    client = httpx.Client(
        timeout=profile.timeout_seconds,
        limits=httpx.Limits(max_connections=_CONNECTIONS * len(profile.rpc)),
        follow_redirects=False,
        trust_env=False,
    )
    nodes = [Node(url, client, batch) for url in urls(name, profile, environment)]
    return Nodes(identity, nodes, profile.quorum)
