"""A Tron node of this machine: the methods that java-tron has, and no others, over anvil."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx

from crossway.adapters.chains.evm.rpc_schemas import TRANSFER as TRANSFER_EVENT
from tests.chains.front import (
    BROKEN,
    BUSY,
    FORGING,
    GONE,
    HONEST,
    LAGGING,
    NONSENSE,
    WRONG_CHAIN,
)
from tests.chains.tron.machine import (
    BYTE_SUN,
    ENERGY_SUN,
    OK,
    TRANSFER,
    Machine,
    Sent,
)

_PASSED = {
    "eth_chainId", "net_version", "eth_blockNumber", "eth_getBlockByNumber", "eth_getBlockByHash",
    "eth_getBalance", "eth_call", "eth_getCode", "eth_estimateGas", "eth_gasPrice", "eth_getLogs",
    "eth_getTransactionByHash", "eth_getTransactionReceipt",
}  # fmt: skip
_STATE = {"eth_getBalance": 1, "eth_call": 1, "eth_getCode": 1}
_MOST_BLOCKS, _MOST_TOPICS = 5_000, 1_000
_NO_METHOD, _PARAMS, _INSIDE = -32601, -32602, -32000
SECRET = "a-secret-key"


class Refused(Exception):
    """What the node says instead of an answer."""

    def __init__(self, code: int, words: str, data: str = "") -> None:
        super().__init__(words)
        self.code, self.words, self.data = code, words, data


class Front:
    """Stands before a machine; `mood` is how it behaves now."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.mood = machine, HONEST
        self.forged: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self.requests = 0
        self.methods: Counter[str] = Counter()
        self._client = httpx.Client(timeout=30, trust_env=False)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{SECRET}@{self.host}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._client.close()

    def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        self.requests += 1
        if self.mood == BUSY:
            return 429, b'{"Error": "The key exceeds the frequency limit(15)"}'
        if self.mood == BROKEN:
            return 502, b"<html>bad gateway</html>"
        if self.mood == NONSENSE:
            return 200, b"<html>Welcome!</html>"
        asked = json.loads(body or b"{}")
        if path == "/jsonrpc":
            several = asked if isinstance(asked, list) else [asked]
            self.methods.update(one["method"] for one in several)
            told: Any = [self._spoken(one) for one in several]
            told = told if isinstance(asked, list) else told[0]
        else:
            self.methods.update([path])
            told = self._path(path, asked)
        return 200, json.dumps(told).encode()

    # JSON-RPC

    def _spoken(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            result = self._result(asked["method"], asked["params"])
        except Refused as error:
            said = {"code": error.code, "message": error.words, "data": error.data or {}}
            return {"jsonrpc": "2.0", "id": asked["id"], "error": said}
        return {"jsonrpc": "2.0", "id": asked["id"], "result": result}

    def _result(self, method: str, params: list[Any]) -> Any:
        if method not in _PASSED:
            raise Refused(_NO_METHOD, f"the method {method} does not exist/is not available")
        if method == "eth_chainId" and self.mood == WRONG_CHAIN:
            return "0x1"
        if method in _STATE and params[_STATE[method]] != "latest":
            raise Refused(_PARAMS, "QUANTITY not supported, just support TAG as latest")
        if "pending" in params[:2]:
            raise Refused(_PARAMS, "TAG pending not supported")
        if method == "eth_call":
            self._check_call(params[0])
        if method == "eth_getLogs":
            _check_logs(params[0])
        machine = self.machine
        if method in ("eth_getTransactionByHash", "eth_getTransactionReceipt"):
            sent = machine.sent.get(params[0][2:])
            params = [sent.names[-1] if sent and sent.names else params[0]]
        answer = self._anvil(method, params)
        if method == "eth_getTransactionReceipt" and answer:
            # As older nodes do: counted by the transaction, where logs are counted by the block.
            for place, log in enumerate(answer["logs"]):
                log["logIndex"] = hex(place)
        if method == "eth_getTransactionByHash" and answer and answer["blockHash"] is None:
            return None
        if method == "eth_getLogs" and self.mood == FORGING:
            answer = [*answer, *self._forgeries(params[0])]
        return self._renamed(answer)

    def _anvil(self, method: str, params: list[Any]) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        told = self._client.post(self.machine.anvil.url, json=body).json()
        if "error" in told:
            error = told["error"]
            words = error["message"].replace("execution reverted", "REVERT opcode executed")
            raise Refused(_INSIDE, words, error.get("data") or "")
        return told["result"]

    def _check_call(self, call: dict[str, Any]) -> None:
        if not call.get("to"):
            raise Refused(_PARAMS, "invalid address hash value")
        if self.machine.anvil.rpc("eth_getCode", call["to"], "latest") == "0x":
            raise Refused(_INSIDE, "Smart contract is not exist.")

    def _forgeries(self, span: dict[str, Any]) -> list[dict[str, Any]]:
        if span["topics"][0] != TRANSFER_EVENT:
            return []
        low, high = int(span["fromBlock"], 16), int(span["toBlock"], 16)
        return [one for one in self.forged if low <= int(one["blockNumber"], 16) <= high]

    def _renamed(self, value: Any) -> Any:
        """What anvil calls by its own names, by Tron's; payments for bandwidth are none."""
        machine = self.machine
        if isinstance(value, dict):
            told = {key: self._renamed(one) for key, one in value.items()}
            if "gasPrice" in told and "input" in told:
                # A call's data is not told, and nothing has a nonce.
                told |= {"nonce": None, "input": "0x"}
            return told
        if isinstance(value, list):
            kept = [
                one
                for one in value
                if (one.get("hash") if isinstance(one, dict) else one) not in machine.burns
            ]
            return [self._renamed(one) for one in kept]
        if isinstance(value, str) and value in machine.by_name:
            return "0x" + machine.by_name[value]
        return value

    # HTTP

    def _path(self, path: str, asked: dict[str, Any]) -> Any:
        with self.machine.lock:
            paths: dict[str, Callable[[dict[str, Any]], Any]] = {
                "/wallet/broadcasthex": self._broadcast,
                "/wallet/gettransactioninfobyid": lambda a: self._info(a["value"], "latest"),
                "/walletsolidity/gettransactioninfobyid": (
                    lambda a: self._info(a["value"], "finalized")
                ),
                "/wallet/gettransactionbyid": self._by_id,
                "/wallet/gettransactionfrompending": self._pending,
                "/wallet/gettransactionlistfrompending": self._all_pending,
                "/wallet/getblockbylimitnext": self._blocks,
                "/wallet/gettransactioninfobyblocknum": self._infos,
                "/wallet/getnowblock": lambda _: self._block("latest"),
                "/walletsolidity/getnowblock": lambda _: self._block("finalized"),
                "/wallet/getchainparameters": lambda _: _PARAMETERS,
                "/wallet/getaccountresource": self._resources,
            }
            if path not in paths:
                return {"Error": f"class java.lang.Exception : there is no {path}"}
            return paths[path](asked)

    def _broadcast(self, asked: dict[str, Any]) -> Any:
        code, words, name = self.machine.broadcast(bytes.fromhex(asked["transaction"]))
        if code == OK:
            return {"result": True, "code": code, "txid": name, "message": ""}
        return {"code": code, "txid": name, "message": words.encode().hex()}

    def _resources(self, asked: dict[str, Any]) -> Any:
        return {
            "freeNetLimit": 600,
            "freeNetUsed": 600 - min(self.machine.free_bytes, 600),
            "NetLimit": self.machine.free_bytes,
            "EnergyLimit": self.machine.staked_energy,
        }

    def _info(self, name: str, tag: str) -> Any:
        sent = self.machine.sent.get(name)
        receipt = self._anvil(
            "eth_getTransactionReceipt", [sent.names[-1] if sent else "0x" + name]
        )
        last = int(self.machine.block(tag)["number"], 16)
        if receipt is None or int(receipt["blockNumber"], 16) > last:
            return {}
        return self._told(receipt, name, sent)

    def _told(self, receipt: Any, name: str, sent: Sent | None) -> Any:
        block = self.machine.block(int(receipt["blockNumber"], 16))
        energy, burnt = self.machine.fee(receipt, sent) if sent else (0, 0)
        trace = self._anvil(
            "debug_traceTransaction", [receipt["transactionHash"], {"tracer": "callTracer"}]
        )
        worked = int(receipt["status"], 16) == 1
        used_up = not worked and trace.get("error", "").lower().startswith("out of gas")
        told = {
            "id": name,
            "fee": energy + burnt,
            "blockNumber": int(receipt["blockNumber"], 16),
            "blockTimeStamp": int(block["timestamp"], 16) * 1000,
            "contractResult": [trace.get("output", "0x")[2:]],
            "receipt": {
                "energy_usage_total": int(receipt["gasUsed"], 16),
                "energy_fee": energy,
                "net_fee": burnt,
                "result": OK if worked else "OUT_OF_ENERGY" if used_up else "REVERT",
            },
            "internal_transactions": [_inner(one) for one in _calls(trace)],
        }
        return told if worked else {**told, "result": "FAILED"}

    def _by_id(self, asked: dict[str, Any]) -> Any:
        sent = self.machine.sent.get(asked["value"])
        return _raw(sent) if sent and self.machine.receipt(sent) else {}

    def _pending(self, asked: dict[str, Any]) -> Any:
        sent = self.machine.sent.get(asked["value"])
        return _raw(sent) if sent and self.machine.waits(sent) else {}

    def _all_pending(self, asked: dict[str, Any]) -> Any:
        return {"txId": [n for n, sent in self.machine.sent.items() if self.machine.waits(sent)]}

    def _blocks(self, asked: dict[str, Any]) -> Any:
        first, end = asked["startNum"], min(asked["endNum"], self.machine.anvil.height + 1)
        if asked["endNum"] - first > 100:
            return {}
        return {"block": [self._block(height) for height in range(first, end)]}

    def _block(self, name: str | int) -> Any:
        found = self.machine.block(name, True)
        named = [one for one in found["transactions"] if one["hash"] not in self.machine.burns]
        head = {
            "number": int(found["number"], 16),
            "parentHash": found["parentHash"][2:],
            "timestamp": int(found["timestamp"], 16) * 1000,
        }
        return {
            "blockID": found["hash"][2:],
            "block_header": {"raw_data": head},
            "transactions": [self._listed(one) for one in named],
        }

    def _listed(self, one: Any) -> Any:
        worked = int(self._anvil("eth_getTransactionReceipt", [one["hash"]])["status"], 16)
        sent = self.machine.sent.get(self.machine.by_name.get(one["hash"], ""))
        told = _raw(sent) if sent else _made_up(one)
        return {**told, "ret": [{"contractRet": OK if worked else "REVERT"}]}

    def _infos(self, asked: dict[str, Any]) -> Any:
        if self.mood == LAGGING:
            # As a machine answers that does not have the block yet.
            return []
        block = self.machine.block(asked["num"])
        names = [one for one in block["transactions"] if one not in self.machine.burns]
        found = [self.machine.by_name.get(one, one.removeprefix("0x")) for one in names]
        return [self._info(one, "latest") for one in found]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        front = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                front.keys.add(self.headers.get("TRON-PRO-API-KEY"))
                if front.mood == GONE:
                    self.close_connection = True
                    return
                status, content = front.answer(self.path, body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                return

        return Handler


_PARAMETERS = {
    "chainParameter": [
        {"key": "getEnergyFee", "value": ENERGY_SUN},
        {"key": "getTransactionFee", "value": BYTE_SUN},
        {"key": "getAllowOptimizedReturnValueOfChainId", "value": 1},
        {"key": "getAllowMultiSign"},
    ]
}


def _check_logs(span: dict[str, Any]) -> None:
    if int(span["toBlock"], 16) - int(span["fromBlock"], 16) > _MOST_BLOCKS:
        raise Refused(_PARAMS, f"exceed max block range: {_MOST_BLOCKS}")
    if any(isinstance(one, list) and len(one) > _MOST_TOPICS for one in span["topics"]):
        raise Refused(_PARAMS, f"exceed max topics: {_MOST_TOPICS}")


def _raw(sent: Sent) -> dict[str, Any]:
    owner, to = "41" + sent.owner[2:], "41" + sent.to[2:]
    if sent.kind == TRANSFER:
        value: dict[str, Any] = {"owner_address": owner, "to_address": to, "amount": sent.units}
        kind = "TransferContract"
    else:
        value = {"owner_address": owner, "contract_address": to, "data": sent.data.hex()}
        value |= {"call_value": sent.units} if sent.units else {}
        kind = "TriggerSmartContract"
    contract = {"type": kind, "parameter": {"value": value}}
    return {
        "txID": sent.tx_id,
        "raw_data": {"contract": [contract]},
        "raw_data_hex": sent.raw.hex(),
    }


def _made_up(one: Any) -> dict[str, Any]:
    """A transaction that somebody sent to anvil itself."""
    value = {"owner_address": "41" + one["from"][2:], "contract_address": "41" + one["to"][2:]}
    units = {"call_value": int(one["value"], 16)} if int(one["value"], 16) else {}
    contract = {"type": "TriggerSmartContract", "parameter": {"value": {**value, **units}}}
    return {"txID": one["hash"][2:], "raw_data": {"contract": [contract]}, "raw_data_hex": ""}


def _calls(trace: Any, rejected: bool = False) -> Iterator[tuple[Any, bool]]:
    """Every call within a transaction, with whether it was undone."""
    undone = rejected or "error" in trace
    for call in trace.get("calls", []):
        yield call, undone or "error" in call
        yield from _calls(call, undone)


def _inner(one: tuple[Any, bool]) -> dict[str, Any]:
    call, undone = one
    units = int(call.get("value", "0x0"), 16) if call["type"] == "CALL" else 0
    told = {
        "caller_address": "41" + call["from"][2:],
        "transferTo_address": "41" + call["to"][2:],
        "callValueInfo": [{"callValue": units}] if units else [{}],
        "note": b"call".hex(),
    }
    return {**told, "rejected": True} if undone else told


@contextmanager
def front_of(machine: Machine) -> Iterator[Front]:
    made = Front(machine)
    try:
        yield made
    finally:
        made.close()
