"""Seeing deposits: scan new blocks, take back what reorganisations undid, credit what is deep."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from crossway.domain.deposits import Deposit
from crossway.domain.errors import Unreachable
from crossway.engine.alarms import alarm
from crossway.engine.finality import reorganised
from crossway.engine.isolation import in_one_go
from crossway.engine.naming import chain_name
from crossway.ports.chain import Cursor, Heads, Scan
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.lifecycle import credit, reverse_deposits
from crossway.usecases.payments.processing import record

BATCH = 2_000
# A block that replaces another may be a little older.
_EARLIER = timedelta(minutes=10)
_DENIED = "The chain reported it once and does not have it: not credited."


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


def scan_chain(
    services: Services, chain_id: str, stored: Cursor | None, newest: Cursor | None = None
) -> tuple[int, Cursor | None]:
    """Record what came in, and move the cursor; answers how many deposits were found and how far
    this scan got.

    `newest` is how far this engine got before, which is stored only now and then: a block above
    the stored cursor that was replaced would not be missed otherwise, and with it the
    transactions of ours that stood in it.
    """
    cursor = newest if stored and newest and newest.height > stored.height else stored
    watch = KnownAddresses(services, chain_id)
    scan = services.chains[chain_id].scan(cursor, watch)
    if cursor is None:
        # The scan begins at the newest block: what came in before is looked up by address.
        earlier = services.chains[chain_id].incoming_to(watch.all())
        scan = replace(scan, incoming=[*earlier, *scan.incoming])
    if not scan.incoming and scan.reorged_from is None and not _worth_saving(stored, scan.cursor):
        return 0, scan.cursor

    def work(unit: Unit) -> bool:
        if not unit.network.save_cursor(chain_id, stored, scan.cursor):
            return False
        if scan.reorged_from is not None:
            _undo(unit, services, chain_id, scan)
        record(unit, services, scan.incoming)
        return True

    if not services.store.write(work):
        return 0, None
    if scan.reorged_from is not None:
        reorganised(services, chain_id, scan.reorged_from)
    return len(scan.incoming), scan.cursor


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
            there = [d for d, stands in zip(deposits, standing, strict=True) if stands]
            gone = [d for d, stands in zip(deposits, standing, strict=True) if not stands]
            _credit(services, there)
            credited += len(there)
            if gone:
                _look_again(services, chain_id, gone)
        except Unreachable:
            continue
    return credited


def _credit(services: Services, deposits: Sequence[Deposit]) -> None:
    services.reached("before-credit")
    in_one_go(services, "crediting", deposits, lambda d: d.intent_id, partial(_book, services))
    services.reached("credited")


def _book(services: Services, deposits: Sequence[Deposit]) -> None:
    services.store.write(lambda unit: credit(unit, services, deposits, services.clock.now()))


def _look_again(services: Services, chain_id: str, gone: Sequence[Deposit]) -> None:
    """What is not in the block that it was seen in may stand in another, which replaced it before
    a scan came by; of what is in none, the chain never had it."""
    chain, wanted = services.chains[chain_id], {d.incoming.tx_hash for d in gone}
    since = min(d.incoming.at for d in gone) - _EARLIER
    found = chain.incoming_to({d.incoming.to for d in gone}, since)
    mine = [one for one in found if one.tx_hash in wanted]
    standing = [i for i, there in zip(mine, chain.still_there(mine), strict=True) if there]
    lost = len([d for d in gone if d.incoming.tx_hash not in {i.tx_hash for i in standing}])

    def work(unit: Unit) -> None:
        unit.deposits.orphan(unit.deposits.lock_seen([d.id for d in gone]), _DENIED)
        record(unit, services, standing)
        if lost:
            alarm(
                unit, services, f"forged:{chain_id}", "node", chain_id,
                f"{_deposits(lost)} reported that no block of "
                f"{chain_name(services, chain_id)} has: not credited.",
            )  # fmt: skip

    services.store.write(work)


def _deposits(number: int) -> str:
    return "A deposit was" if number == 1 else f"{number} deposits were"
