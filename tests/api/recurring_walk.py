"""The part of a walk through the API for what repeats: invoices, subscriptions and standing
addresses."""

from tests.api.conftest import WALLET
from tests.api.walks import Walk

EMAIL = "ada@example.com"


class RecurringWalk(Walk):
    """A walk through the operations of invoices, subscriptions and standing addresses."""

    def use_standing_address(self) -> None:
        body = {"source_chain": "BASE_MAINNET", "destination_chain": "ARBITRUM_MAINNET",
                "recipient": WALLET, "recovery_address": WALLET, "reference": "customer-7",
                "maximum": "5000000000", "metadata": {"tier": "gold"}}  # fmt: skip
        created = self.call("createStandingAddress", 201, body=body)
        self.call("createStandingAddress", 400, body={**body, "minimum": "1"})
        named, nobody = {"id": created["id"]}, {"id": "sa_5f8942ea98e7c86e3595"}
        self.call("listStandingAddresses")
        self.call("listStandingAddresses", 400, limit=0)
        self.call("getStandingAddress", path=named)
        self.call("getStandingAddress", 404, path=nobody)
        self.call("quoteStandingDeposit", path=named, amount="50000000")
        self.call("quoteStandingDeposit", 400, path=named, amount="none")
        self.call("quoteStandingDeposit", 404, path=nobody, amount="50000000")
        self.call("updateStandingAddress", path=named, body={"maximum": "9000000000"})
        self.call("updateStandingAddress", 400, path=named, body={"minimum": "1"})
        self.call("updateStandingAddress", 404, path=nobody, body={"active": False})
        for amount in ("50000000", "100"):
            self.api.post("/sandbox/deposits", {"address": created["address"], "amount": amount})
        self.pass_time(2, times=40)
        at = {"standing_address": created["id"]}
        listed = self.call("listStandingDeposits", **at, limit=2)
        self.call("getStandingDeposit", path={"id": listed["standing_deposits"][0]["id"]})
        self.call("getStandingDeposit", 404, path={"id": 1})
        self.call("listStandingDeposits", 400, status="lost")
        self.call("listStandingDeposits", 404, standing_address=nobody["id"])

    def bill(self) -> None:
        line = {"description": "Hosting", "unit_amount": "5000000", "tax_bps": 1900}
        body = {"lines": [{**line, "quantity": 2}], "destination_chain": "ARBITRUM_MAINNET",
                "recipient": WALLET, "payer": {"name": "Ada", "email": EMAIL},
                "notes": "Thank you", "metadata": {"order": "A-7"}}  # fmt: skip
        created = self.call("createInvoice", 201, body=body)
        self.call("createInvoice", 400, body={**body, "lines": []})
        invoice, nobody = {"id": created["id"]}, {"id": "inv_5f8942ea98e7c86e3595"}
        self.call("listInvoices")
        self.call("listInvoices", 400, limit=0)
        self.call("getInvoice", path=invoice)
        self.call("getInvoice", 404, path=nobody)
        self.call("voidInvoice", path=invoice)
        self.call("voidInvoice", 400, path=invoice)
        self.call("voidInvoice", 404, path=nobody)
        repeats = {**body, "interval": "month", "lead_days": 7, "remind_days_after": 3}
        created = self.call("createSubscription", 201, body=repeats)
        self.call("createSubscription", 400, body={**repeats, "interval": "day"})
        subscription, nobody = {"id": created["id"]}, {"id": "sub_5f8942ea98e7c86e3595"}
        self.call("listSubscriptions")
        self.call("listSubscriptions", 400, limit=0)
        self.call("getSubscription", path=subscription)
        self.call("getSubscription", 404, path=nobody)
        self.call("updateSubscription", path=subscription, body={"state": "paused"})
        self.call("updateSubscription", 400, path=subscription, body={"state": "ended"})
        self.call("updateSubscription", 404, path=nobody, body={"state": "paused"})
