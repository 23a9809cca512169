"""Deleting records past their retention period, and archiving payments nobody paid, in small
batches; and the partitions of the records that a database keeps by time."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from crossway.domain.kyc import month_start
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

BATCH_SIZE, ARCHIVE_BATCH_SIZE = 2_000, 200
# Kinds that are kept in partitions, and into how many of them retention is divided: fewer keep
# records for longer, more cost every statement that looks into all of them.
_PARTITIONED: Final = ("deliveries", "attempts", "outbox")
_PARTS: Final = 4


def delete_expired(services: Services) -> int:
    """Delete a batch of expired records of each kind and return the number deleted."""
    cutoffs = get_cutoffs(services)
    with services.store.read() as unit:
        due = [kind for kind, cutoff in cutoffs.items() if unit.retention.has_older(kind, cutoff)]
    return sum(services.store.write(partial(_delete_batch, kind, cutoffs[kind])) for kind in due)


def renew_partitions(services: Services) -> int:
    """Make the partitions of the coming time, and drop the oldest of each kind if it is past
    retention; returns how many were dropped. One, as the clock may be ahead by mistake."""
    now, cutoffs = services.clock.now(), get_cutoffs(services)
    with services.store.read() as unit:
        kinds = [kind for kind in _PARTITIONED if unit.retention.has_partitions(kind)]
    dropped = 0
    for kind in kinds:
        width = (now - cutoffs[kind]) / _PARTS
        services.store.write(partial(_add_partitions, kind, now, width))
        dropped += services.store.write(partial(_drop_partition, kind, cutoffs[kind]))
    return dropped


def archive_unpaid(services: Services) -> int:
    """Archive a batch of payments that expired unpaid and whose addresses are no longer watched;
    returns how many."""
    policy = services.policy
    watched = timedelta(seconds=policy.late_watch_seconds)
    cutoff = services.clock.now() - max(policy.retention.unpaid, watched)
    with services.store.read() as unit:
        if not unit.payment_archive.has_due(cutoff):
            return 0

    def work(unit: UnitOfWork) -> int:
        unit.leases.lock("retention")
        return unit.payment_archive.archive(cutoff, ARCHIVE_BATCH_SIZE)

    return services.store.write(work)


def get_cutoffs(services: Services) -> Mapping[str, datetime]:
    """By kind, the time before which records are deleted."""
    now, policy = services.clock.now(), services.policy.retention
    return {
        "requests": now - policy.requests,
        # Deliveries go before the events they refer to.
        "deliveries": now - policy.deliveries,
        "attempts": now - policy.deliveries,
        "outbox": now - policy.outbox,
        "provider_updates": now - policy.provider_updates,
        # Limits count by calendar month.
        "erased_usage": month_start(now),
    }


def _delete_batch(kind: str, cutoffs: datetime, unit: UnitOfWork) -> int:
    unit.leases.lock("retention")
    return unit.retention.delete_oldest(kind, cutoffs, BATCH_SIZE)


def _add_partitions(kind: str, now: datetime, width: timedelta, unit: UnitOfWork) -> int:
    unit.leases.lock("retention")
    return unit.retention.add_partitions(kind, now, width)


def _drop_partition(kind: str, cutoff: datetime, unit: UnitOfWork) -> bool:
    unit.leases.lock("retention")
    return unit.retention.drop_partition(kind, cutoff)
