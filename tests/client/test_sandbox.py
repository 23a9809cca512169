"""The controls of the simulated network through both clients."""

import pytest

from crossway.bootstrap import Service
from crossway_client import BadRequest, Crossway
from tests.api.conftest import WALLET
from tests.client.test_client import create
from tests.client.test_ramps import PROVIDER, create_order, pass_kyc

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cf500f00038501806b0d8e1c0000000049454e44ae426082"
)


def test_faults_are_set_and_taken_back(crossway: Crossway) -> None:
    slow = crossway.sandbox.chain_faults("BASE_MAINNET", slow_blocks=5)
    assert (slow.chain, slow.faults["slowBlocks"]) == ("BASE_MAINNET", 5)
    crossway.sandbox.chain_faults("BASE_MAINNET", slow_blocks=1)
    late = crossway.sandbox.bridge_faults("CCTP", late_seconds=600)
    assert (late.bridge, late.faults["lateSeconds"]) == ("CCTP", 600)
    crossway.sandbox.bridge_faults("CCTP", late_seconds=0)
    costly = crossway.sandbox.provider_faults(PROVIDER, rate_bps=50)
    assert (costly.provider, costly.faults["rateBps"]) == (PROVIDER, 50)
    crossway.sandbox.provider_faults(PROVIDER, rate_bps=0)
    with pytest.raises(BadRequest):
        crossway.sandbox.chain_faults("BASE_MAINNET", slow_blocks=-1)


def test_a_deposit_is_seen_where_it_lies(crossway: Crossway) -> None:
    created = create(crossway)
    sent = crossway.sandbox.deposit(created.intent_address, 1_000_000, idempotency_key="one")
    again = crossway.sandbox.deposit(created.intent_address, 1_000_000, idempotency_key="one")
    assert (sent.chain, again.tx_hash) == ("BASE_MAINNET", sent.tx_hash)
    clock = crossway.sandbox.set_clock(advance_seconds=4)
    assert clock.frozen is False
    [held] = crossway.sandbox.balances(created.intent_address).balances
    assert (held.token, held.amount, held.chain) == ("USDC", 1_000_000, "BASE_MAINNET")


def test_a_provider_reports_an_order(crossway: Crossway, service: Service) -> None:
    email = "lin@example.com"
    pass_kyc(crossway, email)
    order = create_order(crossway, email)
    crossway.sandbox.report_order(order.id, "paid")
    for _ in range(3):
        crossway.sandbox.set_clock(advance_seconds=5)
        service.engine.tick()
    assert crossway.ramp_orders.get(order.id, expand=["intent"]).intent is not None
    assert crossway.ramp_orders.get(order.id).status == "PROCESSING"
    assert order.recipient_address == WALLET


def test_a_document_is_handed_in(crossway: Crossway) -> None:
    person = {"provider": PROVIDER, "user_email": "kim@example.com", "country_code": "NG"}
    before = crossway.kyc.transaction_state(**person, fiat_currency="NGN", amount="900")
    assert before.required_kyc_type == "advanced"
    tiers = crossway.kyc.requirements(
        provider=PROVIDER, fiat_currency="NGN", country_code="NG"
    ).tiers
    key = next(one.key for tier in tiers for one in tier.requirements if one.type == "document")
    state = crossway.kyc.add_document(**person, key=key, content=PNG, media_type="image/png")
    assert key not in state.missing_requirements
    with pytest.raises(BadRequest):
        crossway.kyc.add_document(**person, key=key, content=b"no picture", media_type="image/png")
