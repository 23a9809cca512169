"""The client of Gateway's API: what it asks, and that a malformed or late answer is none."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from crossway.adapters.bridges.gateway.api import FAILURES, GatewayApi, Refused
from crossway.adapters.bridges.service_limits import load_limits
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName
from tests.adapters.bridges.test_gateway_formats import SPEC, attestation, signed
from tests.bridges.gateway_service import GatewayService, running_gateway

GOOD = {
    "transferId": "11111111-2222-4333-8444-555555555555",
    "attestation": "0x" + attestation(SPEC.packed).hex(),
    "signature": "0x" + bytes(65).hex(),
    "fees": {"total": "0.01125", "token": "USDC"},
    "expirationBlock": "900",
}
ACCOUNT = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"


@dataclass
class Asked:
    service: GatewayService
    api: GatewayApi

    def says(self, body: Any, status: int = 200) -> None:
        self.service.status = status
        self.service.body = body if isinstance(body, bytes) else json.dumps(body).encode()


@pytest.fixture
def asked() -> Iterator[Asked]:
    with running_gateway({}) as service:
        limits = load_limits(BridgeName.GATEWAY, {"requests_per_second": 1_000})
        api = GatewayApi(service.url, limits)
        yield Asked(service, api)
        api.close()


def test_an_attestation_is_read_with_its_fee(asked: Asked) -> None:
    asked.says(GOOD, 201)
    created = asked.api.create_transfer([signed()])
    assert created.transfer_id == GOOD["transferId"]
    assert (created.fee, created.attestation.max_block_height) == (11_250, 900)


@pytest.mark.parametrize(
    "changes",
    [
        {"transferId": None},
        {"transferId": 7},
        {"attestation": "ff"},
        {"attestation": "0xzz"},
        {"attestation": "0x" + "00" * 20_000},
        {"signature": "0x00"},
        {"signature": None},
        {"fees": {"total": "-1"}},
        {"fees": {"total": "0.0000001"}},
        {"fees": {"total": True}},
    ],
)
def test_a_malformed_attestation_is_none(asked: Asked, changes: dict[str, Any]) -> None:
    asked.says({**GOOD, **changes}, 201)
    with pytest.raises(Unreachable, match="response cannot be used"):
        asked.api.create_transfer([signed()])


def test_fees_that_are_not_said_are_unknown(asked: Asked) -> None:
    asked.says({**GOOD, "fees": None}, 201)
    assert asked.api.create_transfer([signed()]).fee is None


@pytest.mark.parametrize("wrapped", [True, False])
def test_an_estimate_is_read_in_both_forms(asked: Asked, wrapped: bool) -> None:
    intents = [{"burnIntent": {"maxFee": "11250", "maxBlockHeight": "1", "spec": {}}}]
    asked.says({"body": intents} if wrapped else intents)
    assert asked.api.estimate_fee(SPEC) == 11_250


def test_balances_are_those_of_each_depositor(asked: Asked) -> None:
    entry = {"domain": 6, "depositor": ACCOUNT.upper().replace("0X", "0x"), "balance": "12.5"}
    other = {"domain": 3, "depositor": "0x" + "1" * 40, "balance": "99.0"}
    asked.says({"token": "USDC", "balances": [entry, other]})
    assert asked.api.balances({6: ACCOUNT, 3: ACCOUNT}) == {6: 12_500_000, 3: 0}


@pytest.mark.parametrize(
    "body",
    [
        b"not JSON",
        b"[" * 100_000,
        {"balances": None},
        {"balances": [{"domain": "6", "depositor": ACCOUNT, "balance": "1"}]},
        {"balances": [{"domain": 6, "depositor": ACCOUNT, "balance": "1e9"}]},
        {"balances": 2 * [{"domain": 6, "depositor": ACCOUNT, "balance": "1"}]},
    ],
)
def test_malformed_balances_are_none(asked: Asked, body: Any) -> None:
    asked.says(body)
    with pytest.raises(Unreachable, match="response cannot be used"):
        asked.api.balances({6: ACCOUNT})


def test_a_refusal_is_told_in_printable_words(asked: Asked) -> None:
    asked.says({"success": False, "message": "no\nway" + "!" * 1_000}, 400)
    with pytest.raises(Refused) as refused:
        asked.api.create_transfer([signed()])
    assert str(refused.value).startswith("no way!")
    assert len(str(refused.value)) == 200


@pytest.mark.parametrize("status", [400, 301, 500, 204])
def test_other_statuses_are_no_answer(asked: Asked, status: int) -> None:
    asked.says(b"", status)
    with pytest.raises(Unreachable, match=f"responded with status {status}"):
        asked.api.balances({6: ACCOUNT})


def test_after_too_many_requests_it_is_left_alone(asked: Asked) -> None:
    asked.says(b"", 429)
    for _ in range(2):
        with pytest.raises(Unreachable, match="refused requests as too many"):
            asked.api.balances({6: ACCOUNT})
    assert len(asked.service.requests) == 1


def test_after_failures_nobody_waits_for_it(asked: Asked) -> None:
    asked.service.silent = True
    for _ in range(FAILURES + 2):
        with pytest.raises(Unreachable, match="did not respond"):
            asked.api.balances({6: ACCOUNT})
    assert len(asked.service.requests) == FAILURES


def test_an_answer_that_is_too_long_is_none(asked: Asked) -> None:
    asked.says(b" " * 2**19)
    with pytest.raises(Unreachable, match="too long"):
        asked.api.balances({6: ACCOUNT})
