"""Encrypting everything anew after a change of the secret key, so that the old one can go."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from crossway.ports.services import Services
from crossway.ports.store import Unit

# Few at once: a document is up to 5 MiB long, and on SQLite all other writers wait meanwhile.
AT_ONCE = 8
MOST_PASSES = 3


@dataclass
class Rotated:
    """How many values of each kind were encrypted anew, and the keys of those that no secret key
    opens. `clean`: everything is encrypted with the first key, so that every other can go."""

    renewed: dict[str, int] = field(default_factory=dict)
    lost: dict[str, list[Any]] = field(default_factory=dict)
    clean: bool = False


def rotate(services: Services, by: str) -> Rotated:
    """Encrypt with the first key what another key encrypted. It can be ended and begun again at
    any time. It goes on until a pass finds nothing, as a process that still runs with the old
    key first writes with it."""
    done = Rotated()
    for _ in range(MOST_PASSES):
        with services.store.read() as unit:
            kinds = unit.sealed.kinds()
        changed = sum(_renew(services, kind, done) for kind in kinds)
        done.clean = changed == 0 and not any(done.lost.values())
        if changed == 0:
            break
    now = services.clock.now()
    detail = {"renewed": dict(done.renewed), "clean": done.clean}
    services.store.write(lambda unit: unit.network.audit(by, "secrets encrypted anew", detail, now))
    return done


def _renew(services: Services, kind: str, done: Rotated) -> int:
    """One pass over one kind; how many were encrypted anew."""
    changed = 0
    lost: list[Any] = []
    after: Any = None
    while True:
        page = services.store.write(partial(_renew_page, services, kind, after))
        changed += len(page.renewed)
        lost += page.lost
        after = page.last
        if after is None:
            break
    done.renewed[kind] = done.renewed.get(kind, 0) + changed
    done.lost[kind] = lost
    return changed


@dataclass(frozen=True, slots=True)
class _Page:
    renewed: Mapping[Any, bytes]
    lost: list[Any]
    last: Any


def _renew_page(services: Services, kind: str, after: Any, unit: Unit) -> _Page:
    found = unit.sealed.page(kind, AT_ONCE, after)
    renewed: dict[Any, bytes] = {}
    lost = []
    for key, sealed in found:
        try:
            anew = services.vault.renew(sealed)
        except ValueError:
            lost.append(key)
            continue
        if anew is not None:
            renewed[key] = anew
    unit.sealed.replace(kind, renewed)
    return _Page(renewed, lost, found[-1][0] if found else None)
