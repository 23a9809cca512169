"""wire.md §2: the answers that the page rules, member by member."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import text

from crossway.bootstrap import Service
from crossway.domain.clients import Mode
from crossway.domain.public_ids import RecordKind
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET, Api, new_key, new_test_client
from tests.record_numbers import record_id

ROUTE = {
    "tokenIn": USDC_BASE, "tokenOut": USDC_ARBITRUM, "sourceChain": "BASE_MAINNET",
    "destinationChain": "ARBITRUM_MAINNET", "amount": "25000000",
}  # fmt: skip
ADDED = {
    "sourceChain", "destinationChain", "tokenIn", "tokenOut", "originalAmount", "totalFees",
    "bridgeToUse", "bridgeAddress", "bridgeExtraData", "supportedBridges",
}  # fmt: skip


def test_optimal_route_is_the_best_quote_and_more(api: Api) -> None:
    route, best = api.get("/router/optimal-route", **ROUTE).json(), api.get("/quotes/best", **ROUTE)
    assert set(route) == set(best.json()) | ADDED
    assert {name: route[name] for name in ("sourceChain", "destinationChain", "tokenIn", "tokenOut")
            } == {name: ROUTE[name] for name in ("sourceChain", "destinationChain", "tokenIn",
                                                 "tokenOut")}  # fmt: skip
    assert (route["originalAmount"], route["totalFees"]) == ("25000000", route["totalFee"])
    assert route["bridgeToUse"] == route["route"]["bridge"] == best.json()["route"]["bridge"]
    served = api.get(
        "/router/supported-bridges/route", sourceChain="BASE", destinationChain="ARBITRUM"
    ).json()
    assert route["supportedBridges"] == served["supportedBridges"]
    intent = api.create(tokenOut=USDC_ARBITRUM).json()
    assert route["bridgeAddress"] == intent["bridger"]
    assert route["bridgeExtraData"] == intent["bridgeExtraData"] != "0x"


def test_optimal_route_within_one_chain_has_no_bridge(api: Api) -> None:
    same = {**ROUTE, "destinationChain": "BASE_MAINNET", "tokenOut": USDC_BASE}
    route = api.get("/router/optimal-route", **same).json()
    assert (route["bridgeToUse"], route["bridgeAddress"]) == (None, None)
    assert (route["bridgeExtraData"], route["supportedBridges"]) == ("0x", [])


def test_a_route_that_no_bridge_supports_is_400(api: Api, service: Service) -> None:
    none = new_test_client(replace(service.services, bridges=()))
    alone = Api(none, service, api.client_id, api.key_id, api.secret)
    refused = alone.get("/router/optimal-route", **ROUTE)
    assert refused.status_code == 400
    message = "No bridges support route BASE_MAINNET -> ARBITRUM_MAINNET"
    assert refused.json()["message"] == message
    little = api.get("/router/optimal-route", **{**ROUTE, "amount": "1"})
    assert little.status_code == 400
    assert little.json()["message"].startswith("amount: ACROSS takes at least")


def test_client_info_has_every_named_member(api: Api) -> None:
    info = api.get("/client/auth/client-info").json()
    named = {
        "id", "clientId", "name", "email", "logoUrl", "createdAt", "paymasterBalance",
        "paymasterEnabled",
    }  # fmt: skip
    assert named <= set(info)
    assert info["id"] == info["clientId"] == api.client_id
    assert (info["email"], info["logoUrl"]) == (None, None)
    assert (info["paymasterBalance"], info["paymasterEnabled"]) == ("0", False)


def test_the_intents_of_a_sender_are_a_bare_array(api: Api) -> None:
    made = [api.create(metadata={"number": number}).json()["id"] for number in range(3)]
    api.create(sender="0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC")
    listed = api.get(f"/intents/user/{WALLET}").json()
    assert [intent["id"] for intent in listed] == made[::-1], "newest first"
    read = api.get(f"/intents/{made[0]}").json()
    del read["self_service"]
    assert listed[2] == read
    paged = api.get(f"/intents/user/{WALLET.lower()}", limit=1, offset=1).json()
    assert [intent["id"] for intent in paged] == [made[1]]
    for params in ({"limit": 101}, {"limit": 0}, {"offset": -1}, {"cursor": "x"}):
        assert api.get(f"/intents/user/{WALLET}", **params).status_code == 400


def funded(api: Api) -> str:
    """A wallet with 5 USDC on Base, one unit of EURC there, and nothing else."""
    wallet = api.create().json()["intent_address"]
    for token, amount in (("USDC", "5000000"), ("EURC", "1")):
        api.post("/sandbox/deposits", {"address": wallet, "amount": amount, "token": token})
    return str(wallet)


def test_balances_are_lists_by_chain(api: Api, service: Service) -> None:
    wallet, catalogue = funded(api), service.services.catalogue
    answer = api.get(f"/chains/balances/{wallet}")
    balances = answer.json()
    assert balances["BASE_MAINNET"] == [
        {"symbol": "USDC", "balance": "5000000", "decimals": 6, "formatted": "5",
         "address": USDC_BASE},
        {"symbol": "EURC", "balance": "1", "decimals": 6, "formatted": "0.000001",
         "address": catalogue.tokens["BASE_MAINNET", "EURC"].address},
    ]  # fmt: skip
    evm = {chain.id for chain in catalogue.chains.values() if chain.kind == "evm"}
    assert set(balances) == evm
    assert not any(balances[chain] for chain in evm - {"BASE_MAINNET"})
    assert "crossway-missing" not in answer.headers


def test_balances_are_filtered(api: Api, service: Service) -> None:
    wallet, catalogue = funded(api), service.services.catalogue
    path = f"/chains/balances/{wallet}"
    for network, testnet in (("mainnet", False), ("testnet", True)):
        expected = {c.id for c in catalogue.chains.values() if c.kind == "evm"
                    and c.testnet == testnet}  # fmt: skip
        assert set(api.get(path, network=network, chainType="EVM").json()) == expected
    whole = api.get(path, network="mainnet", includeZeroBalances="true").json()["BASE_MAINNET"]
    assert len(whole) == len({t.address for t in catalogue.by_chain["BASE_MAINNET"] if t.enabled})
    assert [b["symbol"] for b in whole if b["balance"] != "0"] == ["USDC", "EURC"]
    for params in (
        {"network": "moon"}, {"chainType": "evm"}, {"chainType": "TRON"},
        {"includeZeroBalances": "perhaps"}, {"limit": "1"},
    ):  # fmt: skip
        assert api.get(path, **params).status_code == 400, params
    assert api.get(path, address=wallet).status_code == 200, "clients repeat the address"


def test_a_live_key_sees_no_balances_of_test_networks(api: Api, service: Service) -> None:
    live = Api(api.http, service, *new_key(service, Mode.LIVE))
    path = f"/chains/balances/{WALLET}"
    seen = set(live.get(path).json())
    assert seen == {chain for chain in api.get(path).json() if chain.endswith("_MAINNET")}
    assert "BASE_MAINNET" in seen
    refused = live.get(path, network="testnet")
    assert refused.json()["message"] == "A live key cannot be used with test networks"


def test_chains_that_did_not_answer_are_named_in_a_header(api: Api) -> None:
    for chain in ("BASE_MAINNET", "LISK_MAINNET"):
        api.post(f"/sandbox/chains/{chain}/faults", {"outageSeconds": 3600})
    try:
        answer = api.get(f"/chains/balances/{WALLET}")
    finally:
        for chain in ("BASE_MAINNET", "LISK_MAINNET"):
            api.post(f"/sandbox/chains/{chain}/faults", {"outageSeconds": 0})
    assert answer.status_code == 200
    names = {name.strip() for name in answer.headers["crossway-missing"].split(",")}
    assert names == {"BASE_MAINNET", "LISK_MAINNET"}
    assert not names & set(answer.json())


def countries(api: Api, **params: Any) -> dict[str, Any]:
    """The entries by country and currency."""
    listed = api.get("/ramp/countries", **params).json()
    by_pair = {f"{one['countryCode']} {one['currency']['code']}": one for one in listed}
    assert len(by_pair) == len(listed), "one entry a country and currency"
    return by_pair


def test_ramp_countries_have_one_entry_for_each_currency(api: Api) -> None:
    """wire.md §4 has the countries of each currency, and its providers."""
    listed = countries(api)
    assert set(listed["NG NGN"]) == {"countryCode", "name", "currency"}
    currency = listed["NG NGN"]["currency"]
    assert set(currency) == {"code", "name", "symbol", "minAmount", "providers"}
    assert listed["NG NGN"]["name"] == "Nigeria"
    assert set(currency["providers"]) == {"FONBNK", "PAYCREST", "YELLOW_CARD"}
    assert {pair for pair in listed if pair.endswith("XAF")} == {"CM XAF", "GA XAF", "CG XAF"}
    assert len([pair for pair in listed if pair.endswith("EUR")]) == 20


@pytest.mark.parametrize("currency", ["NGN", "EUR", "XOF"])
def test_ramp_countries_are_filtered(api: Api, currency: str) -> None:
    listed = countries(api, currency=currency)
    assert listed
    assert {pair[3:] for pair in listed} == {currency}
    least = min(Decimal(str(one["currency"]["minAmount"])) for one in listed.values())
    assert countries(api, currency=currency, amount=str(least))
    assert not countries(api, currency=currency, amount=str(least - Decimal("0.01")))


@pytest.mark.parametrize(
    ("params", "named"),
    [({"currency": "XXX"}, "currency"), ({"amount": "-1"}, "amount"), ({"amount": "x"}, "amount")],
)
def test_a_wrong_filter_of_ramp_countries_is_400(
    api: Api, params: dict[str, str], named: str
) -> None:
    refused = api.get("/ramp/countries", **params)
    assert (refused.status_code, refused.json()["param"]) == (400, named)


@pytest.mark.parametrize(
    "source", ["BASE_MAINNET", "SOLANA_MAINNET", "TRON_MAINNET", "STARKNET_MAINNET"]
)
def test_an_intent_nonce_is_exact_in_every_language(
    api: Api, service: Service, source: str
) -> None:
    """wire.md §3, `intent_nonce`: JavaScript reads integers up to 2^53 - 1."""
    symbol = "USDT" if source.startswith("TRON") else "USDC"
    wallet = service.services.chains[source].deposit_address("wallet of a payer")
    token = service.services.catalogue.tokens[source, symbol].address
    more = {"source_chain": source, "tokenIn": token, "sender": wallet, "tokenOut": USDC_BASE}
    more |= {"destination_chain": "BASE_MAINNET", "recipient": WALLET}
    if source == "BASE_MAINNET":
        more |= {"tokenOut": USDC_ARBITRUM, "destination_chain": "ARBITRUM_MAINNET"}
    answers = [api.create(**more) for _ in range(8)]
    assert {answer.status_code for answer in answers} <= {201}, answers[0].text
    nonces = [answer.json()["intent_nonce"] for answer in answers]
    assert len(set(nonces)) == 8
    assert all(0 <= nonce <= 2**53 - 1 == 9_007_199_254_740_991 for nonce in nonces)
    assert max(nonces) > 2**45


def test_an_older_nonce_is_read_with_every_digit(api: Api, service: Service) -> None:
    number = record_id(service.services, RecordKind.INTENT, api.create().json()["id"])
    older = 2**96 + 12345
    with service.store.writer.begin() as db:
        statement = text("UPDATE intents SET nonce = :nonce WHERE id = :id")
        db.execute(statement, {"nonce": str(older), "id": number})
    [read] = api.get(f"/intents/user/{WALLET}").json()
    assert read["intent_nonce"] == older
