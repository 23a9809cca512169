"""Entries of the audit log in words: no codes, no smallest units, no identifiers of merchants."""

from datetime import UTC, datetime
from typing import Any

import pytest

from crossway.dashboard.views.audit_values import AuditValues
from crossway.ports.logs import AuditEntry
from tests.harness import CATALOGUE

USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
MERCHANT = "3e3f180d-3c05-4625-ade6-9bc1ddcff65c"
TRANSFER = {
    "bridge": "RHINOFI", "from": "BSC_MAINNET", "to": "BASE_MAINNET", "token": "USDC",
    "units": "1256500000", "most_units": "1259013000000000000000", "micro_usd": 1256500000,
}  # fmt: skip
LINK = {"client_id": MERCHANT, "mode": "live", "destination_chain": "BASE_MAINNET",
        "token_out": USDC, "amount": "29000000"}  # fmt: skip


def values(
    subject: str, detail: dict[str, Any], after: dict[str, Any] | None = None
) -> AuditValues:
    entry = AuditEntry(1, datetime.now(UTC), "ada", "x", subject, detail, None, after, "")
    return AuditValues(CATALOGUE, {MERCHANT: "Lagos Tickets"}, entry)


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        (
            TRANSFER,
            "bridge: rhino.fi; from: BNB Smart Chain; to: Base; token: USDC; "
            "amount: 1,256.50 USDC; at most: 1,259.013 USDC; value: 1,256.50 USD",
        ),
        ({"units": "1256500000"}, "amount: 1,256,500,000 smallest units"),
        (
            {"chain": "BASE_MAINNET", f"inventory {USDC}": 12_000_000},
            "chain: Base; inventory: 12.00 USDC",
        ),
        ({"client": MERCHANT, "screen": "intents"}, "merchant: Lagos Tickets; page: Payments"),
        ({"subject": "chain:BASE_MAINNET"}, "subject: chain Base"),
        ({"events": ["intent_completed"]}, "events: Payment completed"),
        ({}, "–"),
    ],
)
def test_details_are_told_in_words(detail: dict[str, Any], text: str) -> None:
    assert values("", detail).describe_detail() == text


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("intent:12", "payment 12"),
        ("place:BASE_MAINNET", "location Base"),
        ("cap:BASE_MAINNET:USDC", "cap Base USDC"),
        ("route:BASE_MAINNET:RHINOFI:BSC_MAINNET", "route Base rhino.fi BNB Smart Chain"),
        (f"client:{MERCHANT}", "merchant Lagos Tickets"),
        ("rebalancing:7", "rebalancing transfer 7"),
        ("rebalancing", "rebalancing"),
    ],
)
def test_subjects_are_told_in_words(subject: str, text: str) -> None:
    assert values(subject, {}).describe_subject() == text


def test_amounts_of_a_change_are_those_of_its_token() -> None:
    policy = {"minimum": "25600000000", "maximum": str(10**30), "priority": 1}
    change = values("place:BASE_MAINNET", {"token": USDC}, policy)
    assert change.describe_detail() == "token: USDC"
    assert change.describe_after() == "minimum: 25,600.00 USDC; maximum: none; priority: 1"
    assert values("payment_link:pl_1", {}, LINK).describe_after() == (
        "merchant: Lagos Tickets; mode: live; destination chain: Base; token: USDC; "
        "amount: 29.00 USDC"
    )
