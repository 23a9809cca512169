"""Sends one webhook delivery and records the results of many."""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from crossway.domain.errors import Unreachable
from crossway.domain.redaction import redact
from crossway.domain.webhooks import (
    DISABLED_REASON,
    MAX_ATTEMPTS,
    DeliveryAttempt,
    DeliveryState,
    Endpoint,
    alert_key,
    apply_attempt,
    endpoint_health,
)
from crossway.engine.alerts import raise_alert
from crossway.engine.delivery_queue import QueuedDelivery
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhooks import WebhookServices

log = logging.getLogger("crossway.engine.webhook_dispatcher")

RENDER_FAILED = "the event could not be rendered; the log has the details"
_SIGNATURE_HEADER = "webhook-signature"
_USER_AGENT = "Crossway"


@dataclass(frozen=True, slots=True)
class SentDelivery:
    """A delivery that was sent, and its attempt."""

    queued: QueuedDelivery
    attempt: DeliveryAttempt


def send_webhook(
    services: Services, webhooks: WebhookServices, queued: QueuedDelivery
) -> SentDelivery:
    """Send a delivery; every failure becomes part of the attempt."""
    headers: Mapping[str, str] = {}
    status, response_body, error = None, "", RENDER_FAILED
    started = time.perf_counter()
    if queued.body is not None:
        try:
            headers = _headers(services, webhooks, queued, queued.body)
            response = webhooks.sender.send(queued.endpoint.url, headers, queued.body)
            # A response may echo secrets: it is stored without them.
            status, response_body = response.status, redact(response.body)
            error = "" if 200 <= status < 300 else f"answered {status}"
        except Unreachable as unreachable:
            error = str(unreachable)
        except Exception as exception:
            log.error("delivery %s could not be sent", queued.delivery.id, exc_info=exception)
            error = f"could not be sent: {type(exception).__name__}"
    logged_headers = {name: value for name, value in headers.items() if name != _SIGNATURE_HEADER}
    milliseconds = round((time.perf_counter() - started) * 1000)
    now = services.clock.now()
    return SentDelivery(
        queued,
        DeliveryAttempt(
            queued.delivery.id,
            now,
            status,
            error,
            milliseconds,
            json.dumps(logged_headers),
            response_body,
        ),
    )


def _headers(
    services: Services, webhooks: WebhookServices, queued: QueuedDelivery, body: bytes
) -> Mapping[str, str]:
    """The request headers. Signed with the machine's time, which receivers compare with their own
    and which the sandbox clock does not move."""
    vault = services.vault
    assert vault is not None
    signing = queued.endpoint.signing_secrets(services.clock.now())
    secrets = [vault.decrypt(secret).decode() for secret in signing]
    return {
        "content-type": "application/json",
        "user-agent": _USER_AGENT,
        **webhooks.signer.headers(secrets, queued.event.event_id, services.clock.machine(), body),
    }


def record_attempts(
    services: Services, sent: Sequence[SentDelivery], random_fractions: Sequence[float]
) -> None:
    """Store the results of deliveries; `random_fractions` (0 to 1) spread their retries."""
    services.store.write(lambda unit: _record_attempts(unit, services, sent, random_fractions))
    services.process.failpoint("settled")


def _record_attempts(
    unit: UnitOfWork,
    services: Services,
    sent: Sequence[SentDelivery],
    random_fractions: Sequence[float],
) -> None:
    before = unit.webhooks.lock({sent_delivery.queued.endpoint.id for sent_delivery in sent})
    open_deliveries = unit.deliveries.lock_due([one.queued.delivery for one in sent])
    endpoints = dict(before)
    after, attempts = [], []
    # Those that are given up last: a success of the same batch does not hide that one was lost.
    for sent_delivery, fraction in sorted(
        zip(sent, random_fractions, strict=True), key=lambda one: _gives_up(one[0])
    ):
        delivery, endpoint = (
            sent_delivery.queued.delivery,
            endpoints.get(sent_delivery.queued.endpoint.id),
        )
        if endpoint is None:
            continue  # The endpoint was deleted meanwhile, with its deliveries.
        attempts.append(sent_delivery.attempt)
        if sent_delivery.queued.body is not None:  # otherwise no request was made
            endpoints[endpoint.id] = endpoint_health(endpoint, sent_delivery.attempt)
        # If the lease expired, another dispatcher may have recorded a result already.
        if (current := open_deliveries.pop(delivery.id, None)) is not None:
            after.append(apply_attempt(current, sent_delivery.attempt, fraction))
    unit.deliveries.save_results(after, attempts)
    given_up = {one.webhook_id for one in after if one.state is DeliveryState.FAILED}
    for endpoint in endpoints.values():
        if endpoint != before[endpoint.id]:
            unit.webhooks.update(endpoint)
        if before[endpoint.id].enabled and not endpoint.enabled:
            _disable_endpoint(unit, services, endpoint)
        elif before[endpoint.id].failing_since and not endpoint.failing_since:
            unit.alerts.resolve([alert_key(endpoint.id)], services.clock.now())
        elif endpoint.id in given_up and endpoint.enabled and endpoint.failing_since:
            message = f"{MAX_ATTEMPTS} attempts to deliver an event failed; it is not retried: "
            _raise_alert(unit, services, endpoint, message + "webhook {} to {}.")


def _gives_up(sent_delivery: SentDelivery) -> bool:
    """Whether this attempt is the last of its delivery, and failed."""
    tried = sent_delivery.queued.delivery.attempt_count + 1
    return tried >= MAX_ATTEMPTS and not sent_delivery.attempt.accepted


def _disable_endpoint(unit: UnitOfWork, services: Services, endpoint: Endpoint) -> None:
    now: datetime = services.clock.now()
    unit.deliveries.fail_all_open(endpoint.id, "the webhook was disabled", now)
    _raise_alert(unit, services, endpoint, DISABLED_REASON + ": webhook {} to {} is disabled.")


def _raise_alert(unit: UnitOfWork, services: Services, endpoint: Endpoint, text: str) -> None:
    """Raise an endpoint's alert; `text` has places for its id and its host."""
    message = text.format(endpoint.id, urlsplit(endpoint.url).hostname)
    subject = f"webhook {endpoint.id}"
    raise_alert(unit, services, alert_key(endpoint.id), "webhook", subject, message)
