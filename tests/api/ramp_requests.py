"""Ramp requests over the API: customers, quotes, orders and simulated provider statuses."""

from itertools import count
from typing import Any

from tests.api.conftest import WALLET, Api

EURO = [
    "DE", "FR", "ES", "IT", "NL", "PT", "IE", "AT", "BE", "FI",
    "GR", "SK", "SI", "LT", "LV", "EE", "CY", "MT", "LU", "HR",
]  # fmt: skip
# By currency: countries (the first is the default) and providers.
CORRIDORS = {
    "NGN": (["NG"], ["FONBNK", "PAYCREST", "YELLOW_CARD"]),
    "KES": (["KE"], ["FONBNK", "PAYCREST", "YELLOW_CARD"]),
    "GHS": (["GH"], ["FONBNK", "PAYCREST", "YELLOW_CARD"]),
    "ZAR": (["ZA"], ["FONBNK", "YELLOW_CARD"]),
    "TZS": (["TZ"], ["FONBNK", "PAYCREST", "YELLOW_CARD"]),
    "UGX": (["UG"], ["FONBNK", "PAYCREST", "YELLOW_CARD"]),
    "ZMW": (["ZM"], ["FONBNK", "YELLOW_CARD"]),
    "XAF": (["CM", "GA", "CG"], ["FONBNK", "YELLOW_CARD"]),
    "XOF": (["SN", "BJ", "CI", "BF"], ["FONBNK", "YELLOW_CARD"]),
    "INR": (["IN"], ["ONRAMP_MONEY"]),
    "PHP": (["PH"], ["ONRAMP_MONEY"]),
    "GBP": (["GB"], ["ONRAMP_MONEY"]),
    "IDR": (["ID"], ["ONRAMP_MONEY"]),
    "MXN": (["MX"], ["ONRAMP_MONEY"]),
    "COP": (["CO"], ["ONRAMP_MONEY"]),
    "CLP": (["CL"], ["ONRAMP_MONEY"]),
    "EUR": (
        [
            "DE",
            "FR",
            "ES",
            "IT",
            "NL",
            "PT",
            "IE",
            "AT",
            "BE",
            "FI",
            "GR",
            "SK",
            "SI",
            "LT",
            "LV",
            "EE",
            "CY",
            "MT",
            "LU",
            "HR",
        ],
        ["ONRAMP_MONEY"],
    ),
    "ARS": (["AR"], ["ONRAMP_MONEY"]),
    "CAD": (["CA"], ["ONRAMP_MONEY"]),
    "USD": (["US"], ["ONRAMP_MONEY"]),
}
DIRECT_PROVIDERS = ["FONBNK", "PAYCREST", "YELLOW_CARD"]
PROVIDERS = ["FONBNK", "ONRAMP_MONEY", "PAYCREST", "YELLOW_CARD"]
ON_RAMP = {
    "type": "on-ramp",
    "fiatCurrency": "NGN",
    "cryptoAmount": 25,
    "destinationChain": "ARBITRUM_MAINNET",
}
OFF_RAMP = {
    "type": "off-ramp",
    "fiatCurrency": "NGN",
    "cryptoAmount": 25,
    "sourceChain": "BASE_MAINNET",
}
ORDER_FIELDS = {
    "id", "type", "provider", "status", "fiatCurrency", "fiatAmount", "cryptoCurrency",
    "cryptoAmount", "sourceChain", "destinationChain", "senderAddress", "recipientAddress",
    "countryCode", "widgetUrl", "paymentInstructions", "intentAddress", "grossDepositAmount",
    "grossDepositAmountFormatted", "depositChain", "providerTxHash", "failureReason", "metadata",
    "createdAt", "updatedAt", "expiresAt", "completedAt", "delayReason", "requiresBridge",
    "bridgeDetails", "bridgeTransfer",
}  # fmt: skip
_people = count(1)


def new_email() -> str:
    """A new customer's e-mail address."""
    return f"person{next(_people)}@example.com"


def verified_customer(api: Api, provider: str, kyc_type: str = "advanced") -> str:
    """The e-mail address of a customer whom a provider has verified."""
    email = new_email()
    body = {"provider": provider, "userEmail": email, "kycType": kyc_type, "status": "approved"}
    answer = api.post("/sandbox/kyc", body)
    assert answer.status_code == 200, answer.text
    return email


def get_quote(api: Api, provider: str, **asked: Any) -> Any:
    """A provider's quote."""
    answer = api.get("/ramp/quotes", **asked)
    assert answer.status_code == 200, answer.text
    return next(quote for quote in answer.json()["quotes"] if quote["provider"] == provider)


def fields_for(quote: dict[str, Any]) -> dict[str, str]:
    """Valid values for the required fields of a quote's first channel."""
    fields_required = quote["paymentChannels"][0]["fieldsRequired"]
    return {
        field["key"]: field["options"][0]["value"] if field["options"] else field["example"]
        for field in fields_required
        if field["required"]
    }


def order_body(api: Api, provider: str = "YELLOW_CARD", **changes: Any) -> dict[str, Any]:
    """The request body of an order by a verified customer."""
    base = OFF_RAMP if changes.get("type") == "off-ramp" else ON_RAMP
    wallet = "senderAddress" if base is OFF_RAMP else "recipientAddress"
    params = {**base, **changes}
    quote = get_quote(api, provider, **{k: v for k, v in params.items() if k != "userEmail"})
    body = {**base, "provider": provider, wallet: WALLET, "fields": fields_for(quote), **changes}
    return {"userEmail": verified_customer(api, provider), **body}


def create_order(api: Api, provider: str = "YELLOW_CARD", **changes: Any) -> Any:
    """A new order."""
    answer = api.post("/ramp/orders", order_body(api, provider, **changes))
    assert answer.status_code == 201, answer.text
    return answer.json()


def get_order(api: Api, order: Any) -> Any:
    """The current order."""
    return api.get(f"/ramp/orders/{order['id']}").json()


def report(api: Api, order: Any, outcome: str) -> None:
    """Simulate a status at the order's provider and let the engine process it."""
    answer = api.post(f"/sandbox/ramp/orders/{order['id']}", {"outcome": outcome})
    assert answer.status_code == 200, answer.text
    pass_time(api, 1)


def pass_time(api: Api, seconds: float, times: int = 1) -> None:
    """Advance the clock in steps and run the engine after each."""
    for _ in range(times):
        assert api.post("/sandbox/clock", {"advanceSeconds": seconds}).status_code == 200
        api.tick()


def wait_for_status(api: Api, order: Any, status: str, times: int = 40) -> Any:
    """Wait until the order has a status and return it."""
    now = get_order(api, order)
    while now["status"] != status and times:
        pass_time(api, 3)
        now, times = get_order(api, order), times - 1
    assert now["status"] == status, now
    return now
