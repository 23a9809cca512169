"""Connecting to the nodes that a profile names."""

from collections.abc import Mapping

import httpx

from crossway.adapters.chains.rpc.call_budget import CallBudget
from crossway.adapters.chains.rpc.client import RpcNode
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool
from crossway.adapters.chains.rpc.profile import ChainProfile, resolve_urls

CONNECTIONS_PER_NODE = 8


def connect_pool(
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    identity: ChainIdentity,
    batch: int,
) -> RpcPool:
    """The pool of a chain's nodes; sends up to `batch` calls in one request, or as many as the
    profile says. Raises `ValueError`
    where a URL is invalid or an environment variable in it is not set."""
    batch = profile.batch_size or batch
    client = create_client(profile.timeout_seconds, CONNECTIONS_PER_NODE * len(profile.rpc))
    nodes = [
        RpcNode(url, client, batch, budget_of(profile))
        for url in resolve_urls(name, profile, environment)
    ]
    return RpcPool(identity, nodes, profile.quorum)


def budget_of(profile: ChainProfile) -> CallBudget:
    """The budget of one node of a chain of a profile."""
    return CallBudget(profile.calls_per_minute, profile.calls_per_day)


def create_client(timeout_seconds: float, max_connections: int) -> httpx.Client:
    """An HTTP client that ignores proxies of the environment and follows no redirect."""
    return httpx.Client(
        timeout=timeout_seconds,
        limits=httpx.Limits(max_connections=max_connections),
        follow_redirects=False,
        trust_env=False,
    )
