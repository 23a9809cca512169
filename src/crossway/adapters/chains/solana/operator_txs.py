"""Operator transactions on a cluster: built, sent and awaited."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from solders.instruction import Instruction

from crossway.adapters.chains.rpc.operator_txs import OnSent, OperatorTx, OperatorTxResult, TxPlan
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana import instructions
from crossway.adapters.chains.solana.accounts import fetch_accounts
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.signers import SolanaSigner
from crossway.adapters.chains.solana.transactions import price_of, sign_instructions
from crossway.adapters.chains.solana.tx_sender import send_signed, statuses
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units
from crossway.ports.chain import IncludedTx

LAMPORTS_PER_SOL = "signatures"
_TIMEOUT_SECONDS, _POLL_SECONDS, _RESEND_SECONDS = 300.0, 0.4, 2.0


@dataclass(frozen=True)
class OperatorContext:
    """A cluster, the payer, and the accounts of a deployment."""

    chain: SolanaChain
    payer: SolanaSigner

    @property
    def owner(self) -> SolanaSigner:
        return self.chain.context.signer

    def account(self, purpose: bytes) -> SolanaSigner:
        """A derived account for one purpose."""
        return self.owner.other(purpose)

    def signers(self, *others: SolanaSigner) -> list[SolanaSigner]:
        """The signers, the payer first, each once."""
        unique = {signer.address: signer for signer in (self.payer, *others)}
        return list(unique.values())

    def price(self) -> int:
        return price_of(self.chain.context.params, self.chain.fee_units())


def withdrawal_plan(chain: SolanaChain, token: Token, to: str, units: int) -> TxPlan:
    """The steps that withdraw retained amounts from the vault."""
    site, context = OperatorContext(chain, chain.context.signer), chain.context
    asked = instructions.withdraw_instruction(
        context.instruction_context, context.accounts.coordinator, token.address, to, units
    )
    description = f"{format_units(units, token.decimals)} {token.symbol} from the vault to {to}"
    cost = chain.fee_units()
    send = partial(sign_tx, site, asked, site.signers())
    return plan(site, lambda line: [OperatorTx(description, 1, cost, send)])


def retained_amount(chain: SolanaChain, token: str) -> int:
    """The amount retained in our vault from settled payments, in units of a token."""
    context = chain.context
    address = context.program.retained(context.accounts.coordinator, token)
    account = context.pool.first(lambda line: fetch_accounts(context, line, [address], 0, 16))[0]
    right = account is not None and account.owner == context.program.id and account.data[:1] == b"K"
    return int.from_bytes(account.data[8:16], "little") if account is not None and right else 0


def plan(site: OperatorContext, work: Callable[[RpcSession], list[OperatorTx]]) -> TxPlan:
    nodes, payer = site.chain.context.pool, site.payer.address
    errands = nodes.first(work)
    return TxPlan(tuple(errands), payer, site.chain.native_balance(payer), LAMPORTS_PER_SOL)


@dataclass(frozen=True, slots=True)
class PendingTx:
    tx_id: str
    raw: bytes
    signatures: int


def sign_tx(
    site: OperatorContext,
    instructions: Sequence[Instruction],
    signers: Sequence[SolanaSigner],
    sent: OnSent,
) -> OperatorTxResult:
    return await_confirmation(site, [send_and_confirm(site, instructions, signers, sent)])[0]


def send_and_confirm(
    site: OperatorContext,
    instructions: Sequence[Instruction],
    signers: Sequence[SolanaSigner],
    sent: OnSent,
) -> PendingTx:
    chain = site.chain
    price = site.price()
    recent = chain.recent()
    tx_id, raw = sign_instructions(instructions, signers, recent, chain.context.params.units, price)
    sent(tx_id)
    objection = chain.context.pool.first(lambda line: send_signed(line, [raw], certain=False))[0]
    if objection:
        raise ValueError(f"{chain.id}: the node refuses the transaction: {objection}")
    return PendingTx(tx_id, raw, len(signers))


def await_confirmation(site: OperatorContext, sent: Sequence[PendingTx]) -> list[OperatorTxResult]:
    """Wait until each is in a confirmed block; each is sent again, because nodes forget."""
    nodes, until, again = site.chain.context.pool, time.monotonic() + _TIMEOUT_SECONDS, 0.0
    names = [entry.tx_id for entry in sent]
    while time.monotonic() < until:
        confirmations = nodes.first(lambda line: statuses(line, names))
        if all(confirmations[entry] in ("confirmed", "finalized") for entry in names):
            became = site.chain.status(names)
            worked = {
                n
                for n, entry in became.items()
                if isinstance(entry, IncludedTx) and not entry.reason
            }
            return [
                OperatorTxResult(entry.tx_id, entry.tx_id in worked, entry.signatures)
                for entry in sent
            ]
        if time.monotonic() > again:
            again = time.monotonic() + _RESEND_SECONDS
            waiting = [entry.raw for entry in sent if confirmations[entry.tx_id] is None]
            nodes.first(partial(send_signed, transactions=waiting, certain=False))
        time.sleep(_POLL_SECONDS)
    raise Unreachable(
        f"{names[0]} is in no block after {_TIMEOUT_SECONDS:.0f} s: check it in an explorer"
    )
