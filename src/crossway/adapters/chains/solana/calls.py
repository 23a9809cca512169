"""What a transaction asks of the program: the instructions that carry out an action."""

from collections.abc import Sequence
from dataclasses import dataclass

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.binding import (
    bound,
    chain_word,
    dest_words,
    source_words,
)
from crossway.adapters.chains.solana.places import ASSOCIATED, SYSTEM, Mints, Program, is_native
from crossway.domain.actions import Action, Output
from crossway.domain.catalogue import Catalogue
from crossway.domain.transfers import Duty

START, REFUND, REDIRECT, SETTLE, WITHDRAW, FILL, CLOSE = range(7)
_CREATE_IDEMPOTENT = b"\x01"
NUMBER_AT, NUMBER_END = 1, 9
READ, WRITE, SIGN, SIGN_WRITE = (False, False), (True, False), (False, True), (True, True)
Place = tuple[str, tuple[bool, bool]]


@dataclass(frozen=True, slots=True)
class Book:
    """What is needed to write instructions: where things lie, and which of them sign by a key.

    `keyed`: deposit addresses are ordinary accounts that sign for themselves."""

    catalogue: Catalogue
    program: Program
    mints: Mints
    keyed: bool


def instructions_of(book: Book, action: Action, number: int, over: bool) -> list[Instruction]:
    """The instructions of an action; `number` is the running number of its account. `over`: more
    than the total lies there, so that its receiver needs a token account. Raises `ValueError`
    where the action does not fit its own terms."""
    terms = action.terms
    if terms is None:
        raise ValueError(f"the {action.duty} of {action.intent_key} does not carry its terms")
    hashes = bound(book.catalogue, terms, action.bridger, action.coordinator)
    if "0x" + hashes.key.hex() != action.intent_key:
        raise ValueError(f"the terms of {action.intent_key} are not those that it was named by")
    source = b"".join(source_words(book.catalogue, terms, action.bridger, action.coordinator))
    asked = _Asked(book, action, hashes.key, number)
    if action.duty is Duty.FILL:
        chain = chain_word(book.catalogue.chains[terms.destination_chain])
        return asked.fill(source + chain)
    words = source + keccak256(b"".join(dest_words(book.catalogue, terms)))
    first = action.outputs[0]
    if first.source == action.bridger:
        return asked.settle(words)
    if not book.keyed and book.program.deposit_owner(hashes.key) != first.source:
        raise ValueError(f"{first.source} is no deposit address of the program in use")
    if action.duty is Duty.START:
        return asked.start(words, terms.refund_address, over)
    return asked.refund(words, first, terms.refund_address)


@dataclass(frozen=True, slots=True)
class _Asked:
    book: Book
    action: Action
    key: bytes
    number: int

    def start(self, words: bytes, back: str, over: bool) -> list[Instruction]:
        out = self.action.outputs[0]
        token = out.token
        creating = [out.to, back] if over else [out.to]
        places = [
            (self.action.account, SIGN_WRITE),
            *self._deposit(out),
            *self._mint(token),
            (SYSTEM, READ),
            (back, WRITE),
            (self._account(back, token), WRITE),
            (self.book.program.state(self.key), WRITE),
            (out.to, WRITE if is_native(token) else READ),
            (self._account(out.to, token), WRITE),
        ]
        return [*self._create(token, creating), self._call(START, words, places)]

    def refund(self, words: bytes, out: Output, back: str) -> list[Instruction]:
        token, native = out.token, is_native(out.token)
        redirected = out.to != back
        places = [
            (self.action.account, SIGN_WRITE),
            *self._deposit(out),
            *self._mint(token),
            (SYSTEM, READ),
            (back, WRITE),
            (self._account(back, token), WRITE),
            (self.book.program.state(self.key), WRITE if native else READ),
        ]
        receivers = [back]
        if redirected:
            receivers = [back, out.to]
            places += [(out.to, WRITE), (self._account(out.to, token), WRITE)]
        which = REDIRECT if redirected else REFUND
        return [*self._create(token, receivers), self._call(which, words, places)]

    def settle(self, words: bytes) -> list[Instruction]:
        paid = [(one.to, one.units) for one in self.action.outputs if one.units]
        token, vault = self.action.outputs[0].token, self.action.bridger
        native = is_native(token)
        places = [
            (self.action.account, SIGN_WRITE),
            (vault, WRITE if native else READ),
            (self._account(vault, token), WRITE),
            *self._mint(token),
            (SYSTEM, READ),
            (self.book.program.state(self.key), WRITE),
            (self.book.program.kept(self.action.coordinator, token), WRITE),
        ]
        for to, _ in paid:
            places += [(to, WRITE if native else READ), (self._account(to, token), WRITE)]
        units = b"".join(units.to_bytes(8, "little") for _, units in paid)
        creating = list(dict.fromkeys(to for to, _ in paid))
        return [*self._create(token, creating), self._call(SETTLE, words + units, places)]

    def fill(self, words: bytes) -> list[Instruction]:
        out = self.action.outputs[0]
        if out.units is None:
            raise ValueError("a fill names what it pays")
        payer, token = self.action.account, out.token
        places = [
            (payer, SIGN_WRITE),
            (self._account(payer, token), WRITE),
            *self._mint(token),
            (SYSTEM, READ),
            (self.book.program.marker(self.key), WRITE),
            (out.to, WRITE if is_native(token) else READ),
            (self._account(out.to, token), WRITE),
        ]
        data = words + out.units.to_bytes(8, "little")
        return [*self._create(token, [out.to]), self._call(FILL, data, places)]

    def _deposit(self, out: Output) -> list[Place]:
        owner = SIGN_WRITE if self.book.keyed else WRITE
        return [(out.source, owner), (self._account(out.source, out.token), WRITE)]

    def _mint(self, token: str) -> list[Place]:
        mint = SYSTEM if is_native(token) else token
        return [(mint, READ), (self.book.mints.program_of(token), READ)]

    def _account(self, wallet: str, token: str) -> str:
        return self.book.mints.account_of(wallet, token)

    def _create(self, token: str, wallets: Sequence[str]) -> list[Instruction]:
        if is_native(token):
            return []
        return [creation(self.book.mints, self.action.account, one, token) for one in wallets]

    def _call(self, which: int, data: bytes, places: Sequence[Place]) -> Instruction:
        head = bytes([which]) + self.number.to_bytes(8, "little")
        return instruction(self.book.program.id, head + data, places)


def withdrawal(book: Book, coordinator: str, token: str, to: str, units: int) -> list[Instruction]:
    """Take what stayed of settled totals out of the vault of a coordinator."""
    native, vault = is_native(token), book.program.vault(coordinator)
    places: list[Place] = [
        (coordinator, SIGN_WRITE),
        (vault, WRITE if native else READ),
        (book.mints.account_of(vault, token), WRITE),
        (SYSTEM if native else token, READ),
        (book.mints.program_of(token), READ),
        (SYSTEM, READ),
        (book.program.kept(coordinator, token), WRITE),
        (to, WRITE if native else READ),
        (book.mints.account_of(to, token), WRITE),
    ]
    data = bytes([WITHDRAW]) + bytes(8) + units.to_bytes(8, "little")
    made = [] if native else [creation(book.mints, coordinator, to, token)]
    return [*made, instruction(book.program.id, data, places)]


def creation(mints: Mints, payer: str, wallet: str, token: str) -> Instruction:
    """Make the associated token account of a wallet where it has none."""
    program = mints.program_of(token)
    places: list[Place] = [
        (payer, SIGN_WRITE),
        (mints.account_of(wallet, token), WRITE),
        (wallet, READ),
        (token, READ),
        (SYSTEM, READ),
        (program, READ),
    ]
    return instruction(ASSOCIATED, _CREATE_IDEMPOTENT, places)


def instruction(program: str, data: bytes, places: Sequence[Place]) -> Instruction:
    """A call of a program with these accounts in their order."""
    metas = [
        AccountMeta(Pubkey.from_string(address), is_signer=signs, is_writable=writes)
        for address, (writes, signs) in places
    ]
    return Instruction(Pubkey.from_string(program), data, metas)


def number_in(data: bytes) -> int | None:
    """The running number in an instruction of the program; those of operators carry none."""
    if len(data) < NUMBER_END or data[0] in (WITHDRAW, CLOSE):
        return None
    return int.from_bytes(data[NUMBER_AT:NUMBER_END], "little")
