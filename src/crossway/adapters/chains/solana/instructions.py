"""Program instructions of outbound calls."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from spl.token.instructions import create_idempotent_associated_token_account

from crossway.adapters.chains.intent_hash import (
    chain_word,
    source_terms,
    verified_hashes,
)
from crossway.adapters.chains.solana.pdas import (
    SYSTEM,
    MintRegistry,
    ProgramAddresses,
    is_native,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output

START, REFUND, REDIRECT, SETTLE, WITHDRAW, FILL, CLOSE = range(7)
SEQUENCE_AT, SEQUENCE_END = 1, 9
READ, WRITE, SIGN, SIGN_WRITE = (False, False), (True, False), (False, True), (True, True)
AccountRole = tuple[str, tuple[bool, bool]]
ANY_SIGNER = "accounts[0] signs; put any account there that does, in place of the refund address."


@dataclass(frozen=True, slots=True)
class InstructionContext:
    """The context for building instructions: addresses, and who signs.

    `keyed`: deposit addresses are ordinary accounts that sign with derived keys."""

    catalogue: Catalogue
    program: ProgramAddresses
    mints: MintRegistry
    keyed: bool


def build_instructions(
    context: InstructionContext, action: OutboundCall, number: int, over: bool
) -> list[Instruction]:
    """The instructions of a call; `number` is its account's sequence number. `over`: the balance
    exceeds the deposit amount, so the refund address needs a token account. Raises `ValueError`
    if the call contradicts its terms."""
    terms, hashes = verified_hashes(context.catalogue, action)
    source = source_terms(context.catalogue, terms, action.bridger, action.coordinator).encode()
    builder = _CallBuilder(context, action, hashes.intent_hash, number)
    if action.kind is OutboundTxKind.FILL:
        chain = chain_word(context.catalogue.chains[terms.destination_chain])
        return builder.fill(source + chain)
    terms_words = source + hashes.dest_hash
    first = action.outputs[0]
    if first.source == action.bridger:
        return builder.settle(terms_words)
    if not context.keyed and context.program.deposit_owner(hashes.intent_hash) != first.source:
        raise ValueError(f"{first.source} is not a deposit address of the configured program")
    if action.kind is OutboundTxKind.START:
        return builder.start(terms_words, terms.refund_address, over)
    return builder.refund(terms_words, first, terms.refund_address)


@dataclass(frozen=True, slots=True)
class _CallBuilder:
    context: InstructionContext
    action: OutboundCall
    key: bytes
    number: int

    def start(self, words: bytes, back: str, over: bool) -> list[Instruction]:
        out = self.action.outputs[0]
        token = out.token
        creating = [out.to, back] if over else [out.to]
        accounts = [
            (self.action.account, SIGN_WRITE),
            *self._deposit(out),
            *self._mint(token),
            (SYSTEM, READ),
            (back, WRITE),
            (self._account(back, token), WRITE),
            (self.context.program.state(self.key), WRITE),
            (out.to, WRITE if is_native(token) else READ),
            (self._account(out.to, token), WRITE),
        ]
        return [*self._create(token, creating), self._call(START, words, accounts)]

    def refund(self, words: bytes, out: Output, back: str) -> list[Instruction]:
        token, native = out.token, is_native(out.token)
        redirected = out.to != back
        accounts = [
            (self.action.account, SIGN_WRITE),
            *self._deposit(out),
            *self._mint(token),
            (SYSTEM, READ),
            (back, WRITE),
            (self._account(back, token), WRITE),
            (self.context.program.state(self.key), WRITE if native else READ),
        ]
        receivers = [back]
        if redirected:
            receivers = [back, out.to]
            accounts += [(out.to, WRITE), (self._account(out.to, token), WRITE)]
        which = REDIRECT if redirected else REFUND
        return [*self._create(token, receivers), self._call(which, words, accounts)]

    def settle(self, words: bytes) -> list[Instruction]:
        paid = [(output.to, output.amount) for output in self.action.outputs if output.amount]
        token, vault = self.action.outputs[0].token, self.action.bridger
        native = is_native(token)
        accounts = [
            (self.action.account, SIGN_WRITE),
            (vault, WRITE if native else READ),
            (self._account(vault, token), WRITE),
            *self._mint(token),
            (SYSTEM, READ),
            (self.context.program.state(self.key), WRITE),
            (self.context.program.retained(self.action.coordinator, token), WRITE),
        ]
        for to, _ in paid:
            accounts += [(to, WRITE if native else READ), (self._account(to, token), WRITE)]
        units = b"".join(units.to_bytes(8, "little") for _, units in paid)
        creating = list(dict.fromkeys(to for to, _ in paid))
        return [*self._create(token, creating), self._call(SETTLE, words + units, accounts)]

    def fill(self, words: bytes) -> list[Instruction]:
        out = self.action.outputs[0]
        if out.amount is None:
            raise ValueError("a fill must name its amount")
        payer, token = self.action.account, out.token
        accounts = [
            (payer, SIGN_WRITE),
            (self._account(payer, token), WRITE),
            *self._mint(token),
            (SYSTEM, READ),
            (self.context.program.marker(self.key), WRITE),
            (out.to, WRITE if is_native(token) else READ),
            (self._account(out.to, token), WRITE),
        ]
        data = words + out.amount.to_bytes(8, "little")
        return [*self._create(token, [out.to]), self._call(FILL, data, accounts)]

    def _deposit(self, out: Output) -> list[AccountRole]:
        owner = SIGN_WRITE if self.context.keyed else WRITE
        return [(out.source, owner), (self._account(out.source, out.token), WRITE)]

    def _mint(self, token: str) -> list[AccountRole]:
        mint = SYSTEM if is_native(token) else token
        return [(mint, READ), (self.context.mints.program_of(token), READ)]

    def _account(self, wallet: str, token: str) -> str:
        return self.context.mints.account_of(wallet, token)

    def _create(self, token: str, wallets: Sequence[str]) -> list[Instruction]:
        if is_native(token):
            return []
        return [
            create_token_account(self.context.mints, self.action.account, wallet, token)
            for wallet in wallets
        ]

    def _call(self, which: int, data: bytes, accounts: Sequence[AccountRole]) -> Instruction:
        head = bytes([which]) + self.number.to_bytes(8, "little")
        return instruction(self.context.program.id, head + data, accounts)


def withdraw_instruction(
    context: InstructionContext, coordinator: str, token: str, to: str, units: int
) -> list[Instruction]:
    """Withdraw retained amounts of settled intents from a coordinator's vault."""
    native, vault = is_native(token), context.program.vault(coordinator)
    accounts: list[AccountRole] = [
        (coordinator, SIGN_WRITE),
        (vault, WRITE if native else READ),
        (context.mints.account_of(vault, token), WRITE),
        (SYSTEM if native else token, READ),
        (context.mints.program_of(token), READ),
        (SYSTEM, READ),
        (context.program.retained(coordinator, token), WRITE),
        (to, WRITE if native else READ),
        (context.mints.account_of(to, token), WRITE),
    ]
    data = bytes([WITHDRAW]) + bytes(8) + units.to_bytes(8, "little")
    creation = [] if native else [create_token_account(context.mints, coordinator, to, token)]
    return [*creation, instruction(context.program.id, data, accounts)]


def create_token_account(mints: MintRegistry, payer: str, wallet: str, token: str) -> Instruction:
    """Create a wallet's associated token account if it does not exist."""
    addresses = (payer, wallet, token, mints.program_of(token))
    keys = (Pubkey.from_string(address) for address in addresses)
    return create_idempotent_associated_token_account(*keys)


def instruction(program: str, data: bytes, accounts: Sequence[AccountRole]) -> Instruction:
    """An instruction for a program with these accounts in order."""
    metas = [
        AccountMeta(Pubkey.from_string(address), is_signer=signs, is_writable=writes)
        for address, (writes, signs) in accounts
    ]
    return Instruction(Pubkey.from_string(program), data, metas)


def refund_json(refund: Instruction) -> str:
    """A refund as wallets and scripts read an instruction, its data in base64. The program asks for
    some signature of its first account and only logs whose it is."""
    accounts = [
        {
            "pubkey": str(meta.pubkey),
            "isSigner": meta.is_signer,
            "isWritable": meta.is_writable,
        }
        for meta in refund.accounts
    ]
    return json.dumps(
        {
            "programId": str(refund.program_id),
            "accounts": accounts,
            "data": base64.b64encode(refund.data).decode(),
            "note": ANY_SIGNER,
        }
    )


def sequence_in(data: bytes) -> int | None:
    """The sequence number in an instruction; operator transactions carry none."""
    if len(data) < SEQUENCE_END or data[0] in (WITHDRAW, CLOSE):
        return None
    return int.from_bytes(data[SEQUENCE_AT:SEQUENCE_END], "little")
