"""Quotes, bridges and chains over HTTP."""

from dataclasses import replace
from typing import Any, Never

import pytest

from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.live_models import live_models
from crossway.adapters.bridges.models import Cctp, Gateway
from crossway.bootstrap import Service
from crossway.domain.errors import Unreachable
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET, Api, new_key, new_test_client

QUOTE = {
    "tokenIn": USDC_BASE,
    "tokenOut": USDC_ARBITRUM,
    "sourceChain": "BASE_MAINNET",
    "destinationChain": "ARBITRUM_MAINNET",
    "amount": "25000000",
}
SINGLE = {
    "bridgeFeeDetails", "totalFee", "totalFeeFormatted", "route", "assetToken", "feeInAssetToken",
    "feeInAssetTokenFormatted", "depositAmount", "depositAmountFormatted", "estimatedFillSeconds",
    "custody", "trustedSeconds", "estimated", "expiresAt", "swap", "slippage",
}  # fmt: skip
DETAILS = {
    "ACROSS": {"timestamp", "fillDeadline", "pctFee", "flatFee"},
    "CCTP": {"maxFee", "minFinalityThreshold"},
    "GATEWAY": {"pctFee", "gasFee"},
    "RHINOFI": {"pctFee", "gasFee", "vaultId"},
}


@pytest.mark.parametrize("bridge", DETAILS)
def test_a_single_quote_has_the_fields_of_its_bridge(api: Api, bridge: str) -> None:
    answer = api.get("/quotes/single", **QUOTE, bridge=bridge, recipient=WALLET)
    body = answer.json()
    assert (answer.status_code, set(body)) == (200, SINGLE)
    assert set(body["bridgeFeeDetails"]) == DETAILS[bridge]
    assert body["route"] == {**QUOTE, "bridge": bridge, "recipient": WALLET}
    assert int(body["depositAmount"]) == 25_000_000 + int(body["feeInAssetToken"])


@pytest.mark.parametrize("missing", ["tokenIn", "tokenOut"])
@pytest.mark.parametrize("kind", ["single", "multiple", "best"])
def test_a_quote_needs_both_token_addresses(api: Api, kind: str, missing: str) -> None:
    params = {k: v for k, v in QUOTE.items() if k != missing}
    bridge = {"bridge": "ACROSS"} if kind == "single" else {}
    answer = api.get(f"/quotes/{kind}", **params, **bridge)
    assert answer.status_code == 400
    assert answer.json() == {
        "statusCode": 400,
        "message": "Token addresses are required",
        "code": "parameter_missing",
        "param": missing,
    }


def test_a_route_unsupported_by_the_bridge_is_400(api: Api) -> None:
    lacks = {**QUOTE, "destinationChain": "LISK_MAINNET"}
    lacks["tokenOut"] = api.get("/chains/LISK_MAINNET/tokens").json()[0]["address"]
    answer = api.get("/quotes/single", **lacks, bridge="CCTP")
    assert answer.status_code == 400
    assert answer.json()["message"] == "CCTP does not support BASE_MAINNET -> LISK_MAINNET"


def test_a_token_that_the_bridge_does_not_carry_is_400_naming_the_parameter(api: Api) -> None:
    weth = "0x4200000000000000000000000000000000000006"
    answer = api.get("/quotes/single", **{**QUOTE, "tokenIn": weth}, bridge="ACROSS")
    assert answer.status_code == 400
    assert answer.json()["message"] == "tokenIn: ACROSS does not exchange WETH for USDC"


def test_a_token_that_the_bridge_does_not_carry_is_swapped_where_that_is_possible(
    api: Api,
) -> None:
    weth = "0x4200000000000000000000000000000000000006"
    listed = api.get("/quotes/multiple", **{**QUOTE, "tokenIn": weth}).json()
    assert {quote["route"]["bridge"] for quote in listed} == {"CCTP", "GATEWAY", "RHINOFI"}
    swap = listed[0]["swap"]
    assert swap.keys() == {
        "exchange", "symbol", "token", "decimals", "output", "input", "impact", "cost",
    }  # fmt: skip
    assert (swap["exchange"], swap["symbol"]) == ("Simulated exchange", "USDC")
    assert int(swap["output"]) > 25_000_000
    # The hour's spread between ether and dollars, 0.28 %, and the allowance of 0.1 %.
    assert listed[0]["slippage"] == 0.38
    deposit = int(listed[0]["depositAmount"])
    assert 10_037 <= deposit * 10_000 // int(swap["input"]) <= 10_038


def test_inventory_is_offered_only_where_it_is_switched_on(api: Api, service: Service) -> None:
    answer = api.get("/quotes/single", **QUOTE, bridge="INVENTORY")
    assert answer.status_code == 400
    assert answer.json()["message"] == "bridge: INVENTORY is not configured here"
    bridges = [*service.services.bridges, Inventory(service.services.catalogue)]
    http = new_test_client(replace(service.services, bridges=bridges))
    given = Api(http, service, api.client_id, api.key_id, api.secret)
    quote = given.get("/quotes/single", **QUOTE, bridge="INVENTORY").json()
    assert set(quote["bridgeFeeDetails"]) == {"pctFee", "flatFee"}
    assert (quote["custody"], quote["swap"], quote["slippage"]) == ("OPERATOR", None, 0)


def test_every_shape_of_a_quote_says_whom_the_payer_trusts(api: Api, service: Service) -> None:
    """With CCTP as contracts enforce it; within one chain the operator settles."""
    catalogue = service.services.catalogue
    bridges = [Cctp(catalogue, enforced=True), Inventory(catalogue)]
    http = new_test_client(replace(service.services, bridges=bridges))
    given = Api(http, service, api.client_id, api.key_id, api.secret)
    listed = given.get("/quotes/multiple", **QUOTE).json()
    assert {q["route"]["bridge"]: q["custody"] for q in listed} == {
        "CCTP": "BRIDGE",
        "INVENTORY": "OPERATOR",
    }
    for path in ("/quotes/best", "/router/optimal-route"):
        assert given.get(path, **QUOTE).json()["custody"] == "BRIDGE"
    own = given.get("/quotes/single", **QUOTE, bridge="INVENTORY").json()
    assert (own["custody"], own["trustedSeconds"]) == ("OPERATOR", 3)
    assert given.get("/quotes/best", **QUOTE).json()["trustedSeconds"] == 0
    same = {**QUOTE, "destinationChain": "BASE_MAINNET", "tokenOut": USDC_BASE}
    assert given.get("/quotes/best", **same).json()["custody"] == "OPERATOR"
    options = quote_multi_source(given).json()["quotes"]
    assert {(option["bridge"], option["custody"]) for option in options} == {
        (None, "OPERATOR"),
        ("CCTP", "BRIDGE"),
        ("INVENTORY", "OPERATOR"),
    }


def test_multiple_quotes_are_cheapest_first_and_best_is_their_first(api: Api) -> None:
    quotes = api.get("/quotes/multiple", **QUOTE).json()
    fees = [int(quote["totalFee"]) for quote in quotes]
    assert fees == sorted(fees)
    best = api.get("/quotes/best", **QUOTE).json()
    assert best["route"] == quotes[0]["route"]
    assert api.get("/router/optimal-route", **QUOTE).json()["route"] == best["route"]
    without = api.get("/quotes/multiple", **QUOTE, excludeBridges=best["route"]["bridge"]).json()
    assert best["route"]["bridge"] not in {quote["route"]["bridge"] for quote in without}


def test_when_no_bridge_serves_the_route_best_is_404(api: Api) -> None:
    every = ",".join(DETAILS)
    answer = api.get("/quotes/best", **QUOTE, excludeBridges=every)
    assert answer.status_code == 404
    assert answer.json()["message"] == (
        "No quotes available for this route. Please check if the route is supported."
    )
    assert api.get("/quotes/multiple", **QUOTE, excludeBridges=every).json() == []


def quote_multi_source(api: Api, **changes: Any) -> Any:
    params = {"destinationChain": "ARBITRUM", "amount": "25.5", "tokenOut": USDC_ARBITRUM}
    return api.get("/quotes/multi-source", **{**params, **changes})


def test_a_multi_source_quote_lists_the_same_chain_first_then_by_cost(api: Api) -> None:
    body = quote_multi_source(api).json()
    assert set(body) == {"destinationChain", "quotes", "cheapestOption"}
    assert body["destinationChain"] == "ARBITRUM_MAINNET"
    first, *rest = body["quotes"]
    assert (first["sourceChain"], first["bridge"]) == ("ARBITRUM_MAINNET", None)
    fees = [int(option["totalFee"]) for option in rest]
    assert fees == sorted(fees)
    assert body["cheapestOption"] in body["quotes"]
    cheapest = min(int(option["totalFee"]) for option in body["quotes"])
    assert int(body["cheapestOption"]["totalFee"]) == cheapest
    assert set(first) == {
        "sourceChain", "destinationChain", "totalFee", "totalFeeFormatted", "bridge",
        "paymentOptions", "serviceFee", "bridgeFee", "estimatedFillSeconds", "custody",
        "trustedSeconds", "estimated",
    }  # fmt: skip
    assert set(first["paymentOptions"][0]) == {
        "token", "tokenAddress", "depositAmount", "depositAmountFormatted", "slippage", "fee",
        "feeFormatted",
    }  # fmt: skip
    assert isinstance(first["paymentOptions"][0]["slippage"], int | float)


def test_the_app_fee_is_shown_separately_and_is_part_of_the_deposit(
    api: Api, service: Service
) -> None:
    shop = Api(api.http, service, *new_key(service, app_fee_bps=100))
    body = shop.get("/quotes/single", **QUOTE, bridge="CCTP").json()
    assert (set(body), body["appFee"]) == (SINGLE | {"appFee"}, "250000")
    assert body["totalFee"] == body["feeInAssetToken"]
    assert body["totalFee"] == api.get("/quotes/single", **QUOTE, bridge="CCTP").json()["totalFee"]
    assert int(body["depositAmount"]) == 25_250_000 + int(body["totalFee"])
    for option in quote_multi_source(shop).json()["quotes"]:
        assert option["appFee"] == "255000"
        assert int(option["totalFee"]) == int(option["serviceFee"]) + int(option["bridgeFee"])


def test_chains_can_be_excluded_and_without_chains_there_is_no_cheapest(api: Api) -> None:
    body = quote_multi_source(api, excludeChains="ARBITRUM, BASE_MAINNET").json()
    assert not {"ARBITRUM_MAINNET", "BASE_MAINNET"} & {q["sourceChain"] for q in body["quotes"]}
    every = ",".join(api.get("/chains").json())
    body = quote_multi_source(api, excludeChains=every).json()
    assert (body["quotes"], body["cheapestOption"]) == ([], None)


@pytest.mark.parametrize("amount", [None, "", "0", "-1", "abc", "NaN", "1e5", "0.0"])
def test_the_amount_must_be_a_positive_number(api: Api, amount: str | None) -> None:
    answer = quote_multi_source(api, amount=amount)
    assert answer.status_code == 400
    assert answer.json() == {
        "statusCode": 400,
        "message": "Amount must be a valid positive number",
        "code": "parameter_invalid" if amount else "parameter_missing",
        "param": "amount",
    }


def test_the_catalogue_lists_every_bridge_with_its_routes(api: Api) -> None:
    body = api.get("/router/supported-bridges/all").json()
    assert set(body["bridges"]) == set(DETAILS)
    routes = [route for listed in body["bridges"].values() for route in listed]
    assert set(routes[0]) == {"sourceChain", "destinationChain", "supported", "bidirectional"}
    assert body["metadata"]["totalBridges"] == 4
    assert body["metadata"]["totalRoutes"] == len(routes)
    assert body["metadata"]["lastUpdated"].endswith("Z")


def test_the_bridges_of_a_route_and_the_routes_of_a_bridge(api: Api) -> None:
    pair = {"sourceChain": "BASE", "destinationChain": "ARBITRUM"}
    between = api.get("/router/supported-bridges/route", **pair).json()
    assert set(between) == {"supportedBridges", "routeInfo"}
    assert between["routeInfo"]["bridgeCount"] == len(between["supportedBridges"]) > 0
    across = api.get("/router/supported-routes/bridge/ACROSS").json()
    assert across["bridgeInfo"] == {
        "bridge": "ACROSS",
        "routeCount": len(across["supportedRoutes"]),
    }
    assert api.get("/router/supported-routes/bridge/NONE").status_code == 400


def test_chains_are_listed_by_network_and_have_tokens(api: Api) -> None:
    every, main = api.get("/chains").json(), api.get("/chains", network="mainnet").json()
    test = api.get("/chains", network="testnet").json()
    assert sorted(main + test) == sorted(every)
    assert len(every) == 21
    assert api.get("/chains", network="moon").status_code == 400
    tokens = api.get("/chains/BASE/tokens").json()
    assert api.get("/chains/tokens/all").json()["BASE_MAINNET"] == tokens
    assert api.get("/chains/balances/nonsense").status_code == 400


class SilentBridge:
    """A bridge whose service does not answer."""

    runs_in_process = False

    def __init__(self, model: Cctp) -> None:
        self.name, self.routes = model.name, model.routes

    def get_quotes(self, requests: object, now: object) -> Never:
        raise Unreachable("Circle's attestation service did not respond in time")


def test_estimates_are_told_from_quotes_and_no_payment_is_created_at_one(
    api: Api, service: Service
) -> None:
    catalogue = service.services.catalogue
    silent = SilentBridge(Cctp(catalogue, enforced=True))
    configured = replace(
        service.services,
        bridges=[silent, Gateway(catalogue)],
        bridge_models=live_models(catalogue, [silent]),
    )
    given = Api(new_test_client(configured), service, api.client_id, api.key_id, api.secret)
    listed = given.get("/quotes/multiple", **QUOTE).json()
    assert [(q["route"]["bridge"], q["estimated"]) for q in listed] == [
        ("GATEWAY", False),
        ("CCTP", True),
    ]
    for path in ("/quotes/best", "/router/optimal-route"):
        best = given.get(path, **QUOTE).json()
        assert (best["route"]["bridge"], best["estimated"]) == ("GATEWAY", False)
    assert given.create().status_code == 201

    alone = replace(configured, bridges=[silent])
    given = Api(new_test_client(alone), service, api.client_id, api.key_id, api.secret)
    assert [q["estimated"] for q in given.get("/quotes/multiple", **QUOTE).json()] == [True]
    body = quote_multi_source(given).json()
    assert {q["sourceChain"] for q in body["quotes"] if not q["estimated"]} == {"ARBITRUM_MAINNET"}
    assert body["cheapestOption"]["estimated"] is False
    refused = given.create()
    assert refused.status_code == 503
    assert refused.json()["message"] == (
        "No bridge says now what it charges for this payment, and an estimate is not a quote: "
        "nothing was created. Please try again later."
    )
    assert given.get("/intents").json()["total"] == 1
    assert given.get("/quotes/single", **QUOTE, bridge="CCTP").status_code == 500
