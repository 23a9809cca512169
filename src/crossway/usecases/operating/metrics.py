"""The metrics exposed to monitoring. Chain figures are cached to keep scrapes cheap."""

import logging
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from crossway.domain.clients import OwnerFilter
from crossway.domain.corridor_stats import SECONDS, Outcome, Period
from crossway.domain.errors import Unreachable
from crossway.ports.services import Services

INVENTORY_REFRESH_SECONDS = 15.0
MAX_ALERTS = 5_000
HOURS = 24
log = logging.getLogger("crossway.metrics")


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics at one moment. By chain: `heads` is the newest block, `scanned` the newest scanned
    block, and `pass_ages` the seconds since this process's engine last processed the chain.
    `ended` are the funded payments that ended in the last 24 hours by whether they were paid."""

    intents: Mapping[str, int]
    ended: Mapping[str, int]
    heads: Mapping[str, int]
    scanned: Mapping[str, int]
    pass_ages: Mapping[str, float]
    inventory: Mapping[tuple[str, str], Decimal]
    alerts: Mapping[str, int]
    webhooks_waiting: int
    webhooks_oldest_seconds: float
    requests_waiting: int


def collect_metrics(services: Services) -> Metrics:
    """Collect all metrics. Chain figures are the last known ones; a refresh runs in the
    background."""
    _refresh_if_stale(services)
    with services.store.read() as unit:
        counts = unit.intents.count_by_state(OwnerFilter())
        alerts = unit.alerts.list_active(limit=MAX_ALERTS)
        cursors = unit.cursors.get_all()
        ended = dict.fromkeys((outcome.value for outcome in Outcome), 0)
        for volume in unit.corridor_stats.list_volumes(None, Period.HOUR, _first_hour(services)):
            ended[volume.outcome.value] += volume.count
        backlog = unit.deliveries.get_backlog()
    oldest = backlog.oldest or services.clock.now()
    overdue = (services.clock.now() - oldest).total_seconds()
    now, engine_heads = time.monotonic(), services.process.engine.heads
    heads = {
        **services.process.inventory.heads,
        **{c: head.height for c, (head, _) in engine_heads.items()},
    }
    return Metrics(
        intents={state.value: number for state, number in counts.items()},
        ended=ended,
        heads=heads,
        scanned={chain: cursor.height for chain, cursor in cursors.items()},
        pass_ages={chain: now - at for chain, (_, at) in engine_heads.items()},
        inventory=services.process.inventory.balances,
        alerts=Counter(alert.kind for alert in alerts),
        webhooks_waiting=backlog.due + backlog.waiting,
        webhooks_oldest_seconds=max(0.0, overdue),
        requests_waiting=len(services.process.request_log.entries),
    )


def _first_hour(services: Services) -> int:
    return int(services.clock.now().timestamp()) // SECONDS[Period.HOUR] - HOURS + 1


def _refresh_if_stale(services: Services) -> None:
    """Start a background refresh of the chain figures when they are stale."""
    inventory = services.process.inventory
    if inventory.refreshing or time.monotonic() - inventory.asked_at < INVENTORY_REFRESH_SECONDS:
        return
    inventory.refreshing, inventory.asked_at = True, time.monotonic()
    services.executor.submit(refresh_inventory, services)


def refresh_inventory(services: Services) -> None:
    """Query every chain for its newest block and the relayer's balances."""
    inventory = services.process.inventory
    balances, heads = dict(inventory.balances), dict(inventory.heads)
    try:
        for chain_id in services.chains:
            try:
                heads[chain_id] = services.chains[chain_id].heads().height
                balances.update(_relayer_balances(services, chain_id))
            except Unreachable:
                continue
        inventory.balances, inventory.heads = balances, heads
    except Exception:
        log.exception("refreshing the relayer's inventory failed")
    finally:
        inventory.refreshing = False


def _relayer_balances(services: Services, chain_id: str) -> dict[tuple[str, str], Decimal]:
    """The relayer's balances on one chain, in whole tokens by (chain, symbol)."""
    chain = services.chains[chain_id]
    relayer, balances = chain.accounts.relayer, {}
    for token in services.catalogue.by_chain[chain_id]:
        if token.enabled:
            amount = chain.balances([relayer], token.address).get(relayer, 0)
            balances[chain_id, token.symbol] = Decimal(amount).scaleb(-token.decimals)
    return balances
