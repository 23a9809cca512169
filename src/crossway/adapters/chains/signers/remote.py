"""A key of a remote signer, asked over HTTPS; docs/signers.md has the requests and responses."""

import json
import ssl
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import Any

import httpx

from crossway.adapters.chains.signers.external_key import Curve
from crossway.domain.errors import SigningRefused, Unreachable
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.signing import SigningRequest

_MAX_BYTES, _MAX_REQUESTS = 16_384, 4
# This transaction is refused, by rules of the signer's own; others may be signed.
_REFUSED = (httpx.codes.BAD_REQUEST, httpx.codes.FORBIDDEN, httpx.codes.UNPROCESSABLE_ENTITY)
_PUBLIC_KEY_BYTES: Mapping[Curve, int] = {"secp256k1": 64, "ed25519": 32}


class RemoteKey:
    """One key of a remote signer."""

    def __init__(
        self,
        name: str,
        url: str,
        key_id: str,
        curve: Curve,
        access_token: str,
        timeout_seconds: float,
        certificates: str = "",
    ) -> None:
        """`certificates` is a file of the authorities to trust instead of the system's. Raises
        `OSError` where it cannot be read."""
        self.name = f"signer {name}"
        self._curve, self._path = curve, f"{url.rstrip('/')}/keys/{key_id}"
        self._timeout = timeout_seconds
        self._open_requests = BoundedSemaphore(_MAX_REQUESTS)
        trusted = ssl.create_default_context(cafile=certificates or None)
        self._client = httpx.Client(
            timeout=timeout_seconds,
            verify=trusted,
            follow_redirects=False,
            trust_env=False,
            headers={"Authorization": f"Bearer {access_token}", "Accept-Encoding": "identity"},
        )

    def close(self) -> None:
        """Close the connections to the signer."""
        self._client.close()

    def public_key(self) -> bytes:
        return self._bytes(self._ask("GET", "", None), "public_key", _PUBLIC_KEY_BYTES[self._curve])

    def sign(self, payload: bytes, request: SigningRequest) -> bytes:
        signed = "digest" if self._curve == "secp256k1" else "message"
        body: dict[str, Any] = {
            "curve": self._curve,
            signed: payload.hex(),
            "transaction": request.unsigned.hex(),
            "call": None if request.call is None else describe_call(request.call),
        }
        if request.typed_data is not None:
            body["typed_data"] = request.typed_data
        return self._bytes(self._ask("POST", "/signatures", body), "signature", 64)

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        """The response's JSON, within the time limit as a whole: the client's own limit begins
        again with each byte, and a database transaction waits meanwhile."""
        responses: SimpleQueue[Any] = SimpleQueue()
        if not self._open_requests.acquire(timeout=self._timeout):
            raise self._unreachable("does not answer in time")

        def ask() -> None:
            try:
                responses.put(self._send(method, path, body))
            except Exception as error:
                responses.put(error)
            finally:
                self._open_requests.release()

        Thread(target=ask, daemon=True, name=self.name).start()
        try:
            response = responses.get(timeout=self._timeout)
        except Empty:
            raise self._unreachable("does not answer in time") from None
        if isinstance(response, Exception):
            raise response
        return response

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        try:
            with self._client.stream(method, self._path + path, json=body) as response:
                content = b""
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > _MAX_BYTES:
                        raise self._unreachable("answers with too much")
                if method == "POST" and response.status_code in _REFUSED:
                    raise SigningRefused(f"Not signed: {self.name} refuses it.")
                if response.status_code != httpx.codes.OK:
                    raise self._unreachable(f"answers with {response.status_code}")
            return json.loads(content)
        except httpx.TimeoutException:
            raise self._unreachable("does not answer in time") from None
        except httpx.HTTPError as error:
            # The message has no header: the token is not shown.
            raise self._unreachable(f"does not answer: {type(error).__name__}") from None
        except ValueError:
            raise self._unreachable("does not answer with JSON") from None

    def _bytes(self, answer: Any, field: str, length: int) -> bytes:
        try:
            value = bytes.fromhex(answer[field])
        except (KeyError, TypeError, ValueError):
            value = b""
        if len(value) != length:
            raise self._unreachable(f"does not answer with {length} bytes of {field} in hex")
        return value

    def _unreachable(self, what: str) -> Unreachable:
        return Unreachable(f"{self.name} {what}")


def describe_call(call: OutboundCall) -> dict[str, Any]:
    """An outbound call as JSON: amounts as decimal text, times as ISO 8601, bytes as hex."""
    described: dict[str, Any] = _plain(asdict(call))
    return described


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value
