"""The sweeps of a pass that ask chains first and store together what follows, in their order."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from crossway.engine.deposit_watcher import credit_confirmed
from crossway.engine.expiry import expire_intents
from crossway.engine.pass_writes import PassWrites
from crossway.engine.reorg_monitor import finalize_confirmed
from crossway.engine.standing_deposits import follow_standing
from crossway.engine.tx_submitter import submit_due
from crossway.engine.tx_tracker import track_signed
from crossway.ports.chain import ChainHead
from crossway.ports.services import Services
from crossway.ports.shards import ALL_SHARDS, Shards

Heads = Mapping[str, ChainHead]
Sweep = Callable[[Services, Heads, PassWrites, Shards], None]
Guard = Callable[[str, Callable[[], int]], int]
# Those of one line are stored in one transaction. What is credited or settled by the first is due
# for the second.
_SWEEPS: Final[tuple[tuple[Sweep, ...], ...]] = (
    (credit_confirmed, follow_standing, track_signed),
    (submit_due, finalize_confirmed, expire_intents),
)


def run_sweeps(
    services: Services, heads: Heads, guarded: Guard, shards: Shards = ALL_SHARDS
) -> int:
    """Run each sweep once over these shards of the chains with these heads, `guarded` against its
    errors by its name; returns how much was done."""
    done, writes = 0, PassWrites(services)
    for together in _SWEEPS:
        for sweep in together:
            guarded(sweep.__name__, partial(_run, sweep, services, heads, writes, shards))
        done += guarded("storing", writes.commit)
    return done


def run_alone(sweep: Sweep, services: Services, heads: Heads) -> int:
    """Run one sweep and store what it decides; returns how much was done."""
    writes = PassWrites(services)
    sweep(services, heads, writes, ALL_SHARDS)
    return writes.commit()


def _run(sweep: Sweep, services: Services, heads: Heads, writes: PassWrites, shards: Shards) -> int:
    sweep(services, heads, writes, shards)
    return 0
