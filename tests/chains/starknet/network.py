"""A real Starknet on this machine: Crossway's contracts, tokens of the catalogue, plain wallets."""

import atexit
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from starknet_py.hash.utils import private_to_stark_key

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.starknet.contracts import (
    UNIVERSAL_DEPLOYER,
    constructor_calldata,
    default_deployment,
)
from crossway.adapters.chains.starknet.felts import selector, split_u256, to_felt, to_hex_list
from crossway.catalogue import load_catalogue
from tests.chains.starknet.environment import HERE, classes, needed
from tests.processes import PATIENCE_SECONDS

CATALOGUE = load_catalogue()
CHAIN = "STARKNET_MAINNET"
STOCK = 10_000_000 * 10**6
COINS = 10_000 * 10**18
RELAYER_KEY = int.from_bytes(keccak256(b"a relayer of tests"), "big") >> 6
# Old tokens tell who was paid only in their events' data, and have old names alone.
TOKENS = {"USDC": "Token", "STRK": "Token", "ETH": "Token", "USDT": "OldToken", "DAI": "Token"}


def made_up(name: str) -> str:
    """An address that belongs to a name."""
    return canonical_address("starknet", hex(int.from_bytes(keccak256(name.encode()), "big") >> 6))


def address_of(symbol: str) -> str:
    return canonical_address("starknet", CATALOGUE.tokens[CHAIN, symbol].address)


RELAYER, PAYER, TREASURY, STRANGER = (
    made_up(f"a {who} of tests") for who in ("relayer", "payer", "treasury", "stranger")
)


@dataclass
class Starknet:
    """One running chain; it mines only by hand."""

    url: str
    process: subprocess.Popen[str]
    chain: str = CHAIN
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60, trust_env=False))
    relayer: str = RELAYER
    treasury: str = TREASURY
    stock: int = STOCK
    key: bytes = RELAYER_KEY.to_bytes(32, "big")
    sent: list[str] = field(default_factory=list)

    @property
    def token(self) -> str:
        return address_of("USDC")

    def fields(self) -> dict[str, Any]:
        return {"account": self.relayer}

    def wallet(self, name: str) -> str:
        return made_up(name)

    def rpc(self, method: str, *params: Any) -> Any:
        answer = self.asked(method, *params)
        assert "error" not in answer, answer
        return answer["result"]

    def asked(self, method: str, *params: Any) -> Any:
        """The whole answer, which can be a refusal."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        return self.client.post(self.url, json=body).json()

    @property
    def height(self) -> int:
        return int(self.rpc("starknet_blockNumber"))

    @property
    def time(self) -> datetime:
        block = self.rpc("starknet_getBlockWithTxHashes", "latest")
        return datetime.fromtimestamp(block["timestamp"], UTC)

    def mine(self, blocks: int = 1) -> None:
        self.rpc("hand_mine", blocks)

    def elapse(self, seconds: int) -> None:
        self.rpc("hand_elapse", seconds)

    def reorganise(self, depth: int) -> None:
        """Replace the newest blocks by empty ones; what wallets sent waits again."""
        first = self.height - depth
        again = []
        for number_ in range(first + 1, first + depth + 1):
            block = self.rpc("starknet_getBlockWithTxs", {"block_number": number_})
            again += [one for one in block["transactions"] if one["transaction_hash"] in self.sent]
        self.rpc("hand_reorganise", depth)
        for wire in again:
            self.rpc("hand_repeat", wire)

    def snapshot(self) -> int:
        return int(self.rpc("hand_snapshot"))

    def revert(self, name: int) -> None:
        """As it was at the snapshot, which can be come back to again."""
        self.rpc("hand_revert", name)
        self.sent.clear()

    def view(self, address: str, name: str, *felts: int, block: Any = "latest") -> list[int]:
        """What a contract answers."""
        answer = self.rpc("starknet_call", _call(address, name, felts), block)
        return [int(felt, 16) for felt in answer]

    def balance(self, address: str, token: str | None = None) -> int:
        token = token or self.token
        name = "balanceOf" if token == address_of("USDT") else "balance_of"
        low, high = self.view(token, name, to_felt(address))
        return high << 128 | low

    def call(self, address: str, name: str, *felts: int, by: str = PAYER) -> str:
        """A call by an account that pays no fee and whose signature nobody asks for. It waits for
        a block; its name."""
        made = str(self.rpc("hand_send", by, address, name, to_hex_list(felts)))
        self.sent.append(made)
        return made

    def carry_out(self, contract: str, data: str) -> str:
        """A call in a block, worked or not, by somebody who has nothing; its name. `data` are the
        name of an entry point and felts."""
        entry, *felts = data.split()
        name = self.call(contract, entry, *(int(felt, 16) for felt in felts), by=STRANGER)
        self.mine()
        return name

    def send(self, to: str, units: int, token: str | None = None) -> str:
        """A payment by a plain wallet, which waits for a block."""
        return self.call(token or self.token, "transfer", to_felt(to), *split_u256(units))

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        """A payment that is in a block."""
        made = self.send(to, units, token)
        self.mine()
        return made

    def give(self, to: str, units: int, token: str | None = None) -> None:
        """Units that come from nowhere, without a transaction."""
        self.rpc("hand_give", token or self.token, to, units)

    def refuse(self, address: str, token: str | None = None) -> None:
        """The token pays this address no more."""
        self.call(token or self.token, "block", to_felt(address), 1)
        self.mine()

    def place(self, address: str, name: str, *calldata: int) -> None:
        """A contract of this class at an address of one's choice."""
        self.rpc("hand_place", address, name, to_hex_list(calldata))

    def take_away(self, address: str) -> None:
        """No contract at this address any more."""
        self.rpc("hand_take_away", address)

    def refusal(self, name: str) -> str:
        """With what a mined transaction was refused; empty for one that worked."""
        words = str(self.receipt(name).get("revert_reason", ""))
        found = re.search(r"Failure reason:\n\(0x[0-9a-f]+ \('([^']+)'\)", words)
        return found[1] if found else words

    def receipt(self, name: str) -> dict[str, Any]:
        return dict(self.rpc("starknet_getTransactionReceipt", name))

    def stop(self) -> None:
        self.client.close()
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)
        for end in (self.process.stdin, self.process.stdout):
            if end is not None:
                end.close()


_SHARED: list[Starknet] = []


@contextmanager
def shared() -> Iterator[Starknet]:
    """The one Starknet of this process, put back as it was afterwards."""
    if not _SHARED:
        opened = running()
        _SHARED.append(opened.__enter__())
        atexit.register(opened.__exit__, None, None, None)
    (network,) = _SHARED
    before = network.snapshot()
    # Its newest block may be from long ago by the clock that the next one has.
    network.mine()
    try:
        yield network
    finally:
        network.revert(before)


def _call(address: str, name: str, felts: Sequence[int]) -> dict[str, Any]:
    return {
        "contract_address": hex(to_felt(address)),
        "entry_point_selector": hex(selector(name)),
        "calldata": to_hex_list(felts),
    }


def _placed() -> list[dict[str, Any]]:
    """What lies on the chain from the start."""
    found = default_deployment()
    signer = private_to_stark_key(RELAYER_KEY)
    places: list[tuple[str, str, tuple[int, ...]]] = [
        (UNIVERSAL_DEPLOYER, "Deployer", ()),
        (RELAYER, "Account", (signer,)),
        (found.factory, "IntentFactory", constructor_calldata("IntentFactory")),
        (found.escrow, "Escrow", constructor_calldata("Escrow")),
        (found.filler, "Filler", constructor_calldata("Filler")),
        *((address_of(symbol), name, ()) for symbol, name in TOKENS.items()),
    ]
    return [
        {"address": address, "class": name, "calldata": to_hex_list(calldata)}
        for address, name, calldata in places
    ]


@contextmanager
def running(chain: str = CHAIN) -> Iterator[Starknet]:
    """A Starknet of a chain of the catalogue with contracts and tokens; ends with the block."""
    python = needed()
    manifest = {
        "classes": classes(),
        "chain_id": CATALOGUE.chains[chain].chain_id,
        "fee_token": address_of("STRK"),
        "placed": _placed(),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "manifest.json"
        path.write_text(json.dumps(manifest))
        process = subprocess.Popen(
            [str(python), "-m", "node", str(path)],
            cwd=HERE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        assert port, "the Starknet of tests ended at its start"
        network = Starknet(f"http://127.0.0.1:{port}", process, chain)
        try:
            for symbol in TOKENS:
                for who in (PAYER, RELAYER):
                    units = COINS if symbol == "STRK" else STOCK
                    network.give(who, units, address_of(symbol))
            yield network
        finally:
            network.stop()
