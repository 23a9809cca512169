"""Real EVM chains on this machine: anvil with Crossway's contracts and tokens of the catalogue."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.evm.call_costs import (
    ARBITRUM_NODE_INTERFACE,
    OP_GAS_PRICE_ORACLE,
)
from crossway.adapters.chains.evm.chain_context import load_chain_params
from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, default_deployment, init_code
from crossway.adapters.chains.words import address_word, number_word
from crossway.catalogue import load_catalogue
from tests.ports import free_port
from tests.processes import PATIENCE_SECONDS, ROOT, wait_until

MODULES = ROOT / "node_modules"
BINARY = MODULES / "@foundry-rs" / "anvil-linux-amd64" / "bin" / "anvil"
RELAYER_KEY = "0x" + keccak256(b"a relayer of tests").hex()
RELAYER: str = Account.from_key(RELAYER_KEY).address
TREASURY = canonical_address("evm", "0x" + keccak256(b"a treasury of tests")[-20:].hex())
COORDINATOR_KEY = "0x" + keccak256(b"a cold coordinator of tests").hex()
COORDINATOR: str = Account.from_key(COORDINATOR_KEY).address
STRANGER_KEY = "0x" + keccak256(b"a stranger of tests").hex()
# The first of the accounts that anvil gives money to.
RICH_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
RICH: LocalAccount = Account.from_key(RICH_KEY)
STOCK = 10_000_000 * 10**6
COINS = 10_000 * 10**18
REVERTING = "0x60006000fd"
CATALOGUE = load_catalogue()
EPOCH = 4
# Wei of a transaction on one rollup, gas on the other.
L1_ANSWER = 50_000


def needed() -> None:
    """Skip, and say what to do, where there is no anvil."""
    if not BINARY.exists():
        pytest.skip(f"anvil is not installed: run `npm install` in {ROOT}")


def token_code(name: str, file: str = "tokens.sol") -> str:
    """The runtime code of a token of tokens.sol, or of another file."""
    # Not optimized: the gas figures of docs/contracts.md and of quotes are measured with these.
    return compiled(Path(__file__).parent / file, optimized=False)[name]


@cache
def compiled(path: Path, optimized: bool = True) -> dict[str, str]:
    """The runtime code of each contract in a file, which imports others of its folder at most."""
    asked = {
        "language": "Solidity",
        "sources": {name: {"content": text} for name, text in _with_imports(path).items()},
        "settings": {
            "evmVersion": "paris",
            "optimizer": {"enabled": optimized},
            "outputSelection": {"*": {"*": ["evm.deployedBytecode.object"]}},
        },
    }
    # Compiling takes seconds, and its result is the same each time.
    digest = keccak256(json.dumps(asked).encode()).hex()
    kept = Path(tempfile.gettempdir()) / f"crossway-{path.stem}-{digest}"
    if kept.exists():
        return _runtime_codes(kept)
    program = "process.stdout.write(require('solc').compile(require('fs').readFileSync(0,'utf8')))"
    done = subprocess.run(
        ["node", "-e", program],
        input=json.dumps(asked).encode(),
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=PATIENCE_SECONDS,
    )
    part = kept.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(json.loads(done.stdout)["contracts"][path.name]))
    part.rename(kept)
    return _runtime_codes(kept)


def _with_imports(path: Path) -> dict[str, str]:
    """The source of a file and those that it imports, by name."""
    source = path.read_text()
    found = {path.name: source}
    for name in re.findall(r'from "\./(\w+\.sol)"', source):
        found |= _with_imports(path.parent / name)
    return found


def _runtime_codes(kept: Path) -> dict[str, str]:
    contracts = json.loads(kept.read_text())
    return {
        name: "0x" + str(contract["evm"]["deployedBytecode"]["object"])
        for name, contract in contracts.items()
    }


def dollars(chain: str) -> str:
    return CATALOGUE.tokens[chain, "USDC"].address


@dataclass
class Anvil:
    """One running chain."""

    chain: str
    url: str
    process: subprocess.Popen[bytes] | None = None
    sent: list[str] = field(default_factory=list)
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=30, trust_env=False))
    relayer: str = RELAYER
    treasury: str = TREASURY
    stock: int = STOCK
    key: bytes = bytes.fromhex(RELAYER_KEY[2:])
    coordinator: str = ""

    @property
    def token(self) -> str:
        return dollars(self.chain)

    def fields(self) -> dict[str, Any]:
        return {"coordinator": self.coordinator} if self.coordinator else {}

    def wallet(self, name: str) -> str:
        """An address that belongs to a name."""
        return canonical_address("evm", "0x" + keccak256(name.encode())[-20:].hex())

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
        return int(self.rpc("eth_blockNumber"), 16)

    @property
    def time(self) -> datetime:
        block = self.rpc("eth_getBlockByNumber", "latest", False)
        return datetime.fromtimestamp(int(block["timestamp"], 16), UTC)

    def mine(self, blocks: int = 1) -> None:
        self.rpc("anvil_mine", hex(blocks))

    def balance(self, address: str, token: str | None = None) -> int:
        data = keccak256(b"balanceOf(address)")[:4] + address_word("evm", address)
        call = {"to": token or dollars(self.chain), "data": "0x" + data.hex()}
        return int(self.rpc("eth_call", call, "latest"), 16)

    def coins(self, address: str) -> int:
        return int(self.rpc("eth_getBalance", address, "latest"), 16)

    def transact(
        self, to: str, data: bytes = b"", value: int = 0, key: str = RICH_KEY, gas: int = 3_000_000
    ) -> str:
        """A raw transaction by a plain wallet; its name. It is mined only by `mine`."""
        raw = self.signed(to, data, value, key, gas)
        self.sent.append(raw)
        return str(self.rpc("eth_sendRawTransaction", raw))

    def signed(
        self,
        to: str,
        data: bytes,
        value: int,
        key: str,
        gas: int = 3_000_000,
        price: int = 10**10,
        nonce: int | None = None,
    ) -> str:
        """A raw transaction that is not sent; by default the next of its account."""
        who = Account.from_key(key)
        if nonce is None:
            nonce = int(self.rpc("eth_getTransactionCount", who.address, "pending"), 16)
        signed = who.sign_transaction(
            {"chainId": int(CATALOGUE.chains[self.chain].chain_id), "nonce": nonce, "to": to,
             "data": data, "value": value, "gas": gas, "maxFeePerGas": price,
             "maxPriorityFeePerGas": price // 10}
        )  # fmt: skip
        return "0x" + bytes(signed.raw_transaction).hex()

    def send(self, to: str, units: int, token: str | None = None) -> str:
        """A payment by a plain wallet of a token, or with the zero address of coins."""
        token = token or dollars(self.chain)
        if int(token, 16) == 0:
            return self.transact(to, value=units)
        data = keccak256(b"transfer(address,uint256)")[:4]
        return self.transact(token, data + address_word("evm", to) + number_word(units))

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        """A payment that is in a block."""
        name = self.send(to, units, token)
        self.mine()
        return name

    def carry_out(self, contract: str, data: str, key: str = STRANGER_KEY) -> str:
        """A call in a block, worked or not, by somebody who has nothing but coins for its fee; its
        name."""
        self.rpc("anvil_setBalance", Account.from_key(key).address, hex(10**17))
        name = self.transact(contract, bytes.fromhex(data[2:]), key=key)
        self.mine()
        return name

    def call_token(self, token: str, signature: str, *words: bytes, key: str = RICH_KEY) -> None:
        self.transact(token, keccak256(signature.encode())[:4] + b"".join(words), key=key)
        self.mine()

    def refuse(self, address: str, token: str | None = None) -> None:
        """The token takes no transfer to this address any more, as by a deny list; of coins, a
        contract there takes none."""
        token = token or dollars(self.chain)
        if int(token, 16) == 0:
            self.rpc("anvil_setCode", address, REVERTING)
        else:
            words = address_word("evm", address), number_word(1)
            self.call_token(token, "refuse(address,bool)", *words)

    def put_token(self, address: str, kind: str = "Plain", units: int = STOCK) -> None:
        """A token at this address, of which wallet and relayer have plenty."""
        self.rpc("anvil_setCode", address, token_code(kind))
        for who in (RICH.address, RELAYER):
            self.call_token(
                address, "mint(address,uint256)", address_word("evm", who), number_word(units)
            )
        filler = address_word("evm", default_deployment().filler2)
        everything = number_word(2**256 - 1)
        self.call_token(address, "approve(address,uint256)", filler, everything, key=RELAYER_KEY)

    def sign_dollars(self, kind: str = "Signed") -> None:
        """From now on the dollars move by their holder's signature, too."""
        self.rpc("anvil_setCode", dollars(self.chain), token_code(kind, "signed_tokens.sol"))

    def reorganise(self, depth: int) -> None:
        """Replace the newest blocks by empty ones; what wallets sent waits again."""
        self.rpc("anvil_reorg", depth, [])
        for raw in self.sent:
            # What still stands is refused for its nonce.
            with suppress(AssertionError):
                self.rpc("eth_sendRawTransaction", raw)

    def stop(self) -> None:
        self.client.close()
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE_SECONDS)


@contextmanager
def running(chain: str, block_seconds: float | None = None, ready: bool = True) -> Iterator[Anvil]:
    """An anvil of a chain of the catalogue with contracts and dollars, which ends with the block.
    Without `block_seconds` it mines only by hand."""
    needed()
    port = free_port()
    process = subprocess.Popen(
        [str(BINARY), "--silent", "--port", str(port), "--chain-id",
         CATALOGUE.chains[chain].chain_id, "--slots-in-an-epoch", str(EPOCH), "--no-mining",
         "--gas-limit", "200000000"]
    )  # fmt: skip
    anvil = Anvil(chain, f"http://127.0.0.1:{port}", process)
    try:
        wait_until("anvil answers", lambda: _answers(anvil), every=0.02)
        put_l1_oracle(anvil)
        if ready:
            set_up(anvil)
        if block_seconds is not None:
            anvil.rpc("evm_setIntervalMining", block_seconds)
        yield anvil
    finally:
        anvil.stop()


def set_up(anvil: Anvil) -> None:
    """Contracts, dollars, and money for the relayer."""
    anvil.rpc("anvil_setBalance", RELAYER, hex(COINS))
    for name in ("IntentFactory", "Escrow2", "Filler2"):
        anvil.transact(DEPLOYER, SALT + init_code(name))
        anvil.mine()
    anvil.put_token(dollars(anvil.chain))


def put_l1_oracle(anvil: Anvil, answer: int = L1_ANSWER) -> None:
    """What a rollup has to tell its L1 costs: a contract that answers anything with this number."""
    oracles = {"optimism": OP_GAS_PRICE_ORACLE, "arbitrum": ARBITRUM_NODE_INTERFACE}
    if (at := oracles.get(load_chain_params(anvil.chain).l1_fee)) is not None:
        anvil.rpc("anvil_setCode", at, f"0x7f{answer:064x}60005260206000f3")


def _answers(anvil: Anvil) -> bool:
    assert anvil.process is not None
    assert anvil.process.poll() is None, "anvil ended"
    try:
        return bool(anvil.rpc("eth_chainId"))
    except httpx.TransportError:
        return False


def in_seconds(anvil: Anvil, seconds: float) -> datetime:
    """A time of the chain's own clock, in whole seconds as contracts count them."""
    return anvil.time + timedelta(seconds=int(seconds))
