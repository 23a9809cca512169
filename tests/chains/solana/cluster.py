"""A cluster of Solana on this machine: real programs in LiteSVM, and around it what LiteSVM lacks:
blocks, a pool of waiting transactions, commitments, the life of a block's hash, and forks."""

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from threading import RLock
from typing import Any

from solders.account import Account
from solders.clock import Clock
from solders.hash import Hash
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import (
    FailedTransactionMetadata,
    SimulatedTransactionInfo,
    TransactionMetadata,
)

HASH_LIFE = 150
"""How old a block may be that a transaction was signed on, when the next one takes it: the last
that can is one above the `lastValidBlockHeight` that nodes tell."""
UPGRADEABLE = Pubkey.from_string("BPFLoaderUpgradeab1e11111111111111111111111")
SYSTEM = Pubkey.from_string("11111111111111111111111111111111")
CLOCK = Pubkey.from_string("SysvarC1ock11111111111111111111111111111111")
NOTHING = Account(0, b"", SYSTEM, False, 0)


@dataclass
class Landed:
    """A transaction in a block, and what its accounts were before and after."""

    signed: VersionedTransaction
    slot: int
    err: Any
    meta: TransactionMetadata
    before: dict[Pubkey, Account | None]
    after: dict[Pubkey, Account | None]

    @property
    def name(self) -> str:
        return str(self.signed.signatures[0])


@dataclass
class Block:
    slot: int
    height: int
    hash: Hash
    parent: int
    time: int
    landed: list[Landed] = field(default_factory=list)


class Cluster:
    """Moves only by hand: `mine` makes a block of what waits, `reorganise` replaces blocks."""

    def __init__(
        self, time: int = 1_800_000_000, finality: int = 8, seconds: float = 1, slot: int = 1000
    ) -> None:
        self.lock = RLock()
        self.svm = (
            LiteSVM()
            .with_mainnet_features()
            .with_blockhash_check(False)
            .with_transaction_history(0)
            .with_log_bytes_limit(None)
        )
        self.finality, self.seconds, self.now = finality, seconds, float(time)
        self.blocks: list[Block] = []
        self.landed: OrderedDict[str, Landed] = OrderedDict()
        self.touched: dict[Pubkey, list[Landed]] = {}
        self.pool: list[VersionedTransaction] = []
        # What wallets sent, who send again what a fork lost.
        self.wallets: dict[str, VersionedTransaction] = {}
        self.forks = 0
        self._next = slot
        for _ in range(finality + 2):
            self.mine()

    @property
    def newest(self) -> Block:
        return self.blocks[-1]

    @property
    def finalized(self) -> Block:
        return self.blocks[-1 - self.finality]

    def at(self, slot: int) -> Block | None:
        return next((b for b in reversed(self.blocks) if b.slot == slot), None)

    def age(self, block_hash: Hash) -> int | None:
        """How many blocks ago this was the newest one's hash."""
        for age, block in enumerate(reversed(self.blocks[-HASH_LIFE - 1 :])):
            if block.hash == block_hash:
                return age
        return None

    def mine(self, blocks: int = 1) -> None:
        """Blocks of what waits."""
        with self.lock:
            for _ in range(blocks):
                self.now += self.seconds
                self._block(self._next, self.pool)
                self.pool = []

    def skip(self, slots: int = 1) -> None:
        """Slots whose leaders make no block."""
        with self.lock:
            self._next += slots

    def later(self, seconds: float) -> None:
        """Let the chain's clock go on without blocks; it shows with the next one."""
        with self.lock:
            self.now += seconds

    def send(self, signed: VersionedTransaction, wallet: bool = False) -> str:
        """Take a transaction for the next block; checks nothing."""
        with self.lock:
            name = str(signed.signatures[0])
            if wallet:
                self.wallets[name] = signed
            if name not in self.landed and all(one != signed for one in self.pool):
                self.pool.append(signed)
            return name

    def simulate(
        self, signed: VersionedTransaction, verified: bool
    ) -> FailedTransactionMetadata | SimulatedTransactionInfo:
        """Execute a transaction and keep nothing of it; `verified`: its signatures are checked."""
        self.svm.with_sigverify(verified)
        try:
            return self.svm.simulate_transaction(signed)
        finally:
            self.svm.with_sigverify(True)

    def reorganise(self, depth: int) -> None:
        """Replace the newest blocks by empty ones; what wallets sent waits again."""
        with self.lock:
            gone, self.blocks = self.blocks[-depth:], self.blocks[:-depth]
            self.forks += 1
            for block in reversed(gone):
                for one in reversed(block.landed):
                    self._undo(one)
            self.pool = [s for s in self.pool if str(s.signatures[0]) not in self.landed]
            for block in gone:
                self.now = block.time
                self._block(block.slot, [])
            for one in (landed for block in gone for landed in block.landed):
                if one.name in self.wallets:
                    self.send(one.signed)

    def account_at(self, address: Pubkey, slot: int) -> Account | None:
        """An account as it was after the block of a slot."""
        if address == CLOCK:
            block = next(b for b in reversed(self.blocks) if b.slot <= slot)
            return Account(1_169_280, clock_data(block), Pubkey.from_string(SYSVAR), False, 0)
        for one in self.touched.get(address, ()):
            if one.slot > slot:
                return one.before[address]
        return self.svm.get_account(address)

    def put(self, address: Pubkey, account: Account) -> None:
        """An account out of nowhere, for setting up."""
        self.svm.set_account(address, account)

    def put_program(self, address: Pubkey, code: bytes, authority: Pubkey | None = None) -> None:
        """A program as the upgradeable loader keeps it; without authority it is final."""
        data, _ = Pubkey.find_program_address([bytes(address)], UPGRADEABLE)
        head = (3).to_bytes(4, "little") + (0).to_bytes(8, "little")
        head += b"\1" + bytes(authority) if authority else bytes(33)
        rent = self.svm.minimum_balance_for_rent_exemption
        self.put(data, Account(rent(len(code) + 45), head + code, UPGRADEABLE, False, 0))
        program = (2).to_bytes(4, "little") + bytes(data)
        self.put(address, Account(rent(36), program, UPGRADEABLE, True, 0))

    def _block(self, slot: int, waiting: list[VersionedTransaction]) -> None:
        parent = self.blocks[-1] if self.blocks else None
        height = parent.height + 1 if parent else slot
        name = Hash(sha256(f"block {slot} of fork {self.forks}".encode()).digest())
        block = Block(slot, height, name, parent.slot if parent else slot - 1, int(self.now))
        self.svm.set_clock(Clock(slot, 0, 0, 0, block.time))
        for signed in waiting:
            self._include(block, signed)
        self.blocks.append(block)
        self._next = slot + 1

    def _include(self, block: Block, signed: VersionedTransaction) -> None:
        """Execute; what is too old, was in a block before or cannot pay its fee is dropped."""
        if self.age(signed.message.recent_blockhash) is None:
            return
        if str(signed.signatures[0]) in self.landed:
            return
        keys = signed.message.account_keys
        before = {key: self.svm.get_account(key) for key in keys}
        said = self.svm.send_transaction(signed)
        failed = isinstance(said, FailedTransactionMetadata)
        err, meta = (error_json(said.err()), said.meta()) if failed else (None, said)
        if isinstance(err, str):
            return
        after = {key: self.svm.get_account(key) for key in keys}
        one = Landed(signed, block.slot, err, meta, before, after)
        block.landed.append(one)
        self.landed[one.name] = one
        for key in keys:
            self.touched.setdefault(key, []).append(one)

    def _undo(self, one: Landed) -> None:
        for key in one.signed.message.account_keys:
            self.touched[key].remove(one)
            if one.before[key] != one.after[key]:
                self.svm.set_account(key, one.before[key] or NOTHING)
        del self.landed[one.name]


SYSVAR = "Sysvar1111111111111111111111111111111111111"


def clock_data(block: Block) -> bytes:
    numbers = (block.slot, 0, 0, 0, block.time)
    return b"".join(number.to_bytes(8, "little", signed=True) for number in numbers)


def error_json(error: Any) -> Any:
    """A transaction's error as nodes write it; a plain word where it cannot be in a block."""
    kind = type(error).__name__
    if kind == "TransactionErrorInstructionError":
        return {"InstructionError": [error.index, _instruction_error(error.err)]}
    if kind == "TransactionErrorInsufficientFundsForRent":
        return {"InsufficientFundsForRent": {"account_index": error.account_index}}
    return str(error).rpartition(".")[2]


def _instruction_error(error: Any) -> Any:
    kind = type(error).__name__
    if kind == "InstructionErrorCustom":
        return {"Custom": error.code}
    if kind == "InstructionErrorBorshIO":
        return {"BorshIoError": str(error)}
    return str(error).rpartition(".")[2]
