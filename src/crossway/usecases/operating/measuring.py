"""The figures that monitoring asks for: cheap to ask often, as all of them are kept."""

import logging
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from crossway.domain.errors import Unreachable
from crossway.ports.services import Services

STOCK_EVERY_SECONDS = 15.0
MOST_ALARMS = 5_000
log = logging.getLogger("crossway.metrics")


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of one moment. `heads`, `scanned` and `pass_ages` are by chain: its newest block,
    the newest one that was scanned, and seconds since this process's engine last passed it."""

    intents: Mapping[str, int]
    heads: Mapping[str, int]
    scanned: Mapping[str, int]
    pass_ages: Mapping[str, float]
    stock: Mapping[tuple[str, str], Decimal]
    alarms: Mapping[str, int]
    webhooks_waiting: int
    webhooks_oldest_seconds: float
    requests_waiting: int


def measure(services: Services) -> Measured:
    """All figures; chains are asked in the background, and what they last said is told."""
    _ask_soon(services)
    with services.store.read() as unit:
        counts = unit.intents.counts()
        alarms = unit.network.alarms(limit=MOST_ALARMS)
        cursors = unit.network.cursors()
        backlog = unit.deliveries.backlog()
    oldest = backlog.oldest or services.clock.now()
    overdue = (services.clock.now() - oldest).total_seconds()
    now, passed = time.monotonic(), services.pulse.heads
    heads = {**services.stock.heads, **{c: head.height for c, (head, _) in passed.items()}}
    return Measured(
        intents={state.value: number for state, number in counts.items()},
        heads=heads,
        scanned={chain: cursor.height for chain, cursor in cursors.items()},
        pass_ages={chain: now - at for chain, (_, at) in passed.items()},
        stock=services.stock.held,
        alarms=Counter(alarm.kind for alarm in alarms),
        webhooks_waiting=backlog.due + backlog.waiting,
        webhooks_oldest_seconds=max(0.0, overdue),
        requests_waiting=len(services.unwritten.heard),
    )


def _ask_soon(services: Services) -> None:
    """Let what the chains say be asked anew when it is old; nobody waits for it."""
    stock = services.stock
    if stock.asking or time.monotonic() - stock.asked < STOCK_EVERY_SECONDS:
        return
    stock.asking, stock.asked = True, time.monotonic()
    services.asking.submit(ask_chains, services)


def ask_chains(services: Services) -> None:
    """Ask every chain, one after the other, for its newest block and what the relayer holds."""
    stock = services.stock
    held, heads = dict(stock.held), dict(stock.heads)
    try:
        for name in services.chains:
            try:
                heads[name] = services.chains[name].heads().height
                held.update(_held(services, name))
            except Unreachable:
                continue
        stock.held, stock.heads = held, heads
    except Exception:
        log.exception("the relayer's stock could not be asked")
    finally:
        stock.asking = False


def _held(services: Services, name: str) -> dict[tuple[str, str], Decimal]:
    """What the relayer holds on one chain, in whole tokens by (chain, symbol)."""
    chain = services.chains[name]
    relayer, found = chain.own.relayer, {}
    for token in services.catalogue.by_chain[name]:
        if token.enabled:
            units = chain.balances([relayer], token.address).get(relayer, 0)
            found[name, token.symbol] = Decimal(units).scaleb(-token.decimals)
    return found
