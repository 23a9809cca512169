"""Ramps as a client of the API uses them: people, orders, and what their providers do."""

from itertools import count
from typing import Any

from tests.api.conftest import WALLET, Api

EURO = [
    "DE", "FR", "ES", "IT", "NL", "PT", "IE", "AT", "BE", "FI",
    "GR", "SK", "SI", "LT", "LV", "EE", "CY", "MT", "LU", "HR",
]  # fmt: skip
# Currency: countries (the first is the default), and who serves it (wire.md §4).
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
DIRECT = ["FONBNK", "PAYCREST", "YELLOW_CARD"]
NAMES = ["FONBNK", "ONRAMP_MONEY", "PAYCREST", "YELLOW_CARD"]
ON = {
    "type": "on-ramp",
    "fiatCurrency": "NGN",
    "cryptoAmount": 25,
    "destinationChain": "ARBITRUM_MAINNET",
}
OFF = {
    "type": "off-ramp",
    "fiatCurrency": "NGN",
    "cryptoAmount": 25,
    "sourceChain": "BASE_MAINNET",
}
ORDER = {
    "id", "type", "provider", "status", "fiatCurrency", "fiatAmount", "cryptoCurrency",
    "cryptoAmount", "sourceChain", "destinationChain", "senderAddress", "recipientAddress",
    "countryCode", "widgetUrl", "paymentInstructions", "intentAddress", "grossDepositAmount",
    "grossDepositAmountFormatted", "depositChain", "providerTxHash", "failureReason", "metadata",
    "createdAt", "updatedAt", "expiresAt", "completedAt",
}  # fmt: skip
_people = count(1)


def person() -> str:
    """The e-mail address of somebody new."""
    return f"person{next(_people)}@example.com"


def known(api: Api, provider: str, kyc_type: str = "advanced") -> str:
    """Somebody whom a provider has checked."""
    email = person()
    body = {"provider": provider, "userEmail": email, "kycType": kyc_type, "status": "approved"}
    answer = api.post("/sandbox/kyc", body)
    assert answer.status_code == 200, answer.text
    return email


def quote_of(api: Api, provider: str, **asked: Any) -> Any:
    """A provider's quote."""
    answer = api.get("/ramp/quotes", **asked)
    assert answer.status_code == 200, answer.text
    return next(quote for quote in answer.json()["quotes"] if quote["provider"] == provider)


def fields_for(quote: dict[str, Any]) -> dict[str, str]:
    """Good values for what the first channel of a quote asks for."""
    asked = quote["paymentChannels"][0]["fieldsRequired"]
    return {
        field["key"]: field["options"][0]["value"] if field["options"] else field["example"]
        for field in asked
        if field["required"]
    }


def order_of(api: Api, provider: str = "YELLOW_CARD", **changes: Any) -> dict[str, Any]:
    """What to post for an order, of somebody whom the provider knows."""
    base = OFF if changes.get("type") == "off-ramp" else ON
    wallet = "senderAddress" if base is OFF else "recipientAddress"
    asked = {**base, **changes}
    quote = quote_of(api, provider, **{k: v for k, v in asked.items() if k != "userEmail"})
    made = {**base, "provider": provider, wallet: WALLET, "fields": fields_for(quote), **changes}
    return {"userEmail": known(api, provider), **made}


def open_order(api: Api, provider: str = "YELLOW_CARD", **changes: Any) -> Any:
    """A new order."""
    answer = api.post("/ramp/orders", order_of(api, provider, **changes))
    assert answer.status_code == 201, answer.text
    return answer.json()


def read(api: Api, order: Any) -> Any:
    """An order as it stands."""
    return api.get(f"/ramp/orders/{order['id']}").json()


def report(api: Api, order: Any, outcome: str) -> None:
    """Let the order's provider do and say something, and let the engine hear it."""
    answer = api.post(f"/sandbox/ramp/orders/{order['id']}", {"outcome": outcome})
    assert answer.status_code == 200, answer.text
    let_pass(api, 1)


def let_pass(api: Api, seconds: float, times: int = 1) -> None:
    """Time goes by, and the engine looks after each step."""
    for _ in range(times):
        assert api.post("/sandbox/clock", {"advanceSeconds": seconds}).status_code == 200
        api.tick()


def until(api: Api, order: Any, status: str, times: int = 40) -> Any:
    """The order once it has a status."""
    now = read(api, order)
    while now["status"] != status and times:
        let_pass(api, 3)
        now, times = read(api, order), times - 1
    assert now["status"] == status, now
    return now
