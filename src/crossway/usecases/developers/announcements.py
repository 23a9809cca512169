"""What an announcement told: its resource as it stood then, drawn from its facts."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from crossway.domain.intent import Intent, State
from crossway.domain.ramps import OrderState, RampOrder
from crossway.domain.webhooks import Announcement

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def intent_then(intent: Intent, told: Announcement) -> Intent:
    """An intent as it stood when this was announced."""
    facts = json.loads(told.facts)
    return replace(
        intent,
        state=State(facts["state"]),
        tx_hash=facts["tx_hash"],
        relayer=facts["relayer"],
        relayer_claimed=facts["relayer_claimed"],
        needs_relay=facts["needs_relay"],
        received_units=int(facts["received_units"]),
        updated_at=told.at,
    )


def order_then(order: RampOrder, told: Announcement) -> RampOrder:
    """A ramp order as it stood when this was announced; how its user pays is as it is now."""
    facts: Mapping[str, Any] = json.loads(told.facts)
    return replace(
        order,
        state=OrderState(facts["state"]),
        fiat_minor=facts["fiat_minor"],
        gross_units=int(facts["gross_units"]),
        intent_address=facts["intent_address"],
        provider_tx=facts["provider_tx"],
        failure_reason=facts["failure_reason"],
        updated_at=told.at,
        expires_at=_instant(facts["expires_at"]) or order.expires_at,
        completed_at=_instant(facts["completed_at"]),
    )


def _instant(micros: int | None) -> datetime | None:
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)
