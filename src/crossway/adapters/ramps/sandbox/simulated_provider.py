"""One sandbox provider: the `RampProvider` port over the simulated chains."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from crossway.adapters.ramps.sandbox import kyc_customers, order_creation, orders, quotes, webhooks
from crossway.adapters.ramps.sandbox.backend import SandboxBackend
from crossway.adapters.ramps.sandbox.behaviour import Behaviour, consume_refusal, load_behaviour
from crossway.adapters.ramps.sandbox.orders import History, Order
from crossway.domain.errors import Unreachable
from crossway.domain.fiat import Rate
from crossway.domain.kyc import Tier, VerificationStatus
from crossway.domain.kyc_fields import parse_email
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction
from crossway.ports.ramps import (
    Capabilities,
    Document,
    KycUser,
    OrderRequest,
    ProviderOrder,
    ProviderOrderStatus,
    ProviderQuote,
    ProviderQuoteRequest,
    ProviderRejected,
    ProviderUpdate,
)
from crossway.ports.vault import Vault

MAX_WAIT_SECONDS = 60.0


class SimulatedProvider:
    """`ports.ramps.RampProvider` over the simulated chains.

    It trusts the user's confirmation of an on-ramp payment, observes the crypto of an off-ramp on
    chain, and delivers after some seconds of the service's clock. Due steps run when updates are
    fetched. Safe to share between threads and processes. `wait` implements slow responses.
    """

    runs_in_process = False
    verifies_by_email_alone = False

    def __init__(
        self,
        capabilities: Capabilities,
        backend: SandboxBackend,
        rates: Mapping[str, Rate],
        vault: Vault,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = capabilities.name
        self.capabilities = capabilities
        self._backend = backend
        self._rates = rates
        self._vault = vault
        self._wait = wait

    def refund_address(self, chain: str) -> str:
        return order_creation.derive_refund_address(self.capabilities, self._family(chain))

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        behaviour, rate = self._load_behaviour(), self._rates.get(request.currency.code)
        return quotes.build_quote(self.capabilities, rate, request, channels, behaviour, now)

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        behaviour = self._load_behaviour()
        new_order = self._build_order(request, behaviour)
        with self._backend.open_write() as db:
            checked = self._check_order(new_order, request)
            if (
                orders.add_order(db, checked)
                and not checked.refusal_reason
                and consume_refusal(db, self.name)
            ):
                # A retry of the same order is refused again.
                orders.mark_refused(
                    db, new_order.reference, f"{self.capabilities.title} refuses this order"
                )
            stored_order = orders.find_orders(db, self.name, [new_order.reference])[
                new_order.reference
            ]
        if stored_order.refusal_reason:
            raise ProviderRejected(stored_order.refusal_reason)
        return ProviderOrder(
            reference=stored_order.reference,
            fiat_minor=stored_order.fiat_minor,
            instructions=stored_order.instructions,
            widget_url=stored_order.widget_url,
            pay_to=stored_order.pay_to,
            pay_by=datetime.fromtimestamp(stored_order.pay_by, UTC),
        )

    def confirm_payment(self, reference: str, tx_hash: str = "") -> None:
        self._load_behaviour()
        order = self._require_order(reference)

        def paid_if_new(
            history: History, behaviour: Behaviour, now: float
        ) -> ProviderOrderStatus | None:
            return None if history else ProviderOrderStatus.PAID

        # The payment of an off-ramp is observed on chain only.
        if order.direction is Direction.ON and not order.refusal_reason:
            self._backend.report_status(order, ProviderOrderStatus.PAID, paid_if_new)

    def cancel_order(self, reference: str) -> None:
        self._load_behaviour()
        self._cancel(self._require_order(reference))

    def cancel_by_reference(self, request: OrderRequest) -> None:
        behaviour = self._load_behaviour()
        cancelled_order = order_creation.as_refused(
            self._build_order(request, behaviour), "This order was cancelled"
        )
        with self._backend.open_write() as db:
            # A creation request that is still in flight finds the order cancelled.
            orders.add_order(db, cancelled_order)
        self._cancel(self._require_order(cancelled_order.reference))

    def fetch_updates(self, references: Sequence[str]) -> Mapping[str, Sequence[ProviderUpdate]]:
        behaviour = self._load_behaviour()
        self._backend.process_due(self.name, references)
        with self._backend.open_read() as db:
            orders_by_reference = orders.find_orders(db, self.name, references)
            histories = orders.load_histories(db, list(orders_by_reference))
        return {name: _to_updates(name, history, behaviour) for name, history in histories.items()}

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[ProviderUpdate]:
        return webhooks.parse_updates(self._secret(), headers, body, self._backend.now())

    def webhook(self, reference: str) -> tuple[dict[str, str], bytes]:
        """The webhook that it would send for an order: headers and body."""
        body = webhooks.encode_body(self.fetch_updates([reference]).get(reference, ()))
        return self.signed(body), body

    def signed(self, body: bytes) -> dict[str, str]:
        """The headers of a webhook with this body."""
        return webhooks.sign_headers(self._secret(), body, self._backend.now())

    def get_kyc_status(self, user: KycUser, country: str) -> VerificationStatus:
        behaviour = self._load_behaviour()
        customer_key, tiers = self.customer_key(user), self._tiers(country)
        with self._backend.open_read() as db:
            record = kyc_customers.load_record(db, self.name, customer_key)
        if (
            kyc_customers.advance_checks(record, tiers, behaviour.kyc, self._backend.now())
            != record
        ):
            with self._backend.open_write() as db:
                stored_record = kyc_customers.load_record(db, self.name, customer_key, lock=True)
                record = kyc_customers.advance_checks(
                    stored_record, tiers, behaviour.kyc, self._backend.now()
                )
                kyc_customers.save_record(db, self.name, customer_key, record)
        return record.to_status(self._verification_url())

    def submit_kyc(
        self, user: KycUser, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> VerificationStatus:
        behaviour = self._load_behaviour()
        if self.capabilities.kyc_mode == "widget":
            raise ProviderRejected(f"{self.capabilities.title} verifies people on its own page")
        customer_key, now = self.customer_key(user), self._backend.now()
        keys = [document.key for document in documents]
        with self._backend.open_write() as db:
            stored_record = kyc_customers.load_record(db, self.name, customer_key, lock=True)
            submitted = kyc_customers.apply_submission(stored_record, fields, keys, now)
            record = kyc_customers.advance_checks(
                submitted, self._tiers(country), behaviour.kyc, now
            )
            kyc_customers.save_record(db, self.name, customer_key, record)
        return record.to_status(self._verification_url())

    def customer_key(self, user: KycUser) -> str:
        """The digest that identifies a user here."""
        owner = user.owner
        return self._vault.blind_index(f"{owner.client_id} {owner.mode} {parse_email(user.email)}")

    def _check_order(self, new_order: Order, request: OrderRequest) -> Order:
        return order_creation.as_refused(
            new_order, order_creation.find_refusal_reason(self.capabilities, request)
        )

    def _build_order(self, request: OrderRequest, behaviour: Behaviour) -> Order:
        family = self._family(request.token.chain)
        return order_creation.build_order(
            self.capabilities, family, request, behaviour, self._backend.now()
        )

    def _cancel(self, order: Order) -> None:
        title = self.capabilities.title

        def cancelled_unless_paid(
            history: History, behaviour: Behaviour, now: float
        ) -> ProviderOrderStatus | None:
            if ProviderOrderStatus.PAID in history or ProviderOrderStatus.DELIVERED in history:
                raise ProviderRejected(f"{title} has been paid for this order already")
            return None if history else ProviderOrderStatus.CANCELLED

        if not order.refusal_reason:
            self._backend.process_due(self.name, [order.reference])
            self._backend.report_status(order, ProviderOrderStatus.CANCELLED, cancelled_unless_paid)

    def _require_order(self, reference: str) -> Order:
        with self._backend.open_read() as db:
            orders_by_reference = orders.find_orders(db, self.name, [reference])
        if reference not in orders_by_reference:
            raise ProviderRejected(f"{self.capabilities.title} knows no order {reference}")
        return orders_by_reference[reference]

    def _load_behaviour(self) -> Behaviour:
        """The current behaviour, after a slow provider's wait. Raises `Unreachable` while it is
        down."""
        with self._backend.open_read() as db:
            behaviour = load_behaviour(db, self.name)
        if behaviour.slow_seconds:
            self._wait(min(behaviour.slow_seconds, MAX_WAIT_SECONDS))
        if self._backend.now() < behaviour.down_until:
            raise Unreachable(f"{self.capabilities.title} gives no answer")
        return behaviour

    def _family(self, chain: str) -> str:
        return self._backend.network.facts[chain].family

    def _tiers(self, country: str) -> Sequence[Tier]:
        tiers = self.capabilities.tiers
        return tiers.get(country, tiers.get("", ()))

    def _verification_url(self) -> str:
        in_widget = self.capabilities.kyc_mode == "widget"
        return f"{order_creation.PAGE}?provider={self.name}" if in_widget else ""

    def _secret(self) -> str:
        return self._vault.blind_index(f"sandbox webhooks of {self.name}")


def _to_updates(reference: str, history: History, behaviour: Behaviour) -> list[ProviderUpdate]:
    """The updates that are sent, reversed or repeated by the injected faults."""
    reports = [report.to_update(reference) for report in history.values()]
    if behaviour.shuffle:
        reports.reverse()
    return [report for report in reports for _ in range(2 if behaviour.repeat else 1)]
