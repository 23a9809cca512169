"""A Tron node: JSON-RPC under /jsonrpc and the node's own HTTP interface, under one base URL."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx
import orjson
from pydantic import SecretStr

from crossway.adapters.chains.evm.wire import integer
from crossway.adapters.chains.live.nodes import Identity, Nodes
from crossway.adapters.chains.live.profile import ChainProfile, urls
from crossway.adapters.chains.live.rpc import Node, Objection, Question, Silent
from crossway.domain.catalogue import Chain

KEY_HEADER = "TRON-PRO-API-KEY"
_CONNECTIONS = 8
_ID_BITS = 0xFFFFFFFF


class TronNode(Node):
    """A question whose method begins with a slash is a path of the HTTP interface, with the body
    as its only parameter; every other one goes to JSON-RPC. A key before the host's @ is sent as a
    header, as TronGrid wants it, and stands in no URL."""

    def __init__(self, url: SecretStr, client: httpx.Client, batch: int) -> None:
        base, key = _split(url)
        if key:
            client.headers[KEY_HEADER] = key
        super().__init__(SecretStr(base + "/jsonrpc"), client, batch)
        self._base = SecretStr(base)

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        spoken = [one for one in questions if not one.method.startswith("/")]
        answers = iter(super().ask(spoken))
        return [
            self._fetch(one) if one.method.startswith("/") else next(answers) for one in questions
        ]

    def _fetch(self, question: Question) -> Any:
        self.requests += 1
        try:
            answer = self._client.post(
                self._base.get_secret_value() + question.method,
                content=orjson.dumps(question.params[0] if question.params else {}),
                headers={"Content-Type": "application/json"},
            )
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            # The error's own words may hold the URL.
            raise Silent(f"{self.name} gave no answer: {type(error).__name__}") from None
        self._refuse(answer)
        try:
            told = orjson.loads(answer.content)
        except ValueError:
            raise Silent(f"{self.name} answered something that is no JSON") from None
        if isinstance(told, dict) and "Error" in told:
            return Objection(0, str(told["Error"])[:300])
        return told


def _split(url: SecretStr) -> tuple[str, str]:
    """The base without a slash at its end, and the key that stood before the host."""
    parts = urlsplit(url.get_secret_value())
    user, _, host = parts.netloc.rpartition("@")
    key = unquote(user.rpartition(":")[2] or user.partition(":")[0])
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), parts.query, "")), key


def nodes_of(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], batch: int
) -> Nodes:
    """The nodes of a profile; each has connections of its own, as each may have a key. Raises
    `ValueError` with a sentence where a URL is wrong or a variable of it is missing."""
    nodes = [
        TronNode(url, _client(profile.timeout_seconds), batch)
        for url in urls(chain.id, profile, environment)
    ]
    return Nodes(identity(chain), nodes, profile.quorum)


def _client(timeout_seconds: float) -> httpx.Client:
    return httpx.Client(
        timeout=timeout_seconds,
        limits=httpx.Limits(max_connections=_CONNECTIONS),
        follow_redirects=False,
        trust_env=False,
    )


def identity(chain: Chain) -> Identity:
    """A node's chain id: older ones answer the whole hash of the first block, whose end it is."""
    return Identity(
        Question("eth_chainId"),
        str(chain.chain_id),
        lambda said: str(integer(said, "a chain id") & _ID_BITS),
    )
