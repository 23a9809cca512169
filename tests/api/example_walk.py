"""A walk through every operation of the API that keeps what was asked and answered.

Run as a program, it writes the examples of the OpenAPI document anew.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from crossway.adapters.ramps.sandbox.simulated_provider import SimulatedProvider
from crossway.api.openapi.examples import FILE
from crossway.api.openapi.webhooks import EXAMPLES
from crossway.domain.quotes import BridgeName
from crossway.usecases.exports.writing import run_next
from crossway.usecases.payers.link_payments import CheckoutForm, pay_by_link
from tests.api.conftest import (
    INTENT,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
    Api,
    new_key,
    new_service,
    new_test_client,
)
from tests.api.ramp_requests import fields_for, get_quote
from tests.api.recurring_walk import EMAIL, RecurringWalk
from tests.api.test_kyc import PNG, valid_values
from tests.api.test_provider_webhooks import call_of
from tests.api.walks import recorded
from tests.receivers import running_receiver

CORRIDOR = {"provider": "YELLOW_CARD", "countryCode": "NG", "fiatCurrency": "NGN"}
ROUTE = {
    "tokenIn": USDC_BASE,
    "tokenOut": USDC_ARBITRUM,
    "sourceChain": "BASE_MAINNET",
    "destinationChain": "ARBITRUM_MAINNET",
    "amount": "25000000",
    "recipient": WALLET,
}
TESTNET = {
    "source_chain": "BASE_TESTNET",
    "destination_chain": "ARBITRUM_TESTNET",
    "tokenIn": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
}
UNKNOWN = {"id": 4807780642760409}
NOBODY = "0x000000000000000000000000000000000000dEaD"
X402_OFFER = {
    "scheme": "exact", "network": "eip155:8453", "amount": "34567", "asset": USDC_BASE,
    "payTo": NOBODY, "maxTimeoutSeconds": 300,
    "extra": {"name": "USD Coin", "version": "2"},
}  # fmt: skip
X402_SIGNED = {
    "from": WALLET, "to": X402_OFFER["payTo"], "value": "34567", "validAfter": "0",
    "validBefore": "1795841047", "nonce": "0x" + "5f" * 32,
}  # fmt: skip
X402_BODY = {
    "x402Version": 2,
    "paymentPayload": {
        "x402Version": 2,
        "payload": {"authorization": X402_SIGNED, "signature": "0x" + "1b" * 65},
        "accepted": X402_OFFER,
    },
    "paymentRequirements": X402_OFFER,
}


class ExampleWalk(RecurringWalk):
    """A walk through every operation."""

    def everything(self) -> "ExampleWalk":
        for part in (
            self._quotes, self._webhooks, self._intents, self._actions, self._links,
            self.bill, self.use_standing_address, self._ramps, self._kyc, self._deliveries,
            self._exports, self._sandbox, self._x402, self._events_seen,
            self.try_without_scope, self.try_unknown_parameters, self.ask_for_failures,
            self.try_what_is_refused_anywhere,
        ):  # fmt: skip
            part()
        return self

    def _quotes(self) -> None:
        self.call("getQuote", **ROUTE, bridge="ACROSS")
        self.call("getQuote", 400)
        self.call("listQuotes", **ROUTE)
        self.call("listQuotes", 400)
        self.call("getBestQuote", **ROUTE)
        self.call("getBestQuote", 400)
        self.call("getBestQuote", 404, **ROUTE, excludeBridges=",".join(BridgeName))
        self.call("getMultiSourceQuote", destinationChain="ARBITRUM_MAINNET", amount="25.5",
                  tokenOut=USDC_ARBITRUM, recipient=WALLET)  # fmt: skip
        self.call("getMultiSourceQuote", 400, destinationChain="ARBITRUM_MAINNET", amount="-1",
                  tokenOut=USDC_ARBITRUM)  # fmt: skip
        chains = {name: ROUTE[name] for name in ("sourceChain", "destinationChain")}
        self.call("listBridges")
        self.call("listBridgesOfRoute", **chains)
        self.call("listBridgesOfRoute", 400, sourceChain="BASE_MAINNET", destinationChain="MARS")
        self.call("listRoutesOfBridge", path={"bridge": "ACROSS"})
        self.call("listRoutesOfBridge", 400, path={"bridge": "FERRY"})
        self.call("getOptimalRoute", **ROUTE)
        self.call("getOptimalRoute", 400)
        self.call("listChains", network="mainnet")
        self.call("listChains", 400, network="moon")
        self.call("listTokens")
        self.call("listTokensOfChain", path={"chain": "BASE_MAINNET"})
        self.call("listTokensOfChain", 400, path={"chain": "MARS"})
        self.call("getClientInfo")

    def _webhooks(self) -> None:
        created = self.call("createWebhook", 201, body={"url": self.receiver.url, "events": ["*"],
                                                        "description": "Orders"})  # fmt: skip
        self.webhook = {"id": created["id"]}
        self.call("createWebhook", 400, body={"url": "ftp://shop.example/"})
        self.call("listWebhooks")
        self.call("listWebhooks", 400, limit=0)
        for operation_id in ("getWebhook", "updateWebhook", "deleteWebhook", "listDeliveries",
                             "rotateWebhookSecret", "testWebhook", "replayEvents",
                             "replayMissedEvents"):  # fmt: skip
            body = {"updateWebhook": {}, "replayEvents": {"from": "2026-01-01T00:00:00Z"}}
            self.call(operation_id, 404, path=UNKNOWN, body=body.get(operation_id))
            self.call(operation_id, 400, path={"id": 0}, body=body.get(operation_id))
        self.call("getWebhook", path=self.webhook)
        self.call("updateWebhook", path=self.webhook, body={"description": "Orders and refunds"})
        self.call("updateWebhook", 400, path=self.webhook, body={"enabled": "yes"})
        self.call("rotateWebhookSecret", path=self.webhook)

    def _intents(self) -> None:
        self.call("createIntent", 400, body={**INTENT, "amount": "25.00"})
        created = self.call("createIntent", 201, body={**INTENT, "metadata": {"order": "A-1001"}})
        batch = {"mode": "each", "intents": [INTENT, {**INTENT, "amount": "1"}]}
        self.call("createIntents", body=batch)
        self.call("createIntents", 400, body={**batch, "mode": "all"})
        address = {"address": created["intent_address"]}
        self.call("sendSandboxDeposit", body={**address, "amount": "exact"})
        self.call("sendSandboxDeposit", 400, body={**address, "amount": "much"})
        self.pass_time(2, times=25)
        self.call("getIntent", path={"id": created["id"]})
        self.call("getIntent", 404, path=UNKNOWN)
        self.call("getIntent", 400, path={"id": 0})
        self.call("getIntentTimeline", path={"id": created["id"]})
        self.call("getIntentTimeline", 404, path=UNKNOWN)
        self.call("getIntentTimeline", 400, path={"id": 0})
        self.call("searchResources", q=created["intent_address"])
        self.call("searchResources", 400)
        self.call("searchPrivately", body={"q": created["intent_address"]})
        self.call("searchPrivately", 400, body={})
        self.call("getIntentByAddress", path=address)
        self.call("getIntentByAddress", 404, path={"address": NOBODY})
        self.call("getDestinationAddress", path=address)
        self.call("getDestinationAddress", 404, path={"address": NOBODY})
        self.call("listIntents", status="completed", limit=1)
        self.call("listIntents", 400, status="paid")
        self.call("listIntentsOfSender", path={"sender": WALLET}, limit=1)
        self.call("listIntentsOfSender", 400, path={"sender": WALLET}, limit=1000)
        evm = {"network": "mainnet", "chainType": "EVM", "includeZeroBalances": "true"}
        self.call("getBalances", path={"address": WALLET}, **evm)
        self.call("getBalances", 400, path={"address": "wallet"})
        self.call("getSandboxBalances", path=address)

    def _actions(self) -> None:
        intent = self.call("createIntent", 201, body={**INTENT, **TESTNET})
        address = {"intentAddress": intent["intent_address"]}
        self.call("triggerProcessing", 400, path=address)
        self.call("triggerProcessing", 404, path={"intentAddress": NOBODY})
        self.api.post("/sandbox/deposits", {"address": intent["intent_address"], "amount": "exact"})
        self.pass_time(5, times=4)
        self.call("triggerProcessing", path=address)
        self.call("refundIntent", 404, path={"intentAddress": NOBODY})
        late = self.call("createIntent", 201, body={**INTENT, "metadata": {"order": "A-1002"}})
        address = {"intentAddress": late["intent_address"]}
        self.call("refundIntent", 400, path=address)
        self.pass_time(3700, times=2)
        self.api.post(
            "/sandbox/deposits", {"address": late["intent_address"], "amount": "25000000"}
        )
        self.api.post("/sandbox/clock", {"advanceSeconds": 60})
        reason = {"reason": "Sold out: we are sorry."}
        self._while_it_ticks(lambda: self.call("refundIntent", path=address, body=reason))
        self.pass_time(2, times=5)

    def _while_it_ticks(self, act: Callable[[], Any]) -> None:
        with ThreadPoolExecutor(1) as pool:
            acting = pool.submit(act)
            while not acting.done():
                self.api.tick()
            acting.result()

    def _links(self) -> None:
        body = {"title": "Coffee", "destination_chain": "ARBITRUM_MAINNET", "recipient": WALLET,
                "reference": "A-7", "metadata": {"product": "coffee"}}  # fmt: skip
        created = self.call("createPaymentLink", 201, body=body)
        self.call("createPaymentLink", 400, body={**body, "title": ""})
        form = CheckoutForm("a" * 20, "25", "BASE_MAINNET:USDC", WALLET)
        pay_by_link(self.api.service.services, created["id"], form)
        link, nobody = {"id": created["id"]}, {"id": "pl_5f8942ea98e7c86e3595"}
        self.call("listPaymentLinks")
        self.call("listPaymentLinks", 400, limit=0)
        self.call("getPaymentLink", path=link)
        self.call("getPaymentLink", 404, path=nobody)
        self.call("updatePaymentLink", path=link, body={"amount": "25000000", "max_uses": 100})
        self.call("updatePaymentLink", 400, path=link, body={"max_uses": 0})
        self.call("updatePaymentLink", 404, path=nobody, body={"active": False})
        self.call("listPaymentLinkUses", path=link)
        self.call("listPaymentLinkUses", 404, path=nobody)
        self.call("listPaymentLinkUses", 400, path=link, cursor="x")

    def _ramps(self) -> None:
        ask = {"type": "on-ramp", "fiatCurrency": "NGN", "destinationChain": "ARBITRUM_MAINNET"}
        self.call("listRampQuotes", **ask, cryptoAmount="25", countryCode="NG")
        self.call("listRampQuotes", 400, **ask)
        self.call("listRampCurrencies", provider="YELLOW_CARD", type="on-ramp")
        self.call("listRampCurrencies", 400, provider="BANK")
        self.call("listRampCountries", currency="XOF")
        self.call("listRampCountries", 400, currency="XXX")
        quote = get_quote(self.api, "YELLOW_CARD", **ask, cryptoAmount=25)
        body = {**ask, "provider": "YELLOW_CARD", "cryptoAmount": 25, "recipientAddress": WALLET,
                "userEmail": EMAIL, "fields": fields_for(quote)}  # fmt: skip
        self.call("createRampOrder", 400, body=body)
        verified = {"provider": "YELLOW_CARD", "userEmail": EMAIL, "kycType": "advanced"}
        self.call("setKycStatus", body={**verified, "status": "approved"})
        self.call("setKycStatus", 400, body={**verified, "status": "fine"})
        order = self.call("createRampOrder", 201, body=body)
        number = {"id": order["id"]}
        self.pass_time(2, times=3)
        self.call("reportRampOrderOutcome", path=number, body={"outcome": "paid"})
        self.call("reportRampOrderOutcome", 400, path=number, body={"outcome": "lost"})
        self.call("reportRampOrderOutcome", 404, path=UNKNOWN, body={"outcome": "paid"})
        self._provider_reports(order)
        self.pass_time(3, times=40)
        self.call("listRampOrders", limit=1)
        self.call("listRampOrders", 400, status="lost")
        self.call("getRampOrder", path=number)
        self.call("getRampOrder", 404, path=UNKNOWN)
        self.call("getRampOrder", 400, path={"id": 0})
        self.call("getRampOrderByIntent", path={"intentAddress": order["intentAddress"]})
        self.call("getRampOrderByIntent", 404, path={"intentAddress": NOBODY})
        for operation_id, times in (("confirmRampOrder", 3), ("cancelRampOrder", 1)):
            again = {"id": self.call("createRampOrder", 201, body=body)["id"]}
            self.pass_time(2, times=times)
            self.call(operation_id, path=again)
            self.call(operation_id, 400, path=number)
            self.call(operation_id, 404, path=UNKNOWN)

    def _provider_reports(self, order: Any) -> None:
        headers, content = call_of(self.api, order)
        provider = {"provider": "YELLOW_CARD"}
        self.call("receiveProviderWebhook", 401, path=provider, content=b"{}")
        self.call("receiveProviderWebhook", 404, path={"provider": "BANK"}, content=b"{}")
        self.call("receiveProviderWebhook", path=provider, content=content, headers=headers)
        ramps = self.api.service.services.ramps
        sandbox = next(ramp for ramp in ramps if ramp.name == "YELLOW_CARD")
        assert isinstance(sandbox, SimulatedProvider)
        signed = sandbox.signed(b"{}")
        self.call("receiveProviderWebhook", 400, path=provider, content=b"{}", headers=signed)

    def _kyc(self) -> None:
        person = {**CORRIDOR, "userEmail": EMAIL}
        asked = self.call("getKycRequirements", **CORRIDOR)["tiers"][-1]["requirements"]
        self.call("getKycRequirements", 400, provider="YELLOW_CARD")
        self.call("getKycState", **person, cryptoAmount="25")
        self.call("getKycState", 400, **CORRIDOR)
        self.call("getKycStateOfTransaction", **person, amount="25")
        self.call("getKycStateOfTransaction", 400, **CORRIDOR)
        person["userEmail"] = "grace@example.com"  # who has no order under way
        self.call("submitKyc", body={**person, "fields": valid_values(asked)})
        self.call("submitKyc", 400, body={**person, "fields": {"shoeSize": "42"}})
        key = next(one["key"] for one in asked if one["type"] == "document")
        image = {"Content-Type": "image/png"}
        self.call("submitKycDocument", **person, key=key, content=PNG, headers=image)
        self.call("submitKycDocument", 400, **person, key="shoe", content=PNG, headers=image)
        self.call("eraseCustomer", userEmail=person["userEmail"])
        self.call("eraseCustomer", 400)

    def _deliveries(self) -> None:
        self.call("testWebhook", 202, path=self.webhook)
        self.pass_time(1)
        page = self.call("listDeliveries", path=self.webhook, state="delivered", limit=100)
        self.call("listDeliveries", 400, path=self.webhook, state="lost")
        completed = next(one for one in page["deliveries"] if one["type"] == "intent_completed")
        self.call("getDelivery", path={"id": completed["id"]})
        self.call("getDelivery", 404, path=UNKNOWN)
        self.call("getDelivery", 400, path={"id": 0})
        self.call("replayDelivery", 202, path={"id": completed["id"]})
        self.call("replayDelivery", 404, path=UNKNOWN)
        self.call("replayDelivery", 400, path={"id": 0})
        period = {"from": "2026-01-01T00:00:00Z"}
        self.call("replayEvents", 202, path=self.webhook, body=period)
        self.call("replayEvents", 400, path=self.webhook, body={"from": "yesterday"})
        self.call("replayMissedEvents", 202, path=self.webhook)
        spare = self.api.post("/webhooks", {"url": self.receiver.url}).json()
        self.call("deleteWebhook", 204, path={"id": spare["id"]})

    def _x402(self) -> None:
        """Tokens of the simulated network take no signatures: offers are those of a live one."""
        self.call("listSettledNetworks")
        self.call("listSettledNetworks", 400, network="x")
        offer = {"amount": "20000", "destination_chain": "ARBITRUM_MAINNET", "recipient": WALLET}
        self.call("createPaymentOffers", 400, body=offer)
        answer = {
            "x402Version": 2,
            "error": "Payment required",
            "resource": {"url": "", "description": "", "mimeType": "application/json"},
            "accepts": [X402_OFFER],
        }
        self.examples["createPaymentOffers"].body = offer
        self.examples["createPaymentOffers"].answers["200"] = answer
        for name in ("verifySignedPayment", "settleSignedPayment"):
            self.call(name, 400, body={})
            self.call(name, body=X402_BODY)

    def _exports(self) -> None:
        body = {"resource": "intents", "format": "json", "filters": {"status": "completed"}}
        of_webhook = {"resource": "deliveries", "filters": {"webhook_id": UNKNOWN["id"]}}
        self.call("createExport", 404, body=of_webhook)
        number = {"id": self.call("createExport", 201, body=body)["id"]}
        self.call("createExport", 400, body={"resource": "dreams"})
        while run_next(self.api.service.services):
            pass
        link = urlsplit(self.call("getExport", path=number)["url"])
        self.call("getExport", 404, path=UNKNOWN)
        self.call("getExport", 400, path={"id": 0})
        self.call("listExports")
        self.call("listExports", 400, limit=0)
        self.call("downloadExport", path=number, **dict(parse_qsl(link.query)))
        self.call("downloadExport", 404, path=number, expires="0", signature="x")
        self.call("downloadExport", 400, path={"id": 0})
        spare = self.api.post("/exports", body).json()
        self.call("deleteExport", 204, path={"id": spare["id"]})
        self.call("deleteExport", 404, path=UNKNOWN)
        self.call("deleteExport", 400, path={"id": 0})

    def _sandbox(self) -> None:
        self.call("setSandboxClock", body={"advanceSeconds": 60})
        self.call("setSandboxClock", 400, body={})
        chain, bridge = {"chain": "BASE_TESTNET"}, {"bridge": "CCTP"}
        self.call("injectChainFaults", path=chain, body={"slowBlocks": 5})
        self.call("injectChainFaults", 400, path=chain, body={"dropNext": -1})
        self.call("injectBridgeFaults", path=bridge, body={"lateSeconds": 600})
        self.call("injectBridgeFaults", 400, path=bridge, body={})
        provider = {"provider": "YELLOW_CARD"}
        self.call("injectProviderFaults", path=provider, body={"slowSeconds": 0.2})
        self.call("injectProviderFaults", 400, path=provider, body={})

    def _events_seen(self) -> None:
        """The first event of each form that the receiver got."""
        for event in self.receiver.events:
            if event["type"] in EXAMPLES:
                self.events.setdefault(event["type"], event)
        self.call("streamEvents", 400, headers={"Last-Event-ID": "evt_unknown"})


@contextmanager
def walked(folder: Path) -> Iterator[ExampleWalk]:
    """A walk on a service of its own, in this process, which still runs."""
    service = new_service(folder)
    with (
        new_test_client(service.services, "https://crossway.example") as http,
        running_receiver() as receiver,
    ):
        yield ExampleWalk(Api(http, service, *new_key(service)), receiver).everything()
    service.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as new_folder, walked(Path(new_folder)) as taken:
        told = recorded(taken)
    FILE.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
