"""The API while all outgoing money is stopped: no new payment, and all else as ever."""

from crossway.bootstrap import Service
from crossway.domain.clients import staff_principal
from crossway.usecases.money import emergency_stop
from tests.api.conftest import INTENT, USDC_ARBITRUM, USDC_BASE, Api

SENTENCE = (
    "Payments are stopped by the operator: nothing is paid out now, so no new payment is taken. "
    "Please try again later."
)


def test_creating_is_503_with_a_sentence_and_reading_and_quoting_go_on(
    api: Api, service: Service
) -> None:
    created = api.post("/intents", INTENT)
    assert created.status_code == 201
    emergency_stop.press(service.services, staff_principal("Operator"), "The key leaked")
    refused = api.post("/intents", INTENT)
    assert (refused.status_code, refused.json()) == (
        503,
        {"statusCode": 503, "message": SENTENCE, "code": "payments_stopped"},
    )
    # Why is nobody's business but the operator's.
    assert "leaked" not in refused.text
    address = created.json()["intent_address"]
    assert api.get(f"/intents/address/{address}").status_code == 200
    assert api.http.get("/api/readyz").status_code == 200
    quote = {
        "tokenIn": USDC_BASE,
        "tokenOut": USDC_ARBITRUM,
        "sourceChain": "BASE_MAINNET",
        "destinationChain": "ARBITRUM_MAINNET",
        "amount": "25000000",
    }
    assert api.get("/quotes/best", **quote).status_code == 200
