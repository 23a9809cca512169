"""Who does what next for a payment, and until when."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from crossway.domain.deposits import Deposit, DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.money import format_units
from crossway.domain.outbound import OPEN_STATES, OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.services import Services
from crossway.usecases.payments.abandoned_payouts import payout_deadline
from crossway.usecases.payments.bridge_next_action import describe_bridge_step
from crossway.usecases.payments.bridge_progress import BridgeProgress
from crossway.usecases.payments.redirects import list_coordinator_calls

_KIND_LABELS = {
    OutboundTxKind.START: "deposit collection",
    OutboundTxKind.FILL: "payout",
    OutboundTxKind.RETURN_EXCESS: "return of an unexpected deposit",
    OutboundTxKind.REIMBURSE: "repayment from the escrow",
    OutboundTxKind.REFUND: "refund",
    OutboundTxKind.SKIP_NONCE: "skipped nonce",
    OutboundTxKind.DELIVER: "bridge delivery",
    OutboundTxKind.RELEASE: "release",
    OutboundTxKind.GIVE_BACK: "return from the bridge's contract",
    OutboundTxKind.PAY_IN: "signed transfer of the payer",
    OutboundTxKind.INVENTORY_APPROVE: "approval of an inventory transfer",
    OutboundTxKind.INVENTORY_SEND: "inventory transfer",
    OutboundTxKind.FORWARD: "forwarding from a standing address",
    OutboundTxKind.RECOVER: "return from a standing address",
}


_RETURNS = {
    OutboundTxKind.REFUND: "send the refund",
    OutboundTxKind.RETURN_EXCESS: "return the unexpected deposit",
}


def describe_next_action(
    services: Services,
    intent: Intent,
    deposits: Sequence[Deposit],
    outbound_txs: Sequence[OutboundTx],
    progress: BridgeProgress | None = None,
) -> tuple[str, datetime | None]:
    """A sentence that says who does what next, and its deadline. `progress` is that of the bridge
    that carries the payment, if one does."""
    failed = [
        t for t in outbound_txs if t.state is OutboundTxState.FAILED and _needs_operator(t, intent)
    ]
    if failed:
        label, chain = _KIND_LABELS[failed[0].kind], services.catalogue.chains[failed[0].chain]
        return f"Operator: resolve the failed {label} on {chain.name}: {failed[0].reason}.", None
    open_txs = [t for t in outbound_txs if t.state in OPEN_STATES]
    if progress is not None and intent.state is not State.PENDING:
        step = describe_bridge_step(services, intent, open_txs, progress)
        if step is not None:
            return step
    match intent.state:
        case State.PENDING:
            return _describe_pending(services, intent, deposits), intent.terms.expires_at
        case State.FUNDED if any(t.state is OutboundTxState.FAILED for t in outbound_txs):
            label = "Crossway: refund when the payment expires. Collecting the deposit failed."
            return label, intent.terms.expires_at
        case State.FUNDED:
            reason = next((t.reason for t in open_txs if t.reason), "")
            when = f" as soon as possible. {reason}" if reason else "."
            return f"Crossway: collect the deposit{when}", intent.terms.expires_at
        case State.INITIATED:
            reason = next((t.reason for t in open_txs if t.reason), "")
            label = f"Crossway: pay the recipient. {reason}".strip()
            if not reason:
                return label, None
            return f"{label} Else the deposit goes back.", payout_deadline(services, intent)
    return _describe_end(services, intent, open_txs)


def _describe_end(
    services: Services, intent: Intent, open_txs: Sequence[OutboundTx]
) -> tuple[str, datetime | None]:
    """What is left to do for a payment that has ended: returns, and the relayer's repayment."""
    for kind, action in _RETURNS.items():
        if returns := [t for t in open_txs if t.kind is kind]:
            if returns[0].chain != intent.terms.source_chain:
                action += f" on {services.catalogue.chains[returns[0].chain].name}"
            reason = next((t.reason for t in returns if t.state is OutboundTxState.DUE), "")
            if list_coordinator_calls(services, intent, returns):
                return f"Coordinator: {action}. {reason}".strip(), None
            return f"Crossway: {action}. {reason}".strip(), None
    reimbursing = [t for t in open_txs if t.kind is OutboundTxKind.REIMBURSE]
    if reimbursing:
        reason = reimbursing[0].reason
        return f"Crossway: repay the relayer from the escrow. {reason}".strip(), _due(reimbursing)
    return "None. This payment is finished.", None


def _needs_operator(failed: OutboundTx, intent: Intent) -> bool:
    """Whether a failed outbound transaction needs an operator. A failed refund or return always
    does; a failed start only if the recipient is or will be paid, else a refund follows on its
    own."""
    if failed.kind in (OutboundTxKind.REFUND, OutboundTxKind.RETURN_EXCESS):
        return True
    return failed.kind is OutboundTxKind.START and intent.state in (
        State.INITIATED,
        State.COMPLETED,
    )


def _describe_pending(services: Services, intent: Intent, deposits: Sequence[Deposit]) -> str:
    payers = _describe_payers_step(services, intent, deposits)
    return " ".join((payers, *_describe_misdirected(services, intent, deposits)))


def _describe_payers_step(services: Services, intent: Intent, deposits: Sequence[Deposit]) -> str:
    chain = services.catalogue.chains[intent.terms.source_chain]
    if any(d.state is DepositState.SEEN and d.incoming.chain == chain.id for d in deposits):
        return f"Waiting for confirmations of a deposit on {chain.name}."
    missing = intent.terms.deposit_amount - intent.received_amount
    amount = f"{format_units(missing, intent.asset_decimals)} {intent.asset_symbol}"
    another = "another " if intent.received_amount else ""
    hint = " On test networks, then check for the deposit." if chain.testnet else ""
    return f"Payer: send {another}{amount} on {chain.name}.{hint}"


def _describe_misdirected(
    services: Services, intent: Intent, deposits: Sequence[Deposit]
) -> Iterator[str]:
    """Where deposits on other chains are, and who returns them."""
    source = intent.terms.source_chain
    here = [d for d in deposits if d.state is not DepositState.ORPHANED and d.incoming.amount]
    for chain_id in dict.fromkeys(d.incoming.chain for d in here if d.incoming.chain != source):
        chain = services.catalogue.chains[chain_id]
        yield (
            f"What arrived on {chain.name} does not count; Crossway returns it there once the "
            "payment has started or ended."
        )


def _due(txs: Sequence[OutboundTx]) -> datetime | None:
    """When the first of these is sent, while it is not."""
    return txs[0].next_at if txs[0].state is OutboundTxState.DUE else None
