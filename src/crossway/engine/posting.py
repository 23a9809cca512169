"""Sending one delivery, and writing down what came of many."""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from crossway.domain.errors import Unreachable
from crossway.domain.redaction import redact
from crossway.domain.webhooks import SWITCHED_OFF, Endpoint, Try, felt, tried
from crossway.engine.alarms import alarm
from crossway.engine.outbox import Parcel
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.ports.webhooks import Outgoing

log = logging.getLogger("crossway.engine.deliveries")

NOT_DRAWN = "the event could not be written down; the log has the details"
_HIDDEN = "webhook-signature"
_SENT_BY = "Crossway"


@dataclass(frozen=True, slots=True)
class Posted:
    """A parcel and what came of it."""

    parcel: Parcel
    outcome: Try


def post(services: Services, outgoing: Outgoing, parcel: Parcel) -> Posted:
    """Send a parcel; whatever happens is an outcome."""
    headers: Mapping[str, str] = {}
    status, answer, error = None, "", NOT_DRAWN
    began = time.perf_counter()
    if parcel.body is not None:
        try:
            headers = _headers(services, outgoing, parcel, parcel.body)
            given = outgoing.sender.send(parcel.endpoint.url, headers, parcel.body)
            # A receiver that echoes what it got, or shows its own secrets, is kept without them.
            status, answer = given.status, redact(given.body)
            error = "" if 200 <= status < 300 else f"answered {status}"
        except Unreachable as reason:
            error = str(reason)
        except Exception as defect:
            log.error("delivery %s could not be sent", parcel.delivery.id, exc_info=defect)
            error = f"could not be sent: {type(defect).__name__}"
    shown = {name: value for name, value in headers.items() if name != _HIDDEN}
    took = round((time.perf_counter() - began) * 1000)
    now = services.clock.now()
    return Posted(
        parcel, Try(parcel.delivery.id, now, status, error, took, json.dumps(shown), answer)
    )


def _headers(
    services: Services, outgoing: Outgoing, parcel: Parcel, body: bytes
) -> Mapping[str, str]:
    """What is sent with a body. Signed at the machine's time: receivers compare it with theirs,
    which the sandbox's clock does not move."""
    vault = services.vault
    assert vault is not None
    signing = parcel.endpoint.signing(services.clock.now())
    secrets = [vault.open(sealed).decode() for sealed in signing]
    return {
        "content-type": "application/json",
        "user-agent": _SENT_BY,
        **outgoing.signer.headers(
            secrets, parcel.announcement.event_id, services.clock.machine(), body
        ),
    }


def settle(services: Services, posted: Sequence[Posted], chances: Sequence[float]) -> None:
    """Write down what came of deliveries; `chances` spread their retries."""
    services.store.write(lambda unit: _settle(unit, services, posted, chances))
    services.reached("settled")


def _settle(
    unit: Unit, services: Services, posted: Sequence[Posted], chances: Sequence[float]
) -> None:
    before = unit.webhooks.lock({one.parcel.endpoint.id for one in posted})
    standing = unit.deliveries.lock_due([one.parcel.delivery.id for one in posted])
    endpoints = dict(before)
    after, tries = [], []
    for one, chance in zip(posted, chances, strict=True):
        delivery, endpoint = one.parcel.delivery, endpoints.get(one.parcel.endpoint.id)
        if endpoint is None:
            continue  # It was removed meanwhile, with all that was to be sent there.
        tries.append(one.outcome)
        if one.parcel.body is not None:  # else it was never asked
            endpoints[endpoint.id] = felt(endpoint, one.outcome)
        # One whose lease ran out may have been settled by whoever sent it again.
        if (current := standing.pop(delivery.id, None)) is not None:
            after.append(tried(current, one.outcome, chance))
    unit.deliveries.settle(after, tries)
    for endpoint in endpoints.values():
        if endpoint != before[endpoint.id]:
            unit.webhooks.change(endpoint)
        if before[endpoint.id].enabled and not endpoint.enabled:
            _switch_off(unit, services, endpoint)


def _switch_off(unit: Unit, services: Services, endpoint: Endpoint) -> None:
    now: datetime = services.clock.now()
    unit.deliveries.fail_open(endpoint.id, "the webhook was switched off", now)
    message = f"{SWITCHED_OFF}: webhook {endpoint.id} to {urlsplit(endpoint.url).hostname} is off."
    alarm(unit, services, f"webhook:{endpoint.id}", "webhook", f"webhook {endpoint.id}", message)
