"""The guided tour's one payment: its quotes, the payment itself and what its customer pays."""

from collections.abc import Sequence
from typing import Final

from crossway.dashboard.views.links import is_record_id
from crossway.domain.clients import Principal
from crossway.domain.errors import NotFound
from crossway.domain.intent import Intent
from crossway.domain.quotes import Quote
from crossway.ports.services import Services
from crossway.usecases.developers import webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate
from crossway.usecases.payments import intents
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.pricing import quotes
from crossway.usecases.pricing.priced_request import QuoteRequest
from crossway.usecases.simulator import chain_controls

SOURCE: Final = "BASE_MAINNET"
DESTINATION: Final = "ARBITRUM_MAINNET"
SYMBOL: Final = "USDC"
AMOUNT: Final = "25000000"
WEBHOOK_URL: Final = "https://tour.demo.example/crossway"
ORDER: Final = "Guided tour"


def ask_quotes(services: Services) -> Sequence[Quote]:
    """What every bridge asks for the tour's payment, the cheapest first."""
    tokens = services.catalogue.tokens
    request = QuoteRequest(
        tokens[SOURCE, SYMBOL].address,
        tokens[DESTINATION, SYMBOL].address,
        SOURCE,
        DESTINATION,
        AMOUNT,
    )
    return quotes.list_quotes(services, None, request)


def create_tour_payment(services: Services, caller: Principal, order: str = ORDER) -> Intent:
    """The shop's payment, labelled with `order`; its webhooks go to the tour's receiver."""
    existing = webhooks.list_webhooks(services, caller)
    if services.webhooks and not any(webhook.url == WEBHOOK_URL for webhook in existing):
        update = WebhookUpdate(WEBHOOK_URL, None, "Receiver of the guided tour")
        webhooks.create_webhook(services, caller, update)
    chains = services.chains
    request = CreateIntentRequest(
        amount=AMOUNT,
        token_in=services.catalogue.tokens[SOURCE, SYMBOL].address,
        source_chain=SOURCE,
        destination_chain=DESTINATION,
        recipient=chains[DESTINATION].deposit_address("wallet of the tour's shop"),
        refund_address=chains[SOURCE].deposit_address("wallet of the tour's customer"),
        metadata={"order": order},
    )
    return create_intent(services, caller, request)


def find_tour_payment(
    services: Services, caller: Principal, number: str, order: str
) -> Intent | None:
    """The tour's payment with this number and label; None if there is none."""
    if not is_record_id(number):
        return None
    try:
        intent = intents.get_by_id(services, caller, int(number))
    except NotFound:
        return None
    return intent if intent.metadata.get("order") == order else None


def pay(services: Services, caller: Principal, intent_id: int, amount: str = "over") -> None:
    """The customer's deposit: `over` is about 10% too much, `exact` what is asked for."""
    intent = intents.get_by_id(services, caller, intent_id)
    chain_controls.send_deposit(services, caller, intent.address, amount)
