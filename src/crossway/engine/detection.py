"""Seeing deposits: scan new blocks, take back what reorganisations undid, credit what is deep."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from crossway.domain.deposits import Deposit
from crossway.domain.errors import Unreachable
from crossway.engine.alarms import alarm
from crossway.engine.confirming import reorganised
from crossway.ports.chain import Cursor, Heads, Scan
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.lifecycle import credit, reverse_deposits
from crossway.usecases.processing import record

BATCH = 2_000


class KnownAddresses:
    """`ports.chain.Watch` over the stored intents of one chain."""

    def __init__(self, services: Services, chain: str) -> None:
        self._services, self._chain = services, chain

    def known(self, addresses: Collection[str]) -> set[str]:
        with self._services.store.read() as unit:
            return set(unit.intents.known(addresses))

    def all(self) -> Sequence[str]:
        since = self._services.clock.now() - timedelta(
            seconds=self._services.policy.late_watch_seconds
        )
        with self._services.store.read() as unit:
            return unit.intents.watched(self._chain, since)


def scan_chain(services: Services, chain_id: str, cursor: Cursor | None) -> int:
    """Record what came in since the cursor, and move it; answers how many deposits were found."""
    watch = KnownAddresses(services, chain_id)
    scan = services.chains[chain_id].scan(cursor, watch)
    if cursor is None:
        # The scan begins at the newest block: what came in before is looked up by address.
        earlier = services.chains[chain_id].incoming_to(watch.all())
        scan = replace(scan, incoming=[*earlier, *scan.incoming])
    if not scan.incoming and scan.reorged_from is None and not _worth_saving(cursor, scan.cursor):
        return 0

    def work(unit: Unit) -> bool:
        if not unit.network.save_cursor(chain_id, cursor, scan.cursor):
            return False
        if scan.reorged_from is not None:
            _undo(unit, services, chain_id, scan)
        record(unit, services, scan.incoming)
        return True

    stored = services.store.write(work)
    if stored and scan.reorged_from is not None:
        reorganised(services, chain_id, scan.reorged_from)
    return len(scan.incoming) if stored else 0


def _worth_saving(before: Cursor | None, after: Cursor) -> bool:
    """An empty stretch is saved now and then: scanning it again costs less than a commit."""
    return before is None or after.height - before.height >= 64


def _undo(unit: Unit, services: Services, chain_id: str, scan: Scan) -> None:
    assert scan.reorged_from is not None
    gone = unit.deposits.from_height(chain_id, scan.reorged_from)
    note = f"Its block {scan.reorged_from} or above was replaced by a reorganisation."
    reverse_deposits(unit, services, gone, services.clock.now(), note)


def credit_ready(services: Services, heads: Mapping[str, Heads]) -> int:
    """Credit deposits that are deep enough and, read again from their block, still there."""
    with services.store.read() as unit:
        ready = unit.deposits.ready({chain: head.height for chain, head in heads.items()}, BATCH)
    by_chain: dict[str, list[Deposit]] = {}
    for deposit in ready:
        by_chain.setdefault(deposit.incoming.chain, []).append(deposit)
    credited = 0
    for chain_id, deposits in by_chain.items():
        try:
            standing = services.chains[chain_id].still_there([d.incoming for d in deposits])
        except Unreachable:
            continue
        there = [d for d, stands in zip(deposits, standing, strict=True) if stands]
        gone = [d for d, stands in zip(deposits, standing, strict=True) if not stands]
        _credit(services, there)
        credited += len(there)
        if gone:
            _disbelieve(services, chain_id, gone)
    return credited


def _credit(services: Services, deposits: Sequence[Deposit]) -> None:
    services.reached("before-credit")
    services.store.write(lambda unit: credit(unit, services, deposits, services.clock.now()))
    services.reached("credited")


def _disbelieve(services: Services, chain_id: str, gone: Sequence[Deposit]) -> None:
    note = "The chain reported it once and does not have it: not credited."

    def work(unit: Unit) -> None:
        unit.deposits.orphan(unit.deposits.lock_seen([d.id for d in gone]), note)
        alarm(
            unit, services, f"forged:{chain_id}", "node", chain_id,
            f"{len(gone)} reported deposits are in no block of {chain_id}: none was credited.",
        )  # fmt: skip

    services.store.write(work)
