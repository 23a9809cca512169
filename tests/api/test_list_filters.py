"""Lists over HTTP: their filters in both vocabularies, periods, and paging by cursor."""

from typing import Any

import pytest

from crossway.domain.clients import Mode
from tests.api.conftest import WALLET, Api, new_key
from tests.api.ramp_requests import create_order

OTHER_WALLET = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
USDC_OPTIMISM = "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"
LINK = {"title": "Coffee", "destination_chain": "ARBITRUM_MAINNET", "recipient": WALLET}


def listed(api: Api, **params: Any) -> list[int]:
    answer = api.get("/intents", **params)
    assert answer.status_code == 200, answer.text
    return [intent["id"] for intent in answer.json()["intents"]]


def expire(api: Api) -> None:
    api.post("/sandbox/clock", {"advanceSeconds": 7_200})
    api.tick(3)


def test_a_status_of_either_vocabulary_filters(api: Api) -> None:
    expired = api.create().json()["id"]
    expire(api)
    funded = api.create().json()
    api.post("/sandbox/deposits", {"address": funded["intent_address"], "amount": "exact"})
    pending = api.create(source_chain="OPTIMISM", tokenIn=USDC_OPTIMISM).json()["id"]
    assert listed(api, status="pending") == [pending, funded["id"]]
    assert listed(api, status="expired") == listed(api, status="failed") == [expired]
    api.tick(6)
    own = api.get(f"/intents/{funded['id']}").json()["intent_status"].lower()
    assert own in {"funded", "initiated", "completed"}
    assert listed(api, status=own) == [funded["id"]]
    assert listed(api, status=own.upper()) == [funded["id"]]


def test_each_filter_narrows_the_list(api: Api) -> None:
    made = api.create(metadata={"order": "A-1001"}).json()["id"]
    other = api.create(
        sender=OTHER_WALLET, recipient=OTHER_WALLET, destination_chain="BASE_MAINNET"
    ).json()["id"]
    for params, expected in [
        ({"sender": OTHER_WALLET}, [other]),
        ({"sender": OTHER_WALLET.lower()}, [other]),
        ({"recipient": WALLET}, [made]),
        ({"recipient": "nobody"}, []),
        ({"bridge": "none"}, [other]),
        ({"token": "USDC"}, [other, made]),
        ({"token": "USDT"}, []),
        ({"reference": "a-1001"}, [made]),
        ({"payment_link_id": "pl_unknown"}, []),
        ({"recipient": WALLET, "token": "USDC", "status": "pending"}, [made]),
        ({"recipient": WALLET, "sender": OTHER_WALLET}, []),
        ({"sender": OTHER_WALLET, "offset": 1}, []),
    ]:
        assert listed(api, **params) == expected, params


def test_a_period_includes_its_start_and_excludes_its_end(api: Api) -> None:
    first = api.create().json()["id"]
    api.post("/sandbox/clock", {"advanceSeconds": 60})
    second = api.create().json()["id"]
    at = api.get(f"/intents/{second}").json()["created_at"]
    assert listed(api, created_after=at) == [second]
    assert listed(api, created_before=at) == [first]
    assert listed(api, created_after="2020-01-01", created_before="2020-01-02T00:00:00Z") == []


def test_a_filtered_list_is_paged_by_cursor(api: Api) -> None:
    made = [api.create(recipient=OTHER_WALLET).json()["id"] for _ in range(5)]
    api.create()
    page = api.get("/intents", recipient=OTHER_WALLET, limit=2).json()
    assert (page["total"], page["totalIsMinimum"]) == (5, False)
    found = [intent["id"] for intent in page["intents"]]
    while page["nextCursor"] is not None:
        page = api.get(
            "/intents", recipient=OTHER_WALLET, limit=2, cursor=page["nextCursor"]
        ).json()
        found += [intent["id"] for intent in page["intents"]]
    assert found == made[::-1]


def test_filters_find_nothing_of_others(api: Api) -> None:
    api.create(recipient=OTHER_WALLET, metadata={"order": "B-7"})
    stranger = Api(api.http, api.service, *new_key(api.service))
    live = Api(api.http, api.service, *new_key(api.service, Mode.LIVE))
    for caller in (stranger, live):
        for params in ({"recipient": OTHER_WALLET}, {"reference": "B-7"}, {"token": "USDC"}):
            assert listed(caller, **params) == []


def test_every_complaint_about_a_query_is_reported_at_once(api: Api) -> None:
    answer = api.get(
        "/intents", status="lost", bridge="LONDON", token="DOGE", created_after="yesterday",
        created_before="2026-11-21T10:00:00", cursor="x",
    )  # fmt: skip
    assert answer.status_code == 400
    message = answer.json()["message"]
    for name in ("status", "bridge", "token", "created_after", "created_before", "cursor"):
        assert f"{name} must be" in message, name


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"recipient": WALLET, "offset": 1}, "page with cursor"),
        ({"created_after": "2026-11-22", "created_before": "2026-11-21"}, "must be before"),
        ({"created_after": "0001-01-01"}, "created_after must be an instant"),
    ],
)
def test_queries_that_make_no_sense_are_refused(
    api: Api, params: dict[str, Any], sentence: str
) -> None:
    answer = api.get("/intents", **params)
    assert answer.status_code == 400
    assert sentence in answer.json()["message"]


def test_other_lists_have_periods_too(api: Api) -> None:
    old_order, old_link = create_order(api)["id"], api.post("/payment-links", LINK).json()["id"]
    webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()["id"]
    old_delivery = api.post(f"/webhooks/{webhook}/test").json()
    api.post("/sandbox/clock", {"advanceSeconds": 60})
    link, order = api.post("/payment-links", LINK).json(), create_order(api)
    delivery = api.post(f"/webhooks/{webhook}/test").json()
    for path, name, old, new, at in [
        ("/ramp/orders", "orders", old_order, order["id"], order["createdAt"]),
        ("/payment-links", "payment_links", old_link, link["id"], link["created_at"]),
        (
            f"/webhooks/{webhook}/deliveries", "deliveries", old_delivery["id"], delivery["id"],
            delivery["created_at"],
        ),
    ]:  # fmt: skip
        for params, expected in [
            ({"created_after": at}, [new]),
            ({"created_before": at}, [old]),
            ({"created_after": "2020-01-01", "created_before": "2020-01-02"}, []),
        ]:
            records = api.get(path, **params).json()[name]
            assert [record["id"] for record in records] == expected, (path, params)
        refused = api.get(path, created_after="soon")
        assert refused.status_code == 400
        assert "created_after must be an instant" in refused.json()["message"]


def test_a_list_by_status_is_paged_in_full_by_cursor_and_by_offset(api: Api) -> None:
    made = [api.create().json()["id"] for _ in range(5)]
    other = Api(api.http, api.service, *new_key(api.service))
    other.create()
    newest = made[::-1]
    queries: list[dict[str, str]] = [{"status": "pending"}, {}, {"created_after": "2020-01-01"}]
    for filters in queries:
        by_cursor: list[list[int]] = []
        more: dict[str, str] = {}
        while more or not by_cursor:
            page = api.get("/intents", limit=2, **filters, **more).json()
            assert page["total"] == 5
            by_cursor.append([one["id"] for one in page["intents"]])
            more = {"cursor": page["nextCursor"]} if page["nextCursor"] else {}
        assert by_cursor == [newest[:2], newest[2:4], newest[4:]]
    by_offset = api.get("/intents", limit=2, offset=2, status="pending").json()
    assert [one["id"] for one in by_offset["intents"]] == newest[2:4]
    last = api.get("/intents", limit=5, status="pending").json()
    assert (len(last["intents"]), last["nextCursor"]) == (5, None)
