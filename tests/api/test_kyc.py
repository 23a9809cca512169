"""KYC over HTTP."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Scope
from tests.api.conftest import Api, new_key
from tests.api.ramp_requests import (
    PROVIDERS,
    create_order,
    new_email,
    order_body,
    pass_time,
    verified_customer,
)

STATE = {
    "provider", "userEmail", "countryCode", "fiatCurrency", "currentKycType", "currentKycStatus",
    "limitUsd", "usedUsd", "remainingUsd", "blocked", "missingRequirements", "verificationUrl",
}  # fmt: skip
FOR_AN_AMOUNT = {"requiredKycType", "canProceed"}
CORRIDOR = {"provider": "YELLOW_CARD", "countryCode": "NG", "fiatCurrency": "NGN"}
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"\x00" * 64
PDF = b"%PDF-1.7\n" + b" " * 64 + b"\n%%EOF\n"


def kyc_state(api: Api, email: str, **more: Any) -> Any:
    answer = api.get("/ramp/kyc", userEmail=email, **{**CORRIDOR, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def requirements(api: Api, kyc_type: str) -> list[dict[str, Any]]:
    """The requirements of YELLOW_CARD in Nigeria."""
    tiers = api.get("/ramp/kyc/requirements", **CORRIDOR).json()["tiers"]
    tier: list[dict[str, Any]] = next(t for t in tiers if t["kycType"] == kyc_type)["requirements"]
    return tier


GOOD = {
    "text": "12345678901",
    "date": "1990-12-31",
    "email": "ada@example.com",
    "phone": "+2348012345678",
}


def valid_values(asked: list[dict[str, Any]]) -> dict[str, str]:
    """Valid values of every requirement that is not a document."""
    return {
        item["key"]: item["options"][0] if item["options"] else GOOD[item["type"]]
        for item in asked
        if item["type"] != "document"
    }


def sent_document(api: Api, content: bytes, kind: str, **asked: Any) -> Any:
    return api.http.post(
        "/api/v1/ramp/kyc/documents",
        params={**CORRIDOR, **asked},
        content=content,
        headers=api.headers(**{"Content-Type": kind}),
    )


def test_a_new_customer_has_passed_nothing(api: Api) -> None:
    email = new_email()
    result = kyc_state(api, email)
    assert set(result) == STATE
    assert (result["currentKycType"], result["currentKycStatus"]) == ("none", "not_started")
    assert (result["limitUsd"], result["usedUsd"], result["remainingUsd"]) == (0, 0, 0)
    keys = [
        requirement["key"] for requirement in requirements(api, "basic") if requirement["required"]
    ]
    assert result["missingRequirements"] == keys
    assert email not in str(result), "masked"
    assert result["userEmail"].startswith("p…@e")


@pytest.mark.parametrize(
    ("path", "name"), [("/ramp/kyc", "cryptoAmount"), ("/kyc/state", "amount")]
)
def test_with_an_amount_the_status_states_its_requirements(api: Api, path: str, name: str) -> None:
    def asked(email: str, amount: str) -> Any:
        answer = api.get(path, **CORRIDOR, userEmail=email, **{name: amount})
        assert answer.status_code == 200, answer.text
        assert set(answer.json()) == STATE | FOR_AN_AMOUNT
        return answer.json()["requiredKycType"], answer.json()["canProceed"]

    new, basic = new_email(), verified_customer(api, "YELLOW_CARD", "basic")
    advanced = verified_customer(api, "YELLOW_CARD", "advanced")
    assert asked(new, "100") == ("basic", False)
    assert asked(basic, "100.5") == ("basic", True)
    assert asked(basic, "500") == ("basic", True)
    assert asked(basic, "500.01") == ("advanced", False)
    assert asked(advanced, "10000") == ("advanced", True)
    assert asked(advanced, "10001") == (None, False)
    other = api.get(path, **CORRIDOR, userEmail=basic, **{name: "1,5"})
    assert other.status_code == 400
    assert name in other.json()["message"]


def test_orders_count_towards_the_monthly_limit(api: Api) -> None:
    email = verified_customer(api, "YELLOW_CARD", "basic")
    create_order(api, userEmail=email, cryptoAmount=100)
    used = kyc_state(api, email)
    assert (used["limitUsd"], used["usedUsd"]) == (500, pytest.approx(100, rel=0.01))
    assert used["remainingUsd"] == pytest.approx(used["limitUsd"] - used["usedUsd"])
    pass_time(api, 32 * 86_400)
    assert kyc_state(api, email)["usedUsd"] == 0


@pytest.mark.parametrize("path", ["/ramp/kyc", "/kyc/state", "/ramp/kyc/requirements"])
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"provider": None}, "provider"),
        ({"provider": "NOBODY"}, "provider"),
        ({"countryCode": "KE"}, "countryCode"),
        ({"countryCode": "ng"}, "countryCode"),
        ({"fiatCurrency": None}, "fiatCurrency"),
        ({"fiatCurrency": "XXX"}, "fiatCurrency"),
        ({"provider": "ONRAMP_MONEY"}, "provider"),
    ],
)
def test_each_invalid_parameter_is_named(
    api: Api, path: str, changes: dict[str, Any], field: str
) -> None:
    email = {} if path.endswith("/requirements") else {"userEmail": new_email()}
    params = {**CORRIDOR, **email, **changes}
    answer = api.get(path, **{key: value for key, value in params.items() if value is not None})
    assert answer.status_code == 400, answer.text
    assert field in answer.json()["message"]
    assert answer.json()["param"] == field


@pytest.mark.parametrize("email", [None, "", "nobody", "a@b", "a b@example.com"])
@pytest.mark.parametrize("path", ["/ramp/kyc", "/kyc/state"])
def test_the_email_address_is_required_and_never_repeated(
    api: Api, path: str, email: str | None
) -> None:
    params = CORRIDOR if email is None else {**CORRIDOR, "userEmail": email}
    answer = api.get(path, **params)
    assert answer.status_code == 400
    assert "userEmail" in answer.json()["message"]
    assert not email or email not in answer.json()["message"]


@pytest.mark.parametrize(
    ("method", "path", "fields"),
    [
        ("GET", "/ramp/kyc", ("provider", "fiatCurrency", "userEmail", "cryptoAmount")),
        ("GET", "/kyc/state", ("provider", "fiatCurrency", "userEmail", "amount")),
        ("POST", "/ramp/kyc", ("provider", "userEmail", "fields")),
    ],
)
def test_all_errors_are_reported_at_once(
    api: Api, method: str, path: str, fields: tuple[str, ...]
) -> None:
    amount = {fields[-1]: "-1"}
    answer = api.get(path, **amount) if method == "GET" else api.post(path, {})
    complaints = answer.json()["message"].split("; ")
    assert answer.status_code == 400
    assert tuple(complaint.split()[0] for complaint in complaints) == fields


def test_an_unknown_provider_is_rejected_listing_the_four(api: Api) -> None:
    params = {**CORRIDOR, "provider": "NOBODY"}
    for path in ("/ramp/kyc", "/kyc/state", "/ramp/kyc/requirements"):
        email = {} if path.endswith("/requirements") else {"userEmail": new_email()}
        message = api.get(path, **params, **email).json()["message"]
        assert all(name in message for name in PROVIDERS), path


def test_requirements_are_listed_by_tier(api: Api) -> None:
    body = api.get("/ramp/kyc/requirements", **CORRIDOR).json()
    assert set(body) == {"provider", "countryCode", "fiatCurrency", "tiers"}
    tiers = {tier["kycType"]: tier for tier in body["tiers"]}
    assert tiers["basic"]["maxAmountUsd"] == 500
    assert tiers["advanced"]["maxAmountUsd"] == 10_000
    assert tiers["basic"]["perPeriod"] == "month"
    for tier in tiers.values():
        assert set(tier) == {"kycType", "maxAmountUsd", "perPeriod", "requirements"}
        for requirement in tier["requirements"]:
            assert set(requirement) == {
                "key", "label", "type", "required", "pattern", "options", "sensitive",
            }  # fmt: skip


def test_the_hosted_provider_verifies_on_its_own_page(api: Api) -> None:
    indian = {"provider": "ONRAMP_MONEY", "countryCode": "IN", "fiatCurrency": "INR"}
    result = kyc_state(api, new_email(), **indian)
    assert "ONRAMP_MONEY" in result["verificationUrl"]
    assert result["missingRequirements"] == []
    body = {"provider": "ONRAMP_MONEY", "userEmail": new_email(), "countryCode": "IN"}
    answer = api.post("/ramp/kyc", {**body, "fields": {"name": "Ada"}})
    assert answer.status_code == 400
    assert "its own page" in answer.json()["message"]


def test_submitted_fields_are_no_longer_missing_and_never_shown(api: Api) -> None:
    email, asked = new_email(), requirements(api, "basic")
    fields = valid_values(asked)
    body = {"provider": "YELLOW_CARD", "userEmail": email, "countryCode": "NG", "fields": fields}
    answer = api.post("/ramp/kyc", body)
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == STATE
    assert not set(fields) & set(answer.json()["missingRequirements"])
    for secret in (email, *fields.values()):
        assert secret not in answer.text.replace(answer.json()["fiatCurrency"], "")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"provider": None}, "provider"),
        ({"provider": 7}, "provider"),
        ({"userEmail": None}, "userEmail"),
        ({"userEmail": ["x"]}, "userEmail"),
        ({"countryCode": "US"}, "countryCode"),
        ({"fields": None}, "fields"),
        ({"fields": {}}, "fields"),
        ({"fields": {"shoe_size": "44"}}, "fields.shoe_size"),
        ({"fields": "text"}, "fields"),
        ({"colour": "red"}, "colour is not a known field"),
    ],
)
def test_each_invalid_submission_is_rejected_by_field(
    api: Api, changes: dict[str, Any], field: str
) -> None:
    good = {"provider": "YELLOW_CARD", "userEmail": new_email(), "countryCode": "NG"}
    body = {**good, "fields": valid_values(requirements(api, "basic")), **changes}
    answer = api.post("/ramp/kyc", body)
    assert answer.status_code == 400, answer.text
    assert field in answer.json()["message"]


def test_each_invalid_value_is_named_and_none_is_repeated(api: Api) -> None:
    fields = valid_values(requirements(api, "basic"))
    bad = dict.fromkeys(fields, "\x07 secret-value")
    body = {"provider": "YELLOW_CARD", "userEmail": new_email(), "countryCode": "NG", "fields": bad}
    answer = api.post("/ramp/kyc", body)
    assert answer.status_code == 400
    assert "secret-value" not in answer.text
    for key in fields:
        assert f"fields.{key}" in answer.json()["message"]


def test_a_document_is_uploaded_in_its_own_request(api: Api) -> None:
    email = new_email()
    key = next(o["key"] for o in requirements(api, "advanced") if o["type"] == "document")
    for content, kind in ((PNG, "image/png"), (PDF, "application/pdf; charset=binary")):
        answer = sent_document(api, content, kind, userEmail=email, key=key)
        assert answer.status_code == 200, answer.text
        assert key not in answer.json()["missingRequirements"]
    wrong = [
        (PNG, "image/jpeg", key, "image/png"),
        (b"GIF89a", "image/gif", key, "PNG"),
        (b"", "image/png", key, "empty"),
        (PNG, "image/png", "no_such_thing", "key"),
    ]
    for content, kind, named, reason in wrong:
        answer = sent_document(api, content, kind, userEmail=email, key=named)
        assert answer.status_code == 400, answer.text
        assert reason in answer.json()["message"]
        body_code, key_code = ("body_invalid", None), ("parameter_invalid", "key")
        shown = (answer.json()["code"], answer.json().get("param"))
        assert shown == (body_code if named == key else key_code)


def test_documents_are_limited_to_5_mib_and_other_bodies_to_64_kib(api: Api) -> None:
    email = new_email()
    key = next(o["key"] for o in requirements(api, "advanced") if o["type"] == "document")
    largest = PNG + b"\x00" * (5 * 2**20 - len(PNG))
    assert sent_document(api, largest, "image/png", userEmail=email, key=key).status_code == 200
    longer = sent_document(api, largest + b"\x00", "image/png", userEmail=email, key=key)
    assert longer.status_code == 413
    assert longer.json()["message"] == "The request body is longer than 5 MiB"
    other = api.http.post("/api/v1/ramp/kyc", content=b" " * 65537, headers=api.headers())
    assert other.status_code == 413
    assert other.json()["message"] == "The request body is longer than 64 KiB"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"provider": "NOBODY"}, "provider"),
        ({"provider": "ONRAMP_MONEY", "countryCode": "IN", "fiatCurrency": "INR"}, "provider"),
        ({"countryCode": "KE"}, "countryCode"),
        ({"fiatCurrency": "XXX"}, "fiatCurrency"),
        ({"userEmail": "nobody"}, "userEmail"),
        ({"key": ""}, "key"),
    ],
)
def test_each_invalid_document_is_rejected_with_the_reason(
    api: Api, changes: dict[str, str], field: str
) -> None:
    key = next(o["key"] for o in requirements(api, "advanced") if o["type"] == "document")
    params = {"userEmail": new_email(), "key": key, **changes}
    answer = sent_document(api, PNG, "image/png", **params)
    assert answer.status_code == 400, answer.text
    assert field in answer.json()["message"]


def erased(api: Api, **params: str) -> Any:
    return api.http.delete("/api/v1/ramp/kyc", params=params, headers=api.headers())


def test_a_customer_is_erased_and_the_orders_stay(api: Api) -> None:
    email = verified_customer(api, "YELLOW_CARD")
    order = create_order(api, userEmail=email)
    busy = erased(api, userEmail=email)
    assert busy.status_code == 400
    assert f"Order {order['id']}" in busy.json()["message"]
    assert api.post(f"/ramp/orders/{order['id']}/cancel").status_code == 200
    answer = erased(api, userEmail=email)
    assert (answer.status_code, answer.json()) == (200, {"success": True, "ordersCleared": 1})
    assert api.get(f"/ramp/orders/{order['id']}").json()["status"] == "CANCELLED"
    assert erased(api, userEmail=email).json()["ordersCleared"] == 0
    assert "userEmail" in erased(api).json()["message"]


def test_reading_and_submitting_need_their_scopes(http: TestClient, service: Service) -> None:
    reader = Api(http, service, *new_key(service, scopes=frozenset({Scope.READ})))
    assert kyc_state(reader, new_email())["currentKycType"] == "none"
    assert reader.post("/ramp/kyc", {}).status_code == 403
    assert sent_document(reader, PNG, "image/png").status_code == 403
    assert erased(reader, userEmail=new_email()).status_code == 403


def test_an_order_rejected_for_kyc_names_the_level(api: Api) -> None:
    email = new_email()
    answer = api.post("/ramp/orders", {**order_body(api), "userEmail": email})
    body = answer.json()
    assert answer.status_code == 400
    assert set(body) == {"statusCode", "message", "code", "kyc"}
    assert (body["statusCode"], body["code"]) == (400, "KYC_REQUIRED")
    assert set(body["kyc"]) == STATE | FOR_AN_AMOUNT
    assert (body["kyc"]["requiredKycType"], body["kyc"]["canProceed"]) == ("basic", False)
    assert email not in answer.text
    assert api.get("/ramp/orders").json()["total"] == 0


def test_no_email_address_is_logged(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    email = new_email()
    kyc_state(api, email)
    erased(api, userEmail=email)
    api.post("/ramp/kyc", {"userEmail": email})
    assert len(caplog.records) >= 3
    assert email not in str([vars(record) for record in caplog.records])
