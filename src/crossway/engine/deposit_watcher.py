"""Watches for deposits: scans new blocks, reverses reorged deposits, credits confirmed ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from crossway.domain.deposits import Deposit
from crossway.domain.errors import Unreachable
from crossway.engine.alerts import raise_alert
from crossway.engine.bisect_batch import bisect_batch
from crossway.engine.pass_writes import PassWrite, PassWrites
from crossway.engine.reorg_monitor import recheck_after_reorg
from crossway.engine.watched_addresses import StoredAddressFilter, WatchedAddresses
from crossway.ports.chain import ChainHead, Cursor, Scan
from crossway.ports.services import Services
from crossway.ports.shards import Shards
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payments.crediting import credit_deposits, reverse_deposits
from crossway.usecases.payments.deposits import record_deposits
from crossway.usecases.payments.standing_recording import reverse_standing_deposits

BATCH, LOW_PRIORITY_BATCH = 2_000, 200
_REORG_MARGIN = timedelta(minutes=10)
_NOT_FOUND_NOTE = "The chain reported it once and does not have it: not credited."


def scan_chain(
    services: Services,
    chain_id: str,
    watched: WatchedAddresses,
    stored: Cursor | None,
    scanned_to: Cursor | None = None,
) -> tuple[int, Cursor | None]:
    """Record new deposits and advance the cursor; returns the number found and the new position.

    `scanned_to` is the position this engine reached last. It is stored only occasionally, so
    without it a reorg above the stored cursor would go unnoticed.
    """
    cursor = scanned_to if stored and scanned_to and scanned_to.height > stored.height else stored
    address_filter = StoredAddressFilter(services, chain_id, watched)
    scan = services.chains[chain_id].scan(cursor, address_filter)
    if cursor is None:
        # A scan without a cursor begins at the newest block: look up earlier deposits by address.
        history = services.chains[chain_id].transfers_to(address_filter.list_all())
        scan = replace(scan, incoming=[*history, *scan.incoming])
    if (
        not scan.incoming
        and scan.reorged_from is None
        and not _should_save_cursor(stored, scan.cursor)
    ):
        return 0, scan.cursor

    def work(unit: UnitOfWork) -> bool:
        if not unit.cursors.save(chain_id, stored, scan.cursor):
            return False
        if scan.reorged_from is not None:
            _reverse_reorged(unit, services, chain_id, scan)
        record_deposits(unit, services, scan.incoming)
        return True

    if not services.store.write(work):
        return 0, None
    if scan.reorged_from is not None:
        recheck_after_reorg(services, chain_id, scan.reorged_from)
    return len(scan.incoming), scan.cursor


def _should_save_cursor(before: Cursor | None, after: Cursor) -> bool:
    """Whether enough empty blocks were scanned to be worth a commit."""
    return before is None or after.height - before.height >= 64


def _reverse_reorged(unit: UnitOfWork, services: Services, chain_id: str, scan: Scan) -> None:
    assert scan.reorged_from is not None
    missing = unit.deposits.lock_from_height(chain_id, scan.reorged_from)
    note = f"Its block {scan.reorged_from} or above was replaced by a reorganisation."
    now = services.clock.now()
    reverse_deposits(unit, services, missing, now, note)
    standing = unit.standing.lock_from_height(chain_id, scan.reorged_from)
    reverse_standing_deposits(unit, services, standing, now, note)


def credit_confirmed(
    services: Services, heads: Mapping[str, ChainHead], writes: PassWrites, shards: Shards
) -> None:
    """Credit deposits that have enough confirmations and are still in their block."""
    heights = {chain: head.height for chain, head in heads.items()}
    with services.store.read() as unit:
        ready = unit.deposits.list_ready(heights, BATCH, shards=shards)
        ready += unit.deposits.list_ready(heights, LOW_PRIORITY_BATCH, True, shards)
    by_chain: dict[str, list[Deposit]] = {}
    for deposit in ready:
        by_chain.setdefault(deposit.incoming.chain, []).append(deposit)
    for chain_id, deposits in by_chain.items():
        try:
            included = services.chains[chain_id].verify_inclusion([d.incoming for d in deposits])
            present = [d for d, is_included in zip(deposits, included, strict=True) if is_included]
            missing = [
                d for d, is_included in zip(deposits, included, strict=True) if not is_included
            ]
            _plan_credits(services, present, writes)
            if missing:
                _relocate_missing(services, chain_id, missing)
        except Unreachable:
            continue


def _plan_credits(services: Services, deposits: Sequence[Deposit], writes: PassWrites) -> None:
    if not deposits:
        return
    services.process.failpoint("before-credit")

    def done(credited: int) -> int:
        services.process.failpoint("credited")
        return credited

    credit = partial(_credit, services, deposits)
    writes.add(PassWrite(credit, partial(_credit_alone, services, deposits), done))


def _credit(services: Services, deposits: Sequence[Deposit], unit: UnitOfWork) -> int:
    credit_deposits(unit, services, deposits, services.clock.now())
    return len(deposits)


def _credit_alone(services: Services, deposits: Sequence[Deposit]) -> int:
    def credit(part: Sequence[Deposit]) -> int:
        return services.store.write(partial(_credit, services, part))

    return sum(bisect_batch(services, "crediting", deposits, lambda d: d.intent_id, credit))


def _relocate_missing(services: Services, chain_id: str, missing: Sequence[Deposit]) -> None:
    """Find the new blocks of deposits that are no longer in their block.

    A reorg that no scan has noticed yet may have moved them. A deposit in no block was reported
    wrongly by a node, which raises an alert.
    """
    chain, tx_hashes = services.chains[chain_id], {d.incoming.tx_hash for d in missing}
    since = min(d.incoming.at for d in missing) - _REORG_MARGIN
    transfers = chain.transfers_to({d.incoming.to for d in missing}, since)
    candidates = [transfer for transfer in transfers if transfer.tx_hash in tx_hashes]
    relocated = [
        i
        for i, present in zip(candidates, chain.verify_inclusion(candidates), strict=True)
        if present
    ]
    not_found_count = len(
        [d for d in missing if d.incoming.tx_hash not in {i.tx_hash for i in relocated}]
    )

    def work(unit: UnitOfWork) -> None:
        unit.deposits.mark_orphaned(unit.deposits.lock_seen(missing), _NOT_FOUND_NOTE)
        record_deposits(unit, services, relocated)
        if not_found_count:
            raise_alert(
                unit,
                services,
                f"forged:{chain_id}",
                "node",
                chain_id,
                f"{_count_deposits(not_found_count)} reported that no block of "
                f"{chain_name(services, chain_id)} has: not credited.",
            )

    services.store.write(work)


def _count_deposits(count: int) -> str:
    return "A deposit was" if count == 1 else f"{count} deposits were"
