"""Tron on this machine: anvil behind a node's front, with Crossway's contracts and wallets' hands.

Addresses that contracts compute begin with 0xff here, as in the machine below; the profile says so.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, default_deployment, init_code
from crossway.adapters.chains.evm.transactions import LocalSigner
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.transactions import (
    RefBlock,
    TronSigner,
    encode_call_tx,
    encode_transfer_tx,
    sign_transaction,
)
from crossway.adapters.chains.words import address_word, number_word
from tests.chains import anvil
from tests.chains.anvil import BINARY, CATALOGUE, EPOCH, RELAYER_KEY, RICH_KEY, STRANGER_KEY, Anvil
from tests.chains.tron.front import Front, front_of
from tests.chains.tron.machine import OK, Machine
from tests.ports import free_port
from tests.processes import wait_until

TRON = "TRON_MAINNET"
USDT = CATALOGUE.tokens[TRON, "USDT"].address
FOREIGN = CATALOGUE.tokens[TRON, "WBTC"].address
TRX = CATALOGUE.tokens[TRON, "TRON"].address
BLOCK_SECONDS, LIFE_SECONDS = 3, 60
EVERYTHING = 2**256 - 1
FEE_LIMIT = 1_000_000_000
RELAYER = TronSigner(bytes.fromhex(RELAYER_KEY[2:]))
RICH = TronSigner(bytes.fromhex(RICH_KEY[2:]))
STRANGER = TronSigner(bytes.fromhex(STRANGER_KEY[2:]))
AT = default_deployment(family="tron")


class Tron:
    """A running chain and its hands; addresses are Tron's."""

    chain, token, stock = TRON, USDT, anvil.STOCK
    relayer, treasury, key = (
        RELAYER.address,
        to_base58(anvil.TREASURY),
        bytes.fromhex(RELAYER_KEY[2:]),
    )

    def __init__(self, machine: Machine, front: Front) -> None:
        self.machine, self.front = machine, front
        self.url = front.url
        self.contracts = {
            "factory": to_base58(AT.factory),
            "escrow": to_base58(AT.escrow),
            "filler": to_base58(AT.filler),
            "prefix": "0xff",
        }

    @property
    def anvil(self) -> Anvil:
        return self.machine.anvil

    def fields(self) -> dict[str, Any]:
        return {"contracts": self.contracts}

    def wallet(self, name: str) -> str:
        """An address that belongs to a name."""
        return to_base58(self.anvil.wallet(name))

    def frame(self) -> RefBlock:
        """What ties a transaction to the chain as it is now."""
        head = self.machine.block("latest")
        now = int(head["timestamp"], 16) * 1000
        return RefBlock(int(head["number"], 16), head["hash"], now, now + 1000 * LIFE_SECONDS)

    def send(self, raw: bytes, signer: LocalSigner = RICH) -> str:
        """Sign and send bytes; the name of the transaction."""
        one = sign_transaction(signer, raw, 0, 0)
        code, words, name = self.machine.broadcast(one.raw)
        assert code == OK, f"{code} {words}"
        return name

    def call(self, to: str, data: bytes, units: int = 0, signer: LocalSigner = RICH) -> str:
        """A call by a plain wallet; its name. It is mined only by `mine`."""
        call = Call(to_evm_address(to), data, units)
        return self.send(
            encode_call_tx(to_evm_address(signer.address), call, self.frame(), FEE_LIMIT), signer
        )

    def carry_out(self, contract: str, data: str) -> str:
        """A call in a block, worked or not, by somebody who has nothing but TRX for its fee; its
        name."""
        self.anvil.rpc("anvil_setBalance", to_evm_address(STRANGER.address), hex(10**10))
        name = self.call(contract, bytes.fromhex(data[2:]), signer=STRANGER)
        self.mine()
        return name

    def transfer(self, to: str, units: int, token: str | None = None) -> str:
        """A payment by a plain wallet of a token or of TRX."""
        if (token or self.token) == TRX:
            payer, recipient = to_evm_address(RICH.address), to_evm_address(to)
            return self.send(encode_transfer_tx(payer, recipient, units, self.frame()))
        words = address_word("tron", to) + number_word(units)
        return self.call(token or self.token, _selector("transfer(address,uint256)") + words)

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        """A payment that is in a block."""
        name = self.transfer(to, units, token)
        self.mine()
        return name

    def mine(self, blocks: int = 1) -> None:
        """Blocks at Tron's pace; what is too old is left out."""
        with self.machine.lock:
            self.machine.drop_expired()
            self.anvil.rpc("anvil_mine", hex(blocks), hex(BLOCK_SECONDS))

    def reorganise(self, depth: int) -> None:
        with self.machine.lock:
            self.machine.reorganise(depth)

    def balance(self, address: str, token: str | None = None) -> int:
        if token == TRX:
            return self.anvil.coins(to_evm_address(address))
        return self.anvil.balance(to_evm_address(address), to_evm_address(token or self.token))

    def refuse(self, address: str, token: str | None = None) -> None:
        """The token, or of coins a contract at this address, takes no transfer to it any more."""
        token = token or self.token
        evm_token = "0x" + "0" * 40 if token == TRX else to_evm_address(token)
        self.anvil.refuse(to_evm_address(address), evm_token)

    def in_seconds(self, seconds: float) -> datetime:
        return anvil.in_seconds(self.anvil, seconds)

    def put_token(self, token: str, kind: str = "Plain") -> None:
        """A token at this address, of which wallet and relayer have plenty."""
        self.anvil.rpc("anvil_setCode", to_evm_address(token), anvil.token_code(kind))
        for who in (RICH.address, RELAYER.address):
            words = address_word("tron", who) + number_word(self.stock)
            self.call(token, _selector("mint(address,uint256)") + words)
        words = address_word("evm", AT.filler) + number_word(EVERYTHING)
        self.call(token, _selector("approve(address,uint256)") + words, signer=RELAYER)
        self.mine()


def _selector(signature: str) -> bytes:
    return keccak256(signature.encode())[:4]


@contextmanager
def running(ready: bool = True) -> Iterator[Tron]:
    """A chain with contracts and dollars, which ends with the block; it mines only by hand."""
    anvil.needed()
    port = free_port()
    process = subprocess.Popen(
        [str(BINARY), "--silent", "--port", str(port), "--chain-id",
         CATALOGUE.chains[TRON].chain_id, "--slots-in-an-epoch", str(EPOCH), "--no-mining",
         "--gas-limit", "200000000", "--base-fee", "0", "--disable-min-priority-fee",
         "--auto-impersonate", "--order", "fifo"]
    )  # fmt: skip
    one = Anvil(TRON, f"http://127.0.0.1:{port}", process)
    try:
        wait_until("anvil answers", lambda: anvil._answers(one), every=0.02)
        machine = Machine(one)
        with front_of(machine) as front:
            made = Tron(machine, front)
            if ready:
                _set_up(made)
            yield made
    finally:
        one.stop()


def _set_up(tron: Tron) -> None:
    """Contracts, dollars, and money for the relayer."""
    tron.anvil.rpc("anvil_setBalance", to_evm_address(tron.relayer), hex(10**18))
    for name in ("IntentFactory", "Escrow", "Filler"):
        tron.anvil.transact(DEPLOYER, SALT + init_code(name, family="tron"))
        tron.anvil.mine()
    # As the real one answers.
    tron.put_token(USDT, "Denying")
    tron.put_token(FOREIGN)
