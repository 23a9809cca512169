"""The next status of a sandbox order and the report of it, as pure functions."""

from dataclasses import dataclass

from crossway.adapters.ramps.sandbox.behaviour import BPS, Behaviour
from crossway.adapters.ramps.sandbox.orders import History, Order, StatusReport
from crossway.domain.ramps import Direction
from crossway.ports.ramps import ProviderOrderStatus

S = ProviderOrderStatus
CLOSED = (S.CANCELLED, S.EXPIRED)
REPORTABLE_STATUSES = (S.PAID, S.DELIVERED, S.FAILED, S.REFUNDED)


@dataclass(frozen=True, slots=True)
class ChainObservation:
    """On-chain amounts of an order: the `balance` of its address, `returned` to the provider, and
    when the last return arrived."""

    balance: int = 0
    returned: int = 0
    returned_at: float = 0.0


def next_status(
    order: Order, observation: ChainObservation, history: History, behaviour: Behaviour, now: float
) -> ProviderOrderStatus | None:
    """The status that the provider reaches now without being told, if any."""
    if S.REFUNDED in history or S.FAILED in history:
        return None
    if (delivered := history.get(S.DELIVERED)) is not None:
        return S.REFUNDED if _is_returned(delivered, observation, behaviour, now) else None
    if (paid := history.get(S.PAID)) is not None:
        if now < behaviour.delivers_at(paid.at):
            return None
        if not any(closed_status in history for closed_status in CLOSED):
            return S.DELIVERED
        # A payment after the end is refunded if there is an address for it.
        return S.REFUNDED if order.refund_address else None
    if order.direction is Direction.OFF and observation.balance >= order.amount:
        return S.PAID
    closed = any(closed_status in history for closed_status in CLOSED)
    return S.EXPIRED if now >= order.closes_at and not closed else None


def _is_returned(
    delivered: StatusReport, observation: ChainObservation, behaviour: Behaviour, now: float
) -> bool:
    """Whether delivered crypto was returned to the provider, long enough ago."""
    is_returned = 0 < delivered.moved_amount <= observation.returned
    return is_returned and now >= behaviour.delivers_at(observation.returned_at)


def find_conflict(order: Order, history: History, status: ProviderOrderStatus) -> str:
    """Why the provider cannot report this status now; empty when it can."""
    if status is S.REFUNDED and not order.refund_address:
        return f"names no refund address of its seller on {order.chain}"
    if status in history:
        return f"was reported {status} already"
    if S.REFUNDED in history:
        return "was refunded, and nothing comes after that"
    if S.DELIVERED in history and status is not S.REFUNDED:
        return "was delivered, and can only be refunded now"
    if S.FAILED in history and status is not S.REFUNDED:
        return "failed, and can only be refunded now"
    if status is S.REFUNDED and not (S.PAID in history or S.DELIVERED in history):
        return "was never paid, so there is nothing to refund"
    if (
        status is S.FAILED
        and S.PAID not in history
        and any(closed_status in history for closed_status in CLOSED)
    ):
        return "was closed unpaid, so there is nothing to fail"
    return ""


def sends_crypto(order: Order, status: ProviderOrderStatus) -> bool:
    """Whether the provider sends crypto with this status."""
    return status is (S.DELIVERED if order.direction is Direction.ON else S.REFUNDED)


def sent_amount(order: Order, status: ProviderOrderStatus, behaviour: Behaviour) -> int:
    """The amount of crypto that the provider actually sends."""
    if status is S.DELIVERED:
        return withhold(order.amount, behaviour)
    return order.amount


def withhold(amount: int, behaviour: Behaviour) -> int:
    """An amount less the part that the `short_bps` fault withholds."""
    return amount * (BPS - behaviour.short_bps) // BPS


def build_report(
    order: Order,
    history: History,
    status: ProviderOrderStatus,
    behaviour: Behaviour,
    at: float,
    tx_hash: str = "",
) -> StatusReport:
    """The report of a status; a failure names an amount only after a payment."""
    is_on_ramp = order.direction is Direction.ON
    is_paid = status is S.PAID or S.PAID in history or S.DELIVERED in history
    fiat_minor: int | None = None
    amount: int | None = None
    if status is S.DELIVERED:
        # A short fiat payout is visible only in the reported amount.
        amount, fiat_minor = (
            (order.amount, None) if is_on_ramp else (None, withhold(order.fiat_minor, behaviour))
        )
    elif is_paid:
        amount, fiat_minor = (None, order.fiat_minor) if is_on_ramp else (order.amount, None)
    moved_amount = sent_amount(order, status, behaviour) if tx_hash else 0
    return StatusReport(
        status, at, amount, fiat_minor, moved_amount, tx_hash, _REASONS.get(status, "")
    )


_REASONS = {
    S.FAILED: "The provider could not deliver",
    S.CANCELLED: "Cancelled before it was paid",
    S.EXPIRED: "Nobody paid in time",
}
