"""A Tron node: JSON-RPC under /jsonrpc and the node's own HTTP API, under one base URL."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx
import orjson
from pydantic import SecretStr

from crossway.adapters.chains.evm.rpc_schemas import parse_quantity
from crossway.adapters.chains.rpc.call_budget import CallBudget
from crossway.adapters.chains.rpc.client import NodeUnavailable, RpcError, RpcNode, RpcRequest
from crossway.adapters.chains.rpc.connecting import (
    CONNECTIONS_PER_NODE,
    budget_of,
    create_client,
)
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool
from crossway.adapters.chains.rpc.profile import ChainProfile, resolve_urls
from crossway.domain.catalogue import Chain

KEY_HEADER = "TRON-PRO-API-KEY"
_ID_BITS = 0xFFFFFFFF


class TronNode(RpcNode):
    """Sends a method that starts with a slash to that path of the HTTP API, with its only parameter
    as the body, and every other one to JSON-RPC. An API key before the URL's @ is sent as a header,
    as TronGrid requires."""

    def __init__(
        self, url: SecretStr, client: httpx.Client, batch: int, budget: CallBudget | None = None
    ) -> None:
        base, key = _split_key(url)
        if key:
            client.headers[KEY_HEADER] = key
        super().__init__(SecretStr(base + "/jsonrpc"), client, batch, budget)
        self._base = SecretStr(base)

    def send(self, requests: Sequence[RpcRequest]) -> list[Any]:
        json_rpc = [request for request in requests if not request.method.startswith("/")]
        results = iter(super().send(json_rpc))
        return [
            self._send_to_http_api(request) if request.method.startswith("/") else next(results)
            for request in requests
        ]

    def _send_to_http_api(self, request: RpcRequest) -> Any:
        self._spend(1)
        body = orjson.dumps(request.params[0] if request.params else {})
        response = self._send_http(SecretStr(self._base.get_secret_value() + request.method), body)
        try:
            result = orjson.loads(response.content)
        except ValueError:
            raise NodeUnavailable(f"{self.name} did not return JSON") from None
        if isinstance(result, dict) and "Error" in result:
            return RpcError(0, str(result["Error"])[:300])
        return result


def _split_key(url: SecretStr) -> tuple[str, str]:
    """The base URL without a trailing slash, and the API key before the host."""
    parts = urlsplit(url.get_secret_value())
    user, _, host = parts.netloc.rpartition("@")
    key = unquote(user.rpartition(":")[2] or user.partition(":")[0])
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), parts.query, "")), key


def connect_pool(
    chain: Chain,
    profile: ChainProfile,
    environment: Mapping[str, str],
    identity: ChainIdentity,
    batch: int,
) -> RpcPool:
    """The pool of a profile's nodes; each has its own client, because each may have its own key.
    Raises `ValueError` where a URL is invalid or an environment variable in it is not set."""
    batch = profile.batch_size or batch
    nodes = [
        TronNode(
            url,
            create_client(profile.timeout_seconds, CONNECTIONS_PER_NODE),
            batch,
            budget_of(profile),
        )
        for url in resolve_urls(chain.id, profile, environment)
    ]
    return RpcPool(identity, nodes, profile.quorum)


def chain_identity(chain: Chain) -> ChainIdentity:
    """How to check a node's chain id: older nodes return the genesis block's hash, which ends in
    it."""
    return ChainIdentity(
        RpcRequest("eth_chainId"),
        str(chain.chain_id),
        lambda result: str(parse_quantity(result, "a chain id") & _ID_BITS),
    )
