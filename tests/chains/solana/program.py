"""Calls of Crossway's program, written from its description and not with the adapter's code."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from crossway.adapters.chains.addresses import keccak256
from tests.chains.solana.cluster import Landed
from tests.chains.solana.node import NATIVE, PROGRAM, RELAYER, Node, dollars

MAINNET = keccak256(b"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp")
START, REFUND, REDIRECT, SETTLE, WITHDRAW, FILL, CLOSE = range(7)
DAY = 86400
ERRORS = (
    "Malformed",
    "WrongAccount",
    "WrongChain",
    "InvalidTerms",
    "Expired",
    "AlreadyStarted",
    "InsufficientBalance",
    "TooEarly",
    "NothingToTransfer",
    "NotAuthorized",
    "AlreadySettled",
    "NotStarted",
    "ExceedsAvailable",
    "AlreadyFilled",
    "TransferFailed",
    "ReceivedLess",
    "TokenRefused",
    "BelowRent",
    "TooLate",
)
TOTAL = 25_000_000
READ, WRITE, SIGN, BOTH = (False, False), (False, True), (True, False), (True, True)
Place = tuple[str, tuple[bool, bool]]


def raw(address: str) -> bytes:
    return bytes(Pubkey.from_string(address))


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def derived(*seeds: bytes) -> str:
    return str(Pubkey.find_program_address(list(seeds), PROGRAM)[0])


def vault_of(coordinator: str) -> str:
    return derived(b"vault", raw(coordinator))


@dataclass(frozen=True)
class Deal:
    """The terms of one intent whose money comes and goes on this cluster."""

    node: Node
    expiry: int
    nonce: int = 1
    total: int = TOTAL
    amount: int = TOTAL
    mint: str = ""
    refund_to: str = ""
    recipient: str = ""
    coordinator: str = str(RELAYER.pubkey())
    bridger: str = ""
    chain: bytes = MAINNET
    out_chain: bytes = MAINNET
    caller: str = str(RELAYER.pubkey())
    # The deposit owner where it is a key.
    owner_key: str = ""
    number: int = 7
    places: Mapping[int, Any] = field(default_factory=dict)

    def but(self, **terms: Any) -> "Deal":
        return replace(self, **terms)

    def with_(self, **places: Any) -> "Deal":
        """The same with other accounts: `_3="address"` or `_3=("address", SIGN)`."""
        return replace(self, places={int(name[1:]): one for name, one in places.items()})

    @property
    def source(self) -> bytes:
        words = (
            self.chain, word(self.nonce), raw(self.mint), word(self.total), raw(self.bridger),
            raw(self.refund_to), raw(self.coordinator), word(self.expiry),
        )  # fmt: skip
        return b"".join(words)

    @property
    def dest_hash(self) -> bytes:
        words = (self.out_chain, raw(self.mint), raw(self.recipient), word(self.amount))
        return keccak256(b"".join(words))

    @property
    def intent_hash(self) -> bytes:
        return keccak256(keccak256(self.source) + self.dest_hash)

    @property
    def owner(self) -> str:
        return self.owner_key or derived(b"intent", self.intent_hash)

    @property
    def state(self) -> str:
        return derived(b"state", self.intent_hash)

    @property
    def marker(self) -> str:
        return derived(b"fill", self.intent_hash)

    def retained(self, mint: str = "") -> str:
        return derived(b"retained", raw(self.coordinator), raw(mint or self.mint))

    def ata(self, owner: str, mint: str = "") -> str:
        mint = mint or self.mint
        return owner if mint == NATIVE else self.node.associated(owner, mint)

    def program(self, mint: str) -> str:
        return NATIVE if mint == NATIVE else str(self.node.programs[mint])

    def call(self, which: int, data: bytes, places: Sequence[Place]) -> Instruction:
        metas = []
        for index, (address, mode) in enumerate(places):
            other = self.places.get(index, address)
            at, how = other if isinstance(other, tuple) else (other, mode)
            metas.append(AccountMeta(Pubkey.from_string(at), how[0], how[1]))
        head = bytes([which]) + self.number.to_bytes(8, "little")
        return Instruction(PROGRAM, head + data, metas)

    def _from_deposit(self, mint: str, state: tuple[bool, bool]) -> list[Place]:
        return [
            (self.caller, BOTH),
            (self.owner, BOTH if self.owner_key else WRITE),
            (self.ata(self.owner, mint), WRITE),
            (mint, READ),
            (self.program(mint), READ),
            (NATIVE, READ),
            (self.refund_to, WRITE),
            (self.ata(self.refund_to, mint), WRITE),
            (self.state, state),
        ]

    def start(self) -> Instruction:
        places = [
            *self._from_deposit(self.mint, WRITE),
            (self.bridger, WRITE),
            (self.ata(self.bridger), WRITE),
        ]
        return self.call(START, self.source + self.dest_hash, places)

    def refund(self, mint: str = "") -> Instruction:
        places = self._from_deposit(mint or self.mint, WRITE)
        return self.call(REFUND, self.source + self.dest_hash, places)

    def redirect(self, to: str, mint: str = "") -> Instruction:
        mint = mint or self.mint
        places = [*self._from_deposit(mint, WRITE), (to, WRITE), (self.ata(to, mint), WRITE)]
        return self.call(REDIRECT, self.source + self.dest_hash, places)

    def _from_vault(self, mint: str) -> list[Place]:
        vault = vault_of(self.caller)
        return [
            (self.caller, BOTH),
            (vault, WRITE),
            (self.ata(vault, mint), WRITE),
            (mint, READ),
            (self.program(mint), READ),
            (NATIVE, READ),
        ]

    def settle(self, *payouts: tuple[str, int]) -> Instruction:
        places = [*self._from_vault(self.mint), (self.state, WRITE), (self.retained(), WRITE)]
        for to, _ in payouts:
            places += [(to, WRITE), (self.ata(to), WRITE)]
        units = b"".join(one.to_bytes(8, "little") for _, one in payouts)
        return self.call(SETTLE, self.source + self.dest_hash + units, places)

    def withdraw(self, to: str, units: int) -> Instruction:
        places = [
            *self._from_vault(self.mint),
            (derived(b"retained", raw(self.caller), raw(self.mint)), WRITE),
            (to, WRITE),
            (self.ata(to), WRITE),
        ]
        return self.call(WITHDRAW, units.to_bytes(8, "little"), places)

    def fill(self) -> Instruction:
        places = [
            (self.caller, BOTH),
            (self.ata(self.caller), WRITE),
            (self.mint, READ),
            (self.program(self.mint), READ),
            (NATIVE, READ),
            (self.marker, WRITE),
            (self.recipient, WRITE),
            (self.ata(self.recipient), WRITE),
        ]
        data = self.source + self.out_chain + self.amount.to_bytes(8, "little")
        return self.call(FILL, data, places)

    def close(self, what: str, payer: str = "") -> Instruction:
        return self.call(CLOSE, b"", [(what, WRITE), (payer or self.caller, WRITE)])

    def do(self, one: Instruction, *more: Keypair, by: Keypair = RELAYER) -> str:
        """In a block; nothing, or the name of the program's refusal."""
        return said(self.node.do([one], by, *more))

    def holds(self, owner: str, mint: str = "") -> int:
        return self.node.balance(owner, mint or self.mint)

    def moves(self, landed: Landed) -> list[tuple[int, str, str, int]]:
        """Why, from whom, to whom and how much, as the program logged it."""
        return [
            (
                one[1],
                address(one[98:130]),
                address(one[130:162]),
                int.from_bytes(one[162:], "little"),
            )
            for one in logged(landed)
            if one[:1] == b"M"
        ]


def deal(node: Node, name: str = "one", life: int = 600, mint: str = "", **terms: Any) -> Deal:
    """An intent with everything that it needs to be paid."""
    made = Deal(
        node,
        int(node.in_seconds(life).timestamp()),
        int.from_bytes(name.encode(), "big"),
        mint=mint or dollars(node.chain),
        refund_to=node.wallet(f"payer of {name}"),
        recipient=node.wallet(f"recipient of {name}"),
        bridger=vault_of(str(RELAYER.pubkey())),
    )
    made = made.but(**terms)
    if made.mint == NATIVE:
        for one in {made.bridger, made.refund_to, made.recipient}:
            if not node.coins(one):
                node.give(one, EMPTY, NATIVE)
        return made
    for one in {made.bridger, made.refund_to, made.recipient, str(RELAYER.pubkey())}:
        if node.cluster.svm.get_account(Pubkey.from_string(made.ata(one))) is None:
            node.give(one, 0, made.mint)
    return made


EMPTY = 890_880
"""What an account without data must hold."""


def said(landed: Landed) -> str:
    """Nothing of a transaction that worked, else the program's name for why not."""
    if landed.err is None:
        return ""
    why = landed.err["InstructionError"][1] if "InstructionError" in landed.err else landed.err
    code = why.get("Custom", 0) if isinstance(why, dict) else 0
    return ERRORS[code - 7001] if code > 7000 else str(landed.err)


def logged(landed: Landed) -> list[bytes]:
    lines = [line for line in landed.meta.logs() if line.startswith("Program data: ")]
    return [base64.b64decode(line.removeprefix("Program data: ")) for line in lines]


def address(data: bytes) -> str:
    return str(Pubkey(data))
