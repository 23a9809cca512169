"""The status of a payment as its payer sees it: state, amounts, steps and transactions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, DepositPurpose, DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OPEN_STATES, OutboundTx, OutboundTxKind, OutboundTxState
from crossway.payer.bridge_status import (
    StepStatus,
    bridge_state,
    bridge_steps,
    bridge_tx_label,
)
from crossway.usecases.payers.checkout import CheckoutSnapshot
from crossway.usecases.payments.claims import ClaimKind, PayerClaim

_OUTBOUND_LABELS = {
    OutboundTxKind.FILL: "fill",
    OutboundTxKind.DELIVER: "fill",
    OutboundTxKind.RELEASE: "fill",
    OutboundTxKind.REFUND: "refund",
    OutboundTxKind.RETURN_EXCESS: "excess",
}
_SENT_STATES = (OutboundTxState.SIGNED, OutboundTxState.CONFIRMED, OutboundTxState.FINAL)
_DONE_STATES = (OutboundTxState.CONFIRMED, OutboundTxState.FINAL)
_CLOSED_STATES = (State.EXPIRED, State.REFUNDED, State.FAILED)
_STEPS = ("pay", "seen", "sent", "done")
_CURRENT_STEP = {"waiting": 0, "short": 0, "seen": 1, "received": 2, "sending": 2, "completed": 4}


@dataclass(frozen=True, slots=True)
class CheckoutTransaction:
    """One transaction; `kind` is `deposit`, `returned` (by a bridge), `send`, `arrive`, `fill`,
    `refund` or `excess`."""

    kind: str
    chain: str
    tx: str
    url: str


@dataclass(frozen=True, slots=True)
class MisdirectedAmount:
    """Deposits of another token or on another chain, which do not count as payment. `outcome`:
    `waits` for the payment to start or end, `returned`, or `failed` to be returned."""

    token: str
    units: int
    decimals: int
    symbol: str
    chain: str
    outcome: str


@dataclass(frozen=True, slots=True)
class CheckoutStatus:
    """The status of one payment; amounts are in units of the deposit token.

    `state` is the key of its texts. While `open`, the payer still has to send `missing`. `held` is
    the balance at the address, `late_amount` what arrived after the expiry. What waits as a claim
    is neither late nor misdirected here.
    """

    state: str
    open: bool
    missing: int
    received: int
    held: int
    excess: int
    late_amount: int
    misdirected: tuple[MisdirectedAmount, ...]
    steps: tuple[tuple[str, StepStatus], ...]
    transactions: tuple[CheckoutTransaction, ...]

    @property
    def ended(self) -> bool:
        """Whether the status is final."""
        return self.state in ("completed", "expired", "refunded")


def checkout_status(snapshot: CheckoutSnapshot, catalogue: Catalogue) -> CheckoutStatus:
    """The status of this payment."""
    intent = snapshot.intent
    good = [d for d in snapshot.deposits if d.state is not DepositState.ORPHANED]
    counted = _sum_by_purpose(good, DepositPurpose.PAYMENT, DepositPurpose.OVERPAYMENT)
    coming = _pending_amount(snapshot, good)
    total, in_time = intent.terms.deposit_amount, snapshot.now < intent.terms.expires_at
    state, progress = _state(snapshot, coming, in_time), snapshot.progress
    missing = max(total - intent.received_amount - coming, 0)
    claimed = {(claim.chain, claim.token) for claim in snapshot.claims}
    own_waits = any(_is_own(intent, claim) for claim in snapshot.claims)
    late = 0 if own_waits else _sum_by_purpose(good, DepositPurpose.LATE)
    gone_back = intent.state in _CLOSED_STATES
    misdirected = _misdirected_amounts(good, snapshot.outbound_txs, catalogue)
    return CheckoutStatus(
        state=state,
        open=state in ("waiting", "short") and missing > 0,
        missing=missing,
        received=intent.received_amount + coming,
        held=intent.balance_at_address,
        excess=0 if gone_back else max(counted - total, 0),
        late_amount=late if gone_back else 0,
        misdirected=tuple(m for m in misdirected if (m.chain, m.token) not in claimed),
        steps=(bridge_steps(state, intent, progress) if progress else ()) or _steps(state),
        transactions=tuple(_transactions(snapshot, good, catalogue)),
    )


def _state(snapshot: CheckoutSnapshot, coming: int, in_time: bool) -> str:
    intent = snapshot.intent
    if snapshot.progress is not None and (own := bridge_state(intent, snapshot.progress)):
        return own
    match intent.state:
        case State.PENDING:
            if coming and intent.received_amount + coming >= intent.terms.deposit_amount:
                return "seen"
            if not in_time:
                return "time_up"
            return "short" if intent.received_amount + coming else "waiting"
        case State.FUNDED:
            return "received"
        case State.INITIATED:
            return "sending"
        case State.COMPLETED:
            return "completed"
        case State.REFUNDED:
            return "refunded"
    owes = any(
        t.kind is OutboundTxKind.REFUND and t.state in OPEN_STATES for t in snapshot.outbound_txs
    )
    if intent.state is State.FAILED:
        return "refused" if kept_amount(snapshot) else "undelivered"
    if any(c.kind is not ClaimKind.DUST and _is_own(intent, c) for c in snapshot.claims):
        return "refund_waits"
    return "returning" if owes or intent.balance_at_address else "expired"


def _is_own(intent: Intent, claim: PayerClaim) -> bool:
    return (claim.chain, claim.token) == (intent.terms.source_chain, intent.terms.token_in)


def kept_amount(snapshot: CheckoutSnapshot) -> int:
    """The network costs that a refund after the recipient's refusal leaves out, in units of what
    was collected."""
    total = snapshot.intent.collected.amount
    refunds = [
        total - t.amount
        for t in snapshot.outbound_txs
        if t.kind is OutboundTxKind.REFUND and t.amount is not None
    ]
    return max(refunds, default=0)


def _steps(state: str) -> tuple[tuple[str, StepStatus], ...]:
    if state in _CURRENT_STEP:
        current = _CURRENT_STEP[state]
        return tuple(
            (name, "done" if index < current else "now" if index == current else "todo")
            for index, name in enumerate(_STEPS)
        )
    if state == "refunded":
        return ("pay", "done"), ("expired", "failed"), ("back", "done")
    if state in ("returning", "refund_waits", "refused", "undelivered"):
        return ("pay", "done"), ("expired", "failed"), ("back", "now")
    return ("pay", "failed"), ("expired", "failed")


def _pending_amount(view: CheckoutSnapshot, good: list[Deposit]) -> int:
    """Detected deposits of the right token that are not confirmed yet."""
    terms = view.intent.terms
    return sum(
        d.incoming.amount
        for d in good
        if d.state is DepositState.SEEN
        and (d.incoming.chain, d.incoming.token) == (terms.source_chain, terms.token_in)
    )


def _sum_by_purpose(good: list[Deposit], *purposes: DepositPurpose) -> int:
    return sum(d.incoming.amount for d in good if d.purpose in purposes)


def _misdirected_amounts(
    good: list[Deposit], outbound_txs: Sequence[OutboundTx], catalogue: Catalogue
) -> Iterator[MisdirectedAmount]:
    """The sum for each token and chain."""
    strays: dict[tuple[str, str], list[Deposit]] = defaultdict(list)
    for deposit in good:
        if deposit.purpose in (DepositPurpose.WRONG_TOKEN, DepositPurpose.WRONG_CHAIN):
            strays[deposit.incoming.chain, deposit.incoming.token].append(deposit)
    for (chain, token_address), deposits in strays.items():
        token = catalogue.by_address.get((chain, token_address))
        returns = [t for t in outbound_txs if (t.chain, t.token) == (chain, token_address)]
        yield MisdirectedAmount(
            token=token_address,
            units=sum(deposit.incoming.amount for deposit in deposits),
            decimals=token.decimals if token else 0,
            symbol=token.symbol if token else "?",
            chain=chain,
            outcome=_outcome(returns),
        )


def _outcome(txs: Sequence[OutboundTx]) -> str:
    """What became of misdirected deposits. A return sends all that is there when it is executed,
    also what was credited since it was enqueued; what arrives later gets one of its own."""
    returns = [
        t
        for t in txs
        if t.kind is OutboundTxKind.RETURN_EXCESS and t.state is not OutboundTxState.CANCELLED
    ]
    state = max(returns, key=lambda t: t.id).state if returns else None
    if state in _DONE_STATES:
        return "returned"
    return "failed" if state is OutboundTxState.FAILED else "waits"


def _transactions(
    view: CheckoutSnapshot, good: list[Deposit], catalogue: Catalogue
) -> Iterator[CheckoutTransaction]:
    for deposit in good:
        incoming = deposit.incoming
        is_returned = deposit.purpose is DepositPurpose.BRIDGE_RETURN
        kind = "returned" if is_returned else "deposit"
        yield describe_transaction(kind, incoming.chain, incoming.tx_hash, catalogue)
    for outbound in view.outbound_txs:
        label = _OUTBOUND_LABELS.get(outbound.kind)
        if outbound.kind is OutboundTxKind.DELIVER and view.intent.relayer:
            continue  # It repays whoever has paid the recipient.
        if view.progress is not None:
            label = bridge_tx_label(outbound.kind, view.progress) or label
        if label and outbound.tx_id and outbound.state in _SENT_STATES:
            yield describe_transaction(label, outbound.chain, outbound.tx_id, catalogue)
    if tx := _paid_by_others(view):
        yield describe_transaction("fill", view.intent.terms.destination_chain, tx, catalogue)


def _paid_by_others(view: CheckoutSnapshot) -> str:
    """The transaction by which the bridge's own relayers, or a stranger, paid the recipient; empty
    where it was ours."""
    intent, ours = view.intent, {tx.tx_id for tx in view.outbound_txs}
    is_paid = intent.state is State.COMPLETED and intent.tx_hash not in ours
    return intent.tx_hash or "" if is_paid else ""


def describe_transaction(
    kind: str, chain: str, tx: str, catalogue: Catalogue
) -> CheckoutTransaction:
    """A transaction with its page in the chain's explorer."""
    chain_info = catalogue.chains.get(chain)
    url = chain_info.tx_url(tx) if chain_info and chain_info.explorer_tx else ""
    # A simulated transaction is in no public explorer, and staff alone see the page of it.
    url = url if url.startswith("https://") else ""
    return CheckoutTransaction(kind, chain_info.name if chain_info else chain, tx, url)
