"""Circle Gateway's API in tests, on this machine: keeps balances and attests to burn intents as
Circle does, and fails and lies where a test tells it to. It packs and verifies by code of its own.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

import httpx
from eth_abi.abi import decode, encode
from eth_account import Account
from eth_account.messages import encode_defunct, encode_typed_data
from eth_utils.crypto import keccak

CIRCLE_KEY = keccak(b"Circle's attester of Gateway in tests")
CIRCLE: str = Account.from_key(CIRCLE_KEY).address
STRANGER_KEY = keccak(b"no attester of Circle's")
DEPOSITED = "0x" + keccak(b"Deposited(address,address,address,uint256)").hex()
GAS_FEES = {0: 2_000_000, 1: 20_000, 3: 10_000, 6: 10_000}
WEEK_BLOCKS = {0: 50_400, 1: 302_400, 3: 50_400, 6: 302_400}
"""As contracts count them, in seven days: those of Ethereum on Arbitrum."""
_WORDS = (
    *("sourceContract", "destinationContract", "sourceToken", "destinationToken"),
    *("sourceDepositor", "destinationRecipient", "sourceSigner", "destinationCaller"),
)
_SPEC_TYPE = [
    *({"name": n, "type": "uint32"} for n in ("version", "sourceDomain", "destinationDomain")),
    *({"name": name, "type": "bytes32"} for name in _WORDS),
    {"name": "value", "type": "uint256"},
    {"name": "salt", "type": "bytes32"},
    {"name": "hookData", "type": "bytes"},
]
_INTENT_TYPE = [
    {"name": "maxBlockHeight", "type": "uint256"},
    {"name": "maxFee", "type": "uint256"},
    {"name": "spec", "type": "TransferSpec"},
]


@dataclass
class Network:
    """One chain as the service sees it."""

    url: str
    usdc: str
    wallet: str
    minter: str


@dataclass
class Held:
    """One attested transfer: what it keeps of a balance until it is burnt or has expired."""

    intent: dict[str, Any]
    signature: str
    packed: bytes
    fee: int
    max_block_height: int
    answer: dict[str, Any]
    burnt: bool = False


@dataclass
class GatewayService:
    """What a test sets and reads. `networks` are by domain.

    `lie`: what is wrong in each attestation: recipient, value, chain, or signer. `refuse`: in which
    words every burn intent is refused. `counts_fresh`: balances count deposits that are not final.
    `repeats`: whether the same intent gets the same answer again instead of a refusal. `lost`: so
    many answers are made and never arrive. `silent` drops the connection, `status` and `body` are
    returned to every request, `gas_factor` multiplies fees. An attestation expires after
    `expiry_blocks` blocks of its destination. `requests` are all that came, with their bodies.
    """

    networks: Mapping[int, Network] = field(default_factory=dict)
    lie: str = ""
    refuse: str = ""
    counts_fresh: bool = False
    repeats: bool = True
    lost: int = 0
    silent: bool = False
    status: int = 0
    body: bytes = b""
    gas_factor: int = 1
    expiry_blocks: int = 300
    requests: list[tuple[str, Any]] = field(default_factory=list)
    held: dict[bytes, Held] = field(default_factory=dict)
    url: str = ""
    lock: Lock = field(default_factory=Lock)
    client: httpx.Client = field(default_factory=lambda: httpx.Client(trust_env=False, timeout=30))

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        """Status and body of a request."""
        with self.lock:
            self.requests.append((path, body))
            match path:
                case "/v1/balances":
                    return 200, {"token": "USDC", "balances": self._balances(body["sources"])}
                case "/v1/estimate":
                    fee, asked = self.fee(body[0]["spec"]), body[0]
                    intent = {"burnIntent": {**asked, "maxFee": str(fee)}}
                    return 200, {"body": [intent], "fees": {"total": dollars(fee), "token": "USDC"}}
                case "/v1/transfer":
                    return self._transfer(body)
        return 404, {"message": "not found"}

    def fee(self, spec: Mapping[str, Any]) -> int:
        """The burn's gas, and half a basis point across chains, rounded up."""
        source, crosses = spec["sourceDomain"], spec["sourceDomain"] != spec["destinationDomain"]
        share = -(-int(spec["value"]) // 20_000) if crosses else 0
        return GAS_FEES[source] * self.gas_factor + share

    def burn_data(self, domain: int) -> bytes:
        """What Circle's burn of all that was minted from the deposits of a chain is called with."""
        ready = [
            one
            for one in self.held.values()
            if one.intent["spec"]["sourceDomain"] == domain and not one.burnt and self._is_used(one)
        ]
        for one in ready:
            one.burnt = True
        intents = [pack_intent(one.intent) for one in ready]
        signatures = [bytes.fromhex(one.signature[2:]) for one in ready]
        inner = encode(
            ["bytes[]", "bytes[]", "uint256[][]"],
            [intents, signatures, [[one.fee] for one in ready]],
        )
        return keccak(b"gatewayBurn(bytes,bytes)")[:4] + encode(["bytes", "bytes"], [inner, b""])

    def _balances(self, sources: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                "domain": source["domain"],
                "depositor": source["depositor"],
                "balance": dollars(self._balance(source["domain"], source["depositor"])),
            }
            for source in sources
        ]

    def _balance(self, domain: int, depositor: str) -> int:
        network = self.networks[domain]
        found = self._read(
            network, network.wallet, "availableBalance(address,address)", network.usdc, depositor
        )
        if not self.counts_fresh:
            final = self._rpc(network, "eth_getBlockByNumber", "finalized", False)["number"]
            log_filter = {
                "address": network.wallet,
                "topics": [DEPOSITED, None, "0x" + depositor[2:].lower().rjust(64, "0")],
                "fromBlock": hex(int(final, 16) + 1),
            }
            fresh = self._rpc(network, "eth_getLogs", log_filter)
            found -= sum(int(log["data"], 16) for log in fresh)
        return max(found - sum(self._kept(one, domain, depositor) for one in self.held.values()), 0)

    def _kept(self, one: Held, domain: int, depositor: str) -> int:
        spec = one.intent["spec"]
        is_its = spec["sourceDomain"] == domain and spec["sourceDepositor"][-40:].lower() == (
            depositor[-40:].lower()
        )
        if one.burnt or not is_its:
            return 0
        target = self.networks[spec["destinationDomain"]]
        height = int(self._rpc(target, "eth_blockNumber"), 16)
        expired = height > one.max_block_height and not self._is_used(one)
        return 0 if expired else int(spec["value"]) + one.fee

    def _transfer(self, asked: Sequence[Mapping[str, Any]]) -> tuple[int, Any]:
        intents = [one["burnIntent"] for one in asked]
        packed = [pack_spec(intent["spec"]) for intent in intents]
        known = self.held.get(keccak(packed[0]))
        if known is not None:
            if not self.repeats:
                return 400, {"success": False, "message": "This transfer was already submitted"}
            return 201, known.answer
        problems = [self._find_problem(one["burnIntent"], one["signature"]) for one in asked]
        if problem := self.refuse or next(filter(None, problems), ""):
            return 400, {"success": False, "message": problem}
        target = self.networks[intents[0]["spec"]["destinationDomain"]]
        last = int(self._rpc(target, "eth_blockNumber"), 16) + self.expiry_blocks
        payload = b"".join([self._attest(intent["spec"], last) for intent in intents])
        if len(asked) > 1:
            payload = b"\x1e\x12\xdb\x71" + len(asked).to_bytes(4, "big") + payload
        fee = sum(self.fee(intent["spec"]) for intent in intents)
        key = STRANGER_KEY if self.lie == "signer" else CIRCLE_KEY
        signed = Account.sign_message(encode_defunct(keccak(payload)), key).signature
        answer = {
            "transferId": f"00000000-0000-4000-8000-{len(self.held):012d}",
            "attestation": "0x" + payload.hex(),
            "signature": "0x" + bytes(signed).hex(),
            "fees": {"total": dollars(fee), "token": "USDC"},
            "expirationBlock": str(last),
        }
        for one, spec in zip(asked, packed, strict=True):
            intent = one["burnIntent"]
            own = self.fee(intent["spec"])
            self.held[keccak(spec)] = Held(intent, one["signature"], spec, own, last, answer)
        return 201, answer

    def _attest(self, spec: Mapping[str, Any], last: int) -> bytes:
        attested = pack_spec(self._with_lie(spec))
        return b"\xff\x6f\xb3\x34" + word(last) + len(attested).to_bytes(4, "big") + attested

    def _find_problem(self, intent: Mapping[str, Any], signature: str) -> str:
        spec = intent["spec"]
        network = self.networks[spec["sourceDomain"]]
        depositor, signer = ("0x" + spec[n][-40:] for n in ("sourceDepositor", "sourceSigner"))
        if recover(intent, signature).lower() != signer.lower():
            return "Invalid signature"
        function = "isAuthorizedForBalance(address,address,address)"
        if not self._read(network, network.wallet, function, network.usdc, depositor, signer):
            return "The signer is not authorized for this depositor"
        fee, height = self.fee(spec), int(self._rpc(network, "eth_blockNumber"), 16)
        if int(intent["maxBlockHeight"]) < height + WEEK_BLOCKS[spec["sourceDomain"]]:
            return "maxBlockHeight is too low"
        if int(intent["maxFee"]) < fee:
            return f"maxFee is below the fee of {dollars(fee)}"
        if self._balance(spec["sourceDomain"], depositor) < int(spec["value"]) + fee:
            return "Insufficient balance for depositor"
        return ""

    def _with_lie(self, spec: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.lie == "recipient":
            return {**spec, "destinationRecipient": "0x" + word(0xBAD).hex()}
        if self.lie == "value":
            return {**spec, "value": str(int(spec["value"]) - 1)}
        if self.lie == "chain":
            return {**spec, "destinationDomain": 1}
        return spec

    def _is_used(self, one: Held) -> bool:
        target = self.networks[one.intent["spec"]["destinationDomain"]]
        function = "isTransferSpecHashUsed(bytes32)"
        return bool(self._read(target, target.minter, function, keccak(one.packed)))

    def _read(self, network: Network, to: str, function: str, *values: Any) -> int:
        types = function[function.index("(") + 1 : -1].split(",")
        data = keccak(function.encode())[:4] + encode(types, values)
        result = self._rpc(network, "eth_call", {"to": to, "data": "0x" + data.hex()}, "latest")
        return int(decode(["uint256"], bytes.fromhex(result[2:]))[0])

    def _rpc(self, network: Network, method: str, *params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        answer = self.client.post(network.url, json=body).json()
        assert "error" not in answer, answer
        return answer["result"]


def dollars(units: int) -> str:
    """Units as decimal text."""
    return f"{units // 10**6}.{units % 10**6:06d}"


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def pack_spec(spec: Mapping[str, Any]) -> bytes:
    """A spec in its packed form."""
    numbers = [spec["version"], spec["sourceDomain"], spec["destinationDomain"]]
    hook = bytes.fromhex(spec["hookData"][2:])
    return b"".join(
        [
            b"\xca\x85\xde\xf7",
            *(number.to_bytes(4, "big") for number in numbers),
            *(bytes.fromhex(spec[name][2:]) for name in _WORDS),
            word(int(spec["value"])),
            bytes.fromhex(spec["salt"][2:]),
            len(hook).to_bytes(4, "big"),
            hook,
        ]
    )


def pack_intent(intent: Mapping[str, Any]) -> bytes:
    """A burn intent in its packed form."""
    packed = pack_spec(intent["spec"])
    numbers = word(int(intent["maxBlockHeight"])) + word(int(intent["maxFee"]))
    return b"\x07\x0a\xfb\xc2" + numbers + len(packed).to_bytes(4, "big") + packed


def recover(intent: Mapping[str, Any], signature: str) -> str:
    """Who signed a burn intent, by the library of typed data."""
    spec = dict(intent["spec"])
    for name in (*_WORDS, "salt", "hookData"):
        spec[name] = bytes.fromhex(spec[name][2:])
    spec["value"] = int(spec["value"])
    message = {
        "maxBlockHeight": int(intent["maxBlockHeight"]),
        "maxFee": int(intent["maxFee"]),
        "spec": spec,
    }
    typed = encode_typed_data(
        {"name": "GatewayWallet", "version": "1"},
        {"BurnIntent": _INTENT_TYPE, "TransferSpec": _SPEC_TYPE},
        message,
    )
    return str(Account.recover_message(typed, signature=bytes.fromhex(signature[2:])))


class _Handler(BaseHTTPRequestHandler):
    """Serves the service that its server has."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_POST(self) -> None:
        service = self.server.service
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if service.silent:
            service.requests.append((self.path, None))
            time.sleep(0.05)
            self.close_connection = True
            return
        if service.status:
            service.requests.append((self.path, json.loads(sent)))
            return self._respond(service.status, service.body)
        status, answer = service.answer(self.path, json.loads(sent))
        if service.lost and self.path == "/v1/transfer":
            service.lost -= 1
            self.close_connection = True
            return
        return self._respond(status, json.dumps(answer).encode())

    def _respond(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


class _Server(ThreadingHTTPServer):
    service: GatewayService
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""


@contextmanager
def running_gateway(networks: Mapping[int, Network]) -> Iterator[GatewayService]:
    """A service for these chains by domain, which ends with the block."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        service = GatewayService(networks=dict(networks))
        service.url = f"http://127.0.0.1:{server.server_address[1]}"
        server.service = service
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()
            service.client.close()
