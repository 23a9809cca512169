"""Transactions that an operator runs on a Solana cluster: built, sent and awaited."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from solders.instruction import Instruction

from crossway.adapters.chains.rpc.operator_txs import OnSent, OperatorTx, OperatorTxResult, TxPlan
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana import instructions
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.signers import SolanaSigner, derived_signer
from crossway.adapters.chains.solana.transactions import price_of, sign_instructions
from crossway.adapters.chains.solana.tx_sender import send_signed, statuses
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units
from crossway.ports.chain import IncludedTx
from crossway.ports.signing import MessageSigner

GAS_UNIT = "signatures"
_TIMEOUT_SECONDS, _POLL_SECONDS, _RESEND_SECONDS = 300.0, 0.4, 2.0


@dataclass(frozen=True)
class OperatorContext:
    """A cluster, and the account that pays."""

    chain: SolanaChain
    payer: MessageSigner

    @property
    def owner(self) -> MessageSigner:
        """The relayer, which owns the program."""
        return self.chain.context.signer

    def account(self, purpose: bytes) -> SolanaSigner:
        """A derived account for one purpose."""
        return derived_signer(self.owner, purpose)

    def signers(self, *others: MessageSigner) -> list[MessageSigner]:
        """The signers, the payer first, each once."""
        unique = {signer.address: signer for signer in (self.payer, *others)}
        return list(unique.values())

    def price(self) -> int:
        """The compute unit price of each transaction."""
        return price_of(self.chain.context.params, self.chain.fee_units())


def plan_withdrawal(chain: SolanaChain, token: Token, to: str, units: int) -> TxPlan:
    """Withdraw from the vault what it retains of our own payments."""
    operator, context = OperatorContext(chain, chain.context.signer), chain.context
    withdrawal = instructions.withdraw_instruction(
        context.instruction_context, context.accounts.coordinator, token.address, to, units
    )
    description = f"{format_units(units, token.decimals)} {token.symbol} from the vault to {to}"
    cost = chain.fee_units()
    send = partial(sign_tx, operator, withdrawal, operator.signers())
    return build_plan(operator, lambda session: [OperatorTx(description, 1, cost, send)])


def build_plan(
    operator: OperatorContext, build: Callable[[RpcSession], list[OperatorTx]]
) -> TxPlan:
    """The plan of the transactions that `build` returns."""
    chain, payer = operator.chain, operator.payer.address
    transactions = chain.context.pool.first(build)
    return TxPlan(tuple(transactions), payer, chain.native_balance(payer), GAS_UNIT)


@dataclass(frozen=True, slots=True)
class PendingTx:
    """A transaction that was sent, and its number of signatures."""

    tx_id: str
    raw: bytes
    signatures: int


def sign_tx(
    operator: OperatorContext,
    instructions: Sequence[Instruction],
    signers: Sequence[MessageSigner],
    on_sent: OnSent,
) -> OperatorTxResult:
    """Sign and send one transaction, and wait until it is confirmed."""
    return await_confirmation(operator, [send_tx(operator, instructions, signers, on_sent)])[0]


def send_tx(
    operator: OperatorContext,
    instructions: Sequence[Instruction],
    signers: Sequence[MessageSigner],
    on_sent: OnSent,
) -> PendingTx:
    """Sign and send one transaction. Raises `ValueError` with the node's error."""
    chain, price = operator.chain, operator.price()
    recent, units = chain.tx_sender.recent(), chain.context.params.units
    tx_id, raw = sign_instructions(instructions, signers, recent, units, price)
    on_sent(tx_id)
    error = chain.context.pool.first(lambda s: send_signed(s, [raw], certain=False))[0]
    if error:
        raise ValueError(f"{chain.id}: the node refuses the transaction: {error}")
    return PendingTx(tx_id, raw, len(signers))


def await_confirmation(
    operator: OperatorContext, pending: Sequence[PendingTx]
) -> list[OperatorTxResult]:
    """Wait until each is in a confirmed block; each is sent again, because nodes forget."""
    pool, resend_at = operator.chain.context.pool, 0.0
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    tx_ids = [transaction.tx_id for transaction in pending]
    while time.monotonic() < deadline:
        confirmations = pool.first(lambda session: statuses(session, tx_ids))
        if all(confirmations[tx_id] in ("confirmed", "finalized") for tx_id in tx_ids):
            return _results(operator.chain, pending)
        if time.monotonic() > resend_at:
            resend_at = time.monotonic() + _RESEND_SECONDS
            missing = [t.raw for t in pending if confirmations[t.tx_id] is None]
            pool.first(partial(send_signed, transactions=missing, certain=False))
        time.sleep(_POLL_SECONDS)
    raise Unreachable(
        f"{tx_ids[0]} is in no block after {_TIMEOUT_SECONDS:.0f} s: check it in an explorer"
    )


def _results(chain: SolanaChain, pending: Sequence[PendingTx]) -> list[OperatorTxResult]:
    results = chain.status([transaction.tx_id for transaction in pending])
    succeeded = {i for i, r in results.items() if isinstance(r, IncludedTx) and not r.reason}
    return [OperatorTxResult(t.tx_id, t.tx_id in succeeded, t.signatures) for t in pending]
