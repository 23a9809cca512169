"""The pace of outgoing money: what is signed within an hour on each chain, and the limits above
which the emergency stop is pressed instead of signing."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent
from crossway.domain.money import format_units
from crossway.domain.outbound import SWEEP_KINDS, OutboundTx, OutboundTxKind
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.amount_confirmation import amount_of_intent

USUAL_PERIOD: Final = timedelta(days=7)
LEAST_UNUSUAL_MICRO_USD: Final = 1_000_000_000
"""Less than this within an hour is never unusual, however little went out before."""


class OutgoingTooFast(Exception):
    """Signing this would exceed a limit; the message says which, as the reason of a stop."""


def count_outgoing(
    unit: UnitOfWork,
    services: Services,
    chain: str,
    signed: Sequence[tuple[OutboundTx, Intent | None]],
) -> None:
    """Count what leaves us by transactions that are about to be signed on a chain, in the unit of
    work that signs them. Raises `OutgoingTooFast` above a limit: then nothing is counted."""
    controls = services.policy.controls
    if controls.hourly_limit_micro_usd is None and controls.usual_factor is None:
        return
    leaving = sum(_values(signed))
    if not leaving:
        return
    hour = _hour_of(services.clock.now())
    total = unit.outgoing_controls.add_outgoing(chain, hour, leaving)
    if unit.outgoing_controls.is_hour_released(hour):
        return
    place, limit = chain_name(services, chain), controls.hourly_limit_micro_usd
    if limit is not None and total > limit:
        raise OutgoingTooFast(
            f"{_usd(total)} would have left {place} within this hour, and the limit is "
            f"{_usd(limit)}"
        )
    factor, since = controls.usual_factor, hour - USUAL_PERIOD // timedelta(hours=1)
    most = unit.outgoing_controls.find_most_outgoing(chain, since, hour) if factor else 0
    if factor and most and total > max(factor * most, LEAST_UNUSUAL_MICRO_USD):
        raise OutgoingTooFast(
            f"{_usd(total)} would have left {place} within this hour, more than {factor} times the "
            f"{_usd(most)} of the busiest hour of the past seven days"
        )


def release_hour(unit: UnitOfWork, services: Services) -> None:
    """Let what was held go out, as two people saw it: no limit applies until this hour ends."""
    unit.outgoing_controls.release_hour(_hour_of(services.clock.now()))


def _values(signed: Sequence[tuple[OutboundTx, Intent | None]]) -> Iterable[int]:
    """What leaves us, in micro-USD at the agreed prices: payouts, deposits that bridges carry,
    refunds and returns of a payment's own token. Inventory that moves stays ours, and what is
    signed again was counted before."""
    for tx, intent in signed:
        if intent is None or tx.attempt_count:
            continue
        over_bridge = tx.kind is OutboundTxKind.START and intent.custody is Custody.BRIDGE
        if tx.kind is OutboundTxKind.FILL or over_bridge:
            yield intent.costs.total_micro_usd
        elif tx.kind in SWEEP_KINDS and tx.token == intent.terms.token_in:
            amount = intent.balance_at_address if tx.amount is None else tx.amount
            yield amount_of_intent(intent, amount).micro_usd or 0


def _hour_of(now: datetime) -> int:
    """The number of an hour (UTC) since 1970."""
    return int(now.timestamp()) // 3600


def _usd(micro_usd: int) -> str:
    return f"{format_units(micro_usd // 10_000, 2, 2)} USD"
