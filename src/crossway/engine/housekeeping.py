"""Periodic work: raises and resolves alerts that depend on time, and resets retry delays."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import STANDING_KINDS, OutboundTx, OutboundTxKind, OutboundTxState
from crossway.engine.alerts import SIGNING_ALERT, raise_alert
from crossway.engine.foreign_nonces import detect_foreign_nonces
from crossway.engine.sla_monitor import FOREIGN, STUCK, find_breaches
from crossway.ports.chain import ChainHead
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.agents import AGENT_ALERT
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.operating.alerts import WAITING_KINDS
from crossway.usecases.operating.bridge_alerts import LONG_DELAY, find_ended, find_long_delays
from crossway.usecases.operating.inventory_alerts import find_ended_funding
from crossway.usecases.ramps.poll_schedule import MAX_POLL_INTERVAL

INTERVAL_SECONDS = 5
STALE_HEAD_AFTER = timedelta(minutes=5)
CLAIM_GRACE = timedelta(minutes=10)
# A record that still fails raises its alert again in every pass.
RECORD_ALERT_TTL = timedelta(minutes=1)
NODE_ALERT_TTL = timedelta(minutes=10)
# Raised again every half minute while it lasts.
NONCE_ALERT_TTL = timedelta(seconds=90)
_MAX_ALERTS, _MAX_WAITING = 1_000, 5_000


def update_alerts(services: Services, heads: Mapping[str, ChainHead]) -> int:
    """Raise and resolve alerts that depend on time, and end their snoozes; returns how many were
    resolved or came back."""
    return _end_snoozes(services) + _raise_and_resolve(services, heads)


def _raise_and_resolve(services: Services, heads: Mapping[str, ChainHead]) -> int:
    now = services.clock.now()
    with services.store.read() as unit:
        alerts = unit.alerts.list_active(limit=_MAX_ALERTS)
        waiting = unit.outbound_txs.list_needing_attention(_MAX_WAITING)
        claims = _find_late_claims(unit, waiting, now)
        breaches = find_breaches(unit, services, alerts, now)
        keys = {*claims, *(breach.key for breach in breaches)}
        resolved = [a.key for a in alerts if _is_resolved(unit, a, waiting, keys, now)]
        resolved += [*find_ended(unit, alerts), *find_ended_funding(unit, alerts, now)]
        long_delays = find_long_delays(unit, alerts, now)
    stale = {chain for chain, head in heads.items() if now - head.time > STALE_HEAD_AFTER}
    up_to_date = {f"stale:{chain}" for chain in heads if chain not in stale}
    resolved += [a.key for a in alerts if a.key in up_to_date]
    messages = {alert.key: alert.message for alert in alerts}
    new_breaches = [breach for breach in breaches if messages.get(breach.key) != breach.message]
    if not (resolved or stale or claims or long_delays or new_breaches):
        return 0

    def work(unit: UnitOfWork) -> None:
        unit.alerts.resolve(resolved, now)
        for chain in stale:
            minutes = (now - heads[chain].time).total_seconds() // 60
            name = chain_name(services, chain)
            message = (
                f"The newest block of {name} is {minutes:.0f} minutes old. Its node may be behind."
            )
            raise_alert(unit, services, f"stale:{chain}", "node", chain, message)
        for key, (intent_id, message) in claims.items():
            raise_alert(unit, services, key, "claim", str(intent_id), message)
        for key, (intent_id, message) in long_delays.items():
            raise_alert(unit, services, key, LONG_DELAY, str(intent_id), message)
        for breach in new_breaches:
            raise_alert(
                unit, services, breach.key, breach.kind, str(breach.intent_id), breach.message
            )

    services.store.write(work)
    return len(resolved)


def _end_snoozes(services: Services) -> int:
    """Whoever reads an alert goes by the clock anyway: this tells open screens."""
    now = services.clock.now()
    with services.store.read() as unit:
        alerts = unit.alerts.list_active(limit=_MAX_ALERTS)
    if not any(alert.snoozed_until and not alert.is_snoozed(now) for alert in alerts):
        return 0
    return services.store.write(lambda unit: unit.alerts.end_snoozes(now))


def _find_late_claims(
    unit: UnitOfWork, waiting: Sequence[OutboundTx], now: datetime
) -> dict[str, tuple[int, str]]:
    """Overdue reimbursements of the relayer: alert key to intent id and message."""
    claims = [t for t in waiting if t.kind is OutboundTxKind.REIMBURSE]
    intents = unit.intents.get_many({t.intent_id for t in claims})
    return {
        f"claim:{t.id}": (
            t.intent_id,
            f"The repayment of payment {t.intent_id} from the escrow is overdue: {t.reason}",
        )
        for t in claims
        if now > t.created_at + timedelta(seconds=intents[t.intent_id].settle_seconds) + CLAIM_GRACE
    }


def _is_resolved(
    unit: UnitOfWork,
    alert: Alert,
    waiting: Sequence[OutboundTx],
    active_keys: Collection[str],
    now: datetime,
) -> bool:
    """Whether the cause of an alert is gone; False for kinds that other code resolves."""
    kind, _, subject = alert.key.partition(":")
    if kind == AGENT_ALERT:
        return False  # The agent monitor asks the chain.
    if kind in WAITING_KINDS:
        # The alert carries the same message as the transactions that wait.
        return alert.message not in {t.reason for t in waiting}
    if kind in ("claim", STUCK, FOREIGN):
        return alert.key not in active_keys
    if kind in ("record", "signer"):
        return now - alert.last_seen_at > RECORD_ALERT_TTL
    if kind == "provider":
        # There may be no reason to call the provider any more.
        return now - alert.last_seen_at > 2 * MAX_POLL_INTERVAL
    if kind == "nonce":
        return now - alert.last_seen_at > NONCE_ALERT_TTL
    if kind in ("forged", "doubted", "disputed"):
        return now - alert.last_seen_at > NODE_ALERT_TTL
    if kind == "unexplained":
        expired = unit.intents.get(int(subject))
        return expired is None or expired.state is not State.EXPIRED
    if kind not in ("transfer", "reorg", SIGNING_ALERT):
        return False
    tx = unit.outbound_txs.get(int(subject))
    intent = unit.intents.get(tx.intent_id) if tx else None
    ended = tx is None or tx.state in (OutboundTxState.FINAL, OutboundTxState.CANCELLED)
    if tx is None or tx.kind in STANDING_KINDS:
        return ended
    return intent is None or ended or _is_settled_otherwise(tx, intent)


def _is_settled_otherwise(tx: OutboundTx, intent: Intent) -> bool:
    """Whether a failed start or payout was followed by a refund, so nothing is left to do."""
    underway = tx.kind in (OutboundTxKind.START, OutboundTxKind.FILL)
    return underway and tx.state is OutboundTxState.FAILED and intent.state is State.REFUNDED


def reset_backoff(services: Services) -> int:
    """Shorten retry delays that became too long when the machine's clock was set back."""

    def work(unit: UnitOfWork) -> None:
        unit.outbound_txs.reset_backoff(services.clock.now())
        unit.orders.reset_backoff(services.clock.now(), MAX_POLL_INTERVAL)

    services.store.write(work)
    return 0


def check_foreign_nonces(services: Services, chains: Collection[str]) -> None:
    """When an engine takes over chains, check for transactions of our accounts that the ledger
    does not have."""
    nonces = dict(_next_nonces(services, chains))

    def work(unit: UnitOfWork) -> None:
        for chain, next_nonces in nonces.items():
            detect_foreign_nonces(unit, services, services.chains[chain], next_nonces)

    if nonces:
        services.store.write(work)


def _next_nonces(
    services: Services, chains: Collection[str]
) -> Iterator[tuple[str, Mapping[str, int]]]:
    for name in chains:
        chain = services.chains[name]
        try:
            yield name, {sender: chain.next_nonce(sender) for sender in chain.accounts.senders}
        except Unreachable:
            continue
