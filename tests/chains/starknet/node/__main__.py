"""Starts a node: `python -m node MANIFEST`, and prints its port when it answers."""

import hashlib
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from starkware.starknet.services.api.contract_class.contract_class import CompiledClass

import node.faster  # noqa: F401
from node.chain import Blocks
from node.execution import config
from node.hands import Hands
from node.ledger import Classes, Ledger
from node.wire import Refusal


def hashing(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") >> 6


def loaded(manifest):
    """The classes of the manifest, and their hashes by name."""
    classes, names = Classes(), {}
    for name, facts in manifest["classes"].items():
        names[name] = number = int(facts["hash"], 16)
        classes.runnable[number] = CompiledClass.Schema().loads(Path(facts["casm"]).read_text())
        sierra = json.loads(Path(facts["sierra"]).read_text())
        classes.sierra[number] = {**sierra, "abi": json.dumps(sierra["abi"])}
    return classes, names


class Genesis:
    """What lies on the chain before its first block."""

    def __init__(self, manifest):
        self.classes, names = loaded(manifest)
        chain_id = int(manifest["chain_id"], 16)
        fee_token = int(manifest["fee_token"], 16)
        general = config(chain_id, fee_token)
        blocks = Blocks(general, fee_token, Ledger(self.classes, None), hashing)
        self.hands = Hands(blocks, self.classes, chain_id, names)
        for one in manifest["placed"]:
            self.hands.hand_place(one["address"], one["class"], one["calldata"])


def answer(hands, request):
    """The answer to one question."""
    made = {"jsonrpc": "2.0", "id": request.get("id")}
    params = request.get("params") or []
    method = getattr(hands, str(request.get("method")), None)
    if method is None or not str(request["method"]).startswith(("starknet_", "hand_")):
        return {**made, "error": {"code": -32601, "message": "Method not found"}}
    try:
        result = method(**params) if isinstance(params, dict) else method(*params)
    except Refusal as refusal:
        return {**made, "error": refusal.error}
    except (TypeError, KeyError, ValueError) as problem:
        words = {"code": -32602, "message": "Invalid params", "data": repr(problem)}
        return {**made, "error": words}
    return {**made, "result": result}


def serving(hands):
    """A server that answers one question after the other."""
    lock = threading.Lock()

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body in one packet: else every answer waits 40 ms for the asker's kernel.
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                if isinstance(asked, list):
                    told = [answer(hands, one) for one in asked]
                else:
                    told = answer(hands, asked)
            body = json.dumps(told).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Door)


def end_with_parent():
    """Whoever started the node holds its input open for as long as it lives."""
    sys.stdin.read()
    os._exit(0)


def main(path):
    manifest = json.loads(Path(path).read_text())
    server = serving(Genesis(manifest).hands)
    print(server.server_address[1], flush=True)
    threading.Thread(target=end_with_parent, daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
