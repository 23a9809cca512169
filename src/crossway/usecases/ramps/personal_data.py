"""Decryption of the personal data that a ramp order and its customer hold."""

import json
from collections.abc import Mapping
from typing import Any

from crossway.domain.ramps import RampOrder
from crossway.ports.services import Services


def personal_values(services: Services, order: RampOrder) -> list[str]:
    """The personal data of an order: the e-mail address and the values of its fields."""
    personal = decrypt_personal_data(services, order)
    return [str(personal.get("email") or ""), *personal.get("fields", {}).values()]


def decrypt_personal_data(services: Services, order: RampOrder) -> Mapping[str, Any]:
    """The user's `email` and the channel's `fields`; empty once the customer is erased."""
    if order.encrypted_fields is None:
        return {}
    personal: Mapping[str, Any] = json.loads(services.vault.decrypt(order.encrypted_fields))
    return personal


def decrypt_kyc_fields(services: Services, order: RampOrder) -> Mapping[str, str]:
    """The fields (not the documents) that the customer submitted for the provider's KYC."""
    if order.customer_id is None:
        return {}
    with services.store.read() as unit:
        submissions = unit.kyc_customers.list_submissions(
            order.customer_id, order.provider, order.country
        )
    decrypted = {
        submission.field: services.vault.decrypt(submission.encrypted_value)
        for submission in submissions
        if not submission.media_type
    }
    return {key: json.loads(value) for key, value in decrypted.items()}
