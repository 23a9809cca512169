"""A node of Solana on this machine: a cluster behind JSON-RPC, with the hands that tests need."""

import base64
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Thread
from typing import Any

from solders.account import Account
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from crossway.catalogue import load_catalogue
from tests.chains.solana.answers import Answers, Refusal
from tests.chains.solana.cluster import Cluster, Landed

CATALOGUE = load_catalogue()
TOKEN = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
TOKEN_2022 = Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
ASSOCIATED = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
SYSTEM = Pubkey.default()
NATIVE = str(SYSTEM)
WRAPPED = "So11111111111111111111111111111111111111112"


def key_of(name: str) -> Keypair:
    """The key that belongs to a name."""
    return Keypair.from_seed(name.encode().ljust(32, b".")[:32])


PROGRAM = key_of("the program of tests").pubkey()
RICH = key_of("a plain wallet of tests")
RELAYER = key_of("a relayer of tests")
TREASURY = key_of("a treasury of tests")
STRANGER = key_of("a stranger of tests")
STOCK = 10_000_000 * 10**6
COINS = 10_000 * 10**9


def program_code() -> bytes:
    """The program as it is committed."""
    return files("crossway.adapters.chains.solana").joinpath("artifacts", "intent.so").read_bytes()


def dollars(chain: str) -> str:
    return CATALOGUE.tokens[chain, "USDC"].address


class Node:
    """One cluster behind HTTP. What it is asked is counted."""

    def __init__(self, chain: str, cluster: Cluster) -> None:
        self.chain, self.cluster = chain, cluster
        self.answers = Answers(cluster, chain)
        self.methods: Counter[str] = Counter()
        self.requests = 0
        self._number = 0
        self.programs: dict[str, Pubkey] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    # What wallets and a test's hands do.

    @property
    def height(self) -> int:
        return self.cluster.newest.slot

    @property
    def time(self) -> datetime:
        return datetime.fromtimestamp(self.cluster.newest.time, UTC)

    def in_seconds(self, seconds: float) -> datetime:
        """A time of the cluster's own clock, in whole seconds."""
        return self.time + timedelta(seconds=int(seconds))

    def mine(self, blocks: int = 1) -> None:
        self.cluster.mine(blocks)

    def reorganise(self, depth: int) -> None:
        self.cluster.reorganise(depth)

    def rpc(self, method: str, *params: Any) -> Any:
        return self.answers.to(method, list(params))

    def wallet(self, name: str) -> str:
        return str(key_of(name).pubkey())

    def associated(self, owner: str, mint: str) -> str:
        program = self.programs[mint]
        seeds = [bytes(Pubkey.from_string(owner)), bytes(program), bytes(Pubkey.from_string(mint))]
        return str(Pubkey.find_program_address(seeds, ASSOCIATED)[0])

    def coins(self, address: str) -> int:
        return int(self.cluster.svm.get_balance(Pubkey.from_string(address)) or 0)

    def balance(self, address: str, token: str | None = None) -> int:
        token = token or dollars(self.chain)
        if token in (NATIVE, "native"):
            return self.coins(address)
        there = self.cluster.svm.get_account(Pubkey.from_string(self.associated(address, token)))
        return int.from_bytes(there.data[64:72], "little") if there else 0

    def put_mint(self, mint: str, program: Pubkey = TOKEN, more: bytes = b"") -> None:
        """A token of six decimals; `more` are extensions, as Token-2022 stores them."""
        plain = bytes(36) + (2**62).to_bytes(8, "little") + bytes([6, 1]) + bytes(36)
        data = plain + bytes(83) + b"\1" + more if more else plain
        self.programs[mint] = program
        self.cluster.put(Pubkey.from_string(mint), Account(10**9, data, program, False, 0))

    def give(self, owner: str, units: int, mint: str | None = None, more: bytes = b"") -> None:
        """Tokens or coins out of nowhere, for setting up."""
        mint = mint or dollars(self.chain)
        if mint in (NATIVE, "native"):
            self.cluster.put(Pubkey.from_string(owner), Account(units, b"", SYSTEM, False, 0))
            return
        data = bytes(Pubkey.from_string(mint)) + bytes(Pubkey.from_string(owner))
        data += units.to_bytes(8, "little") + bytes(36) + b"\1"
        program, own = self.programs[mint], self.cluster.svm.minimum_balance_for_rent_exemption(165)
        # A token account of wrapped SOL holds as many lamports, besides its rent.
        wrapped = b"\1\0\0\0" + own.to_bytes(8, "little") if mint == WRAPPED else bytes(12)
        data += wrapped + bytes(44)
        if program == TOKEN_2022:
            data += b"\2" + b"\7\0\0\0" + more
        place = Pubkey.from_string(self.associated(owner, mint))
        rent = self.cluster.svm.minimum_balance_for_rent_exemption(len(data))
        lamports = rent + (units if mint == WRAPPED else 0)
        self.cluster.put(place, Account(lamports, data, program, False, 0))

    def freeze(self, owner: str, mint: str) -> None:
        """The mint's authority freezes an owner's account, which is made where there is none."""
        if self.cluster.svm.get_account(Pubkey.from_string(self.associated(owner, mint))) is None:
            self.give(owner, 0, mint)
        self.rewrite(owner, mint, 108, b"\2")

    def rewrite(self, owner: str, mint: str, at: int, content: bytes) -> None:
        """Other content in the data of an owner's token account."""
        place = Pubkey.from_string(self.associated(owner, mint))
        there = self.cluster.svm.get_account(place)
        assert there is not None
        data = there.data[:at] + content + there.data[at + len(content) :]
        self.cluster.put(place, Account(there.lamports, data, there.owner, False, 0))

    def creation(self, payer: str, owner: str, mint: str) -> Instruction:
        """Make a token account where there is none."""
        keys = (payer, self.associated(owner, mint), owner, mint)
        places = [Pubkey.from_string(key) for key in keys] + [SYSTEM, self.programs[mint]]
        metas = [AccountMeta(key, i == 0, i < 2) for i, key in enumerate(places)]
        return Instruction(ASSOCIATED, b"\1", metas)

    def payment(self, sender: str, to: str, units: int, token: str) -> list[Instruction]:
        """What a wallet signs to pay an owner, whatever that is."""
        if token in (NATIVE, "native"):
            keys = Pubkey.from_string(sender), Pubkey.from_string(to)
            moved = TransferParams(from_pubkey=keys[0], to_pubkey=keys[1], lamports=units)
            return [transfer(moved)]
        places = (self.associated(sender, token), token, self.associated(to, token), sender)
        metas = [
            AccountMeta(Pubkey.from_string(k), i == 3, i in (0, 2)) for i, k in enumerate(places)
        ]
        mint = self.cluster.svm.get_account(Pubkey.from_string(token))
        assert mint is not None
        data = b"\x0c" + units.to_bytes(8, "little") + mint.data[44:45]
        sending = Instruction(self.programs[token], data, metas)
        return [self.creation(sender, to, token), sending]

    def send(self, to: str, units: int, token: str | None = None, by: Keypair = RICH) -> str:
        """A payment by a plain wallet, which waits for a block; its name."""
        paid = self.payment(str(by.pubkey()), to, units, token or dollars(self.chain))
        return self.cluster.send(self.signed(paid, by), wallet=True)

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        """A payment that is in a block."""
        name = self.send(to, units, token)
        self.mine()
        return name

    def signed(
        self, instructions: Sequence[Instruction], *keys: Keypair, on: Hash | None = None
    ) -> VersionedTransaction:
        """A transaction that the first key pays for; signed on a final block, which no fork takes
        away. Equal ones get different names."""
        self._number += 1
        price = b"\2" + (1_400_000 - self._number % 400_000).to_bytes(4, "little")
        budget = Instruction(
            Pubkey.from_string("ComputeBudget111111111111111111111111111111"), price, []
        )
        message = Message.new_with_blockhash(
            [budget, *instructions], keys[0].pubkey(), on or self.cluster.finalized.hash
        )
        return VersionedTransaction(message, list(keys))

    def do(self, instructions: Sequence[Instruction], *keys: Keypair) -> Landed:
        """A transaction that is in a block, worked or not."""
        name = self.cluster.send(self.signed(instructions, *keys))
        self.mine()
        return self.cluster.landed[name]

    def carry_out(self, data: str, by: Keypair = STRANGER) -> Landed:
        """An instruction as JSON in a block, worked or not, by somebody who has nothing but coins
        for its fee and puts their own account first, as its note says; nothing is added to it."""
        asked = json.loads(data)
        signer, *others = asked["accounts"]
        metas = [
            AccountMeta(Pubkey.from_string(a["pubkey"]), a["isSigner"], a["isWritable"])
            for a in ({**signer, "pubkey": str(by.pubkey())}, *others)
        ]
        program = Pubkey.from_string(asked["programId"])
        called = Instruction(program, base64.b64decode(asked["data"]), metas)
        self.give(str(by.pubkey()), 10**7, NATIVE)
        message = Message.new_with_blockhash([called], by.pubkey(), self.cluster.finalized.hash)
        name = self.cluster.send(VersionedTransaction(message, [by]))
        self.mine()
        return self.cluster.landed[name]

    # HTTP.

    def answer(self, body: bytes) -> bytes:
        asked = json.loads(body)
        self.requests += 1
        if isinstance(asked, list):
            return json.dumps([self._one(one) for one in asked]).encode()
        return json.dumps(self._one(asked)).encode()

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.methods[asked["method"]] += 1
        head = {"jsonrpc": "2.0", "id": asked.get("id")}
        try:
            return {**head, "result": self.answers.to(asked["method"], asked.get("params") or [])}
        except Refusal as refusal:
            return {**head, "error": refusal.error}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        node = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self) -> None:
                content = node.answer(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                return

        return Handler


@contextmanager
def running(chain: str = "SOLANA_MAINNET", ready: bool = True, **settings: Any) -> Iterator[Node]:
    """A node with the program, dollars, and money for the plain wallet and the relayer; it ends
    with the block. Its cluster moves only by hand."""
    node = Node(chain, Cluster(**settings))
    try:
        for one in (RICH, RELAYER):
            node.give(str(one.pubkey()), COINS, NATIVE)
        node.put_mint(dollars(chain))
        for one in (RICH, RELAYER):
            node.give(str(one.pubkey()), STOCK)
        if ready:
            node.cluster.put_program(PROGRAM, program_code(), RELAYER.pubkey())
        yield node
    finally:
        node.close()
