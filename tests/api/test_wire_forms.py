"""Every amount and time of a record as it is written on the wire. Each figure of a record differs
from the others, so that none can stand in the field of another."""

import json
from datetime import timedelta
from typing import Any

import pytest

from crossway.api.schemas.intents import CreatedIntent, ReadIntent
from crossway.api.schemas.ramp_orders import OrderOut
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.costs import Costs
from crossway.domain.intent import State
from crossway.domain.public_ids import PublicIds
from crossway.domain.ramps import Direction, OrderState
from tests.storage.ramp_records import an_order
from tests.storage.records import NOW, an_intent

# Amount, service, bridge and app fee in micro-USD; fees and app fee in units of the asset token.
COSTS = Costs(25_000_000, 10_000, 24_567, 250_000, 11_522_334_455_667_788, 83_333_333_333_333_334)
DEPOSIT = 8_428_188_999_999_999_999_999
MICROSECOND = timedelta(microseconds=654_321)

IDS = PublicIds(b"key")


def written(model: object) -> Any:
    return json.loads(bytes(JsonResponse(model).body))


def excerpt(body: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    return {name: body.get(name) for name in expected}


@pytest.mark.parametrize("form", [CreatedIntent, ReadIntent])
def test_an_intents_amounts_are_decimal_texts_of_smallest_units(form: type[CreatedIntent]) -> None:
    intent = an_intent(
        {"deposit_amount": DEPOSIT, "expires_at": NOW + timedelta(hours=1) + MICROSECOND},
        id=1,
        costs=COSTS,
        requested_amount=24_999_999,
        asset_decimals=18,
        created_at=NOW + MICROSECOND,
        updated_at=NOW + timedelta(seconds=9),
    )
    expected = {
        "initialAmount": "24999999",
        "fees_in_usd": "34567",
        "app_fee_in_usd": "250000",
        "total_amount_in_usd": "25284567",
        "total_amount_in_asset_token": "8428188999999999999999",
        "fees_in_asset_token": "11522334455667788",
        "app_fee_in_asset_token": "83333333333333334",
        "asset_token_decimals": 18,
        "expires_at": "2026-11-21T13:00:00.000Z",
        "created_at": "2026-11-21T12:00:00.654Z",
        "updated_at": "2026-11-21T12:00:09.000Z",
    }
    assert excerpt(written(form.from_intent(IDS, intent)), expected) == expected


@pytest.mark.parametrize(
    ("state", "created", "read"),
    [
        (State.PENDING, "PENDING", "PENDING"),
        (State.FUNDED, "PROCESSING", "FUNDED"),
        (State.INITIATED, "PROCESSING", "INITIATED"),
        (State.COMPLETED, "COMPLETED", "COMPLETED"),
        (State.EXPIRED, "FAILED", "EXPIRED"),
        (State.REFUNDED, "FAILED", "EXPIRED"),
        (State.FAILED, "FAILED", "EXPIRED"),
    ],
)
def test_each_state_has_its_word_in_both_forms(state: State, created: str, read: str) -> None:
    intent = an_intent(id=1, state=state)
    assert written(CreatedIntent.from_intent(IDS, intent))["intent_status"] == created
    assert written(ReadIntent.from_intent(IDS, intent))["intent_status"] == read


@pytest.mark.parametrize(("digits", "fiat"), [(0, "41250501"), (2, "412505.01"), (3, "41250.501")])
def test_an_orders_fiat_amount_has_the_digits_of_its_currency(digits: int, fiat: str) -> None:
    body = JsonResponse(
        OrderOut.from_order(IDS, an_order(id=1, fiat_minor=41_250_501, digits=digits))
    ).body
    assert f'"fiatAmount":{fiat},'.encode() in bytes(body)


def test_an_off_ramp_order_states_what_to_deposit_and_when_it_ends() -> None:
    order = an_order(
        id=1,
        direction=Direction.OFF,
        state=OrderState.COMPLETED,
        decimals=18,
        crypto_units=25_000_000_000_000_000_001,
        gross_units=25_084_567_000_000_000_000,
        source_chain="BSC_MAINNET",
        expires_at=NOW + timedelta(minutes=30) + MICROSECOND,
        completed_at=NOW + timedelta(minutes=2) + MICROSECOND,
    )
    expected = {
        "type": "off-ramp",
        "status": "COMPLETED",
        "grossDepositAmount": "25084567000000000000",
        "grossDepositAmountFormatted": "25.084567",
        "depositChain": "BSC_MAINNET",
        # Whole seconds: a payer is never shown more time than there is.
        "expiresAt": "2026-11-21T12:30:00.000Z",
        "completedAt": "2026-11-21T12:02:00.654Z",
    }
    assert excerpt(written(OrderOut.from_order(IDS, order)), expected) == expected
    body = JsonResponse(OrderOut.from_order(IDS, order)).body
    assert b'"cryptoAmount":25.000000000000000001,' in bytes(body)


def test_an_on_ramp_order_asks_for_no_deposit_whatever_the_record_holds() -> None:
    expected = {
        "type": "on-ramp",
        "grossDepositAmount": None,
        "grossDepositAmountFormatted": None,
        "depositChain": None,
        "completedAt": None,
    }
    order = an_order(id=1, source_chain="BASE_MAINNET", gross_units=7)
    assert excerpt(written(OrderOut.from_order(IDS, order)), expected) == expected
