"""What the sweeps of a pass store, together in few transactions instead of one for each."""

import itertools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from crossway.domain.errors import StorageUnavailable
from crossway.engine.fenced_store import LeaseLost
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

log = logging.getLogger("crossway.engine")


@dataclass(frozen=True, slots=True)
class PassWrite:
    """What one sweep stores about one chain: `work`, in a transaction with that of others. Where
    that transaction fails, `alone` stores the same by itself, in as many transactions as it needs.
    `then` follows the commit: with what `work` or `alone` returned, it returns how much was done.
    `asks_outside`: somebody outside is waited for meanwhile, so that it is stored by itself.
    """

    work: Callable[[UnitOfWork], Any]
    alone: Callable[[], Any]
    then: Callable[[Any], int]
    asks_outside: bool = False


class PassWrites:
    """The writes of the sweeps since the last commit, in their order: each sees the effects of
    those before it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._waiting: list[PassWrite] = []

    def add(self, write: PassWrite) -> None:
        """Store this with the next commit."""
        self._waiting.append(write)

    def commit(self) -> int:
        """Store all that waits; returns how much was done.

        Where several transactions write at a time, each of the writes is one of its own, as short
        as can be: others wait for its rows."""
        writes, self._waiting = self._waiting, []
        runs = itertools.groupby(writes, lambda write: write.asks_outside)
        return sum(self._store(list(run), is_apart) for is_apart, run in runs)

    def _store(self, writes: Sequence[PassWrite], is_apart: bool) -> int:
        if len(writes) > 1 and self._services.store.has_one_writer and not is_apart:
            try:
                results = self._services.store.write(lambda unit: [w.work(unit) for w in writes])
            except (LeaseLost, StorageUnavailable):
                raise
            except Exception as error:
                # One of them fails: each by itself, so that it does not stop the others.
                log.info("a pass is stored in parts: %r", error)
            else:
                pairs = zip(writes, results, strict=True)
                return _do_each([partial(write.then, result) for write, result in pairs])
        return _do_each([partial(_store_alone, write) for write in writes])


def _store_alone(write: PassWrite) -> int:
    return write.then(write.alone())


def _do_each(steps: Sequence[Callable[[], int]]) -> int:
    """Do every step, also after one that fails; returns how much was done, or raises the first
    error. Where nothing can be stored any more, the rest is left."""
    done, first_error = 0, None
    for step in steps:
        try:
            done += step()
        except (LeaseLost, StorageUnavailable):
            raise
        except Exception as error:
            first_error = first_error or error
    if first_error is not None:
        raise first_error
    return done
