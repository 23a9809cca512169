"""Payment links through the client."""

from datetime import UTC, datetime, timedelta

import pytest

from crossway.bootstrap import Service
from crossway.domain.public_ids import RecordKind
from crossway.usecases.payers.link_payments import CheckoutForm, pay_by_link
from crossway_client import BadRequest, Crossway
from tests.api.conftest import WALLET
from tests.record_numbers import public_id


def test_a_link_is_created_changed_used_and_listed(crossway: Crossway, service: Service) -> None:
    ends = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    link = crossway.payment_links.create(
        title="Coffee",
        destination_chain="ARBITRUM",
        recipient=WALLET,
        amount=12_500_000,
        source_tokens=["USDC"],
        metadata={"sku": 7},
        max_uses=3,
        expires_at=ends,
    )
    assert (link.amount, link.expires_at, link.uses) == (12_500_000, ends, 0)
    assert link.url.endswith(f"/pay/l/{link.id}")
    form = CheckoutForm("n" * 20, "", "BASE_MAINNET:USDC", WALLET)
    intent = pay_by_link(service.services, link.id, form)
    [use] = crossway.payment_links.uses(link.id)
    number = public_id(service.services, RecordKind.INTENT, intent.id)
    assert (use.intent_id, use.intent_status) == (number, "PENDING")
    changed = crossway.payment_links.update(link.id, active=False, max_uses=None)
    assert (changed.active, changed.max_uses, changed.reserved) == (False, None, 1)
    assert next(crossway.payment_links.list()) == crossway.payment_links.get(link.id)
    assert crossway.intents.get(number).payment_url == use.payment_url
    with pytest.raises(BadRequest, match="title"):
        crossway.payment_links.update(link.id, title="")
