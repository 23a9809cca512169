"""A shop with Django: an order, its payment page, a verified webhook, and the order paid once."""

import json
import os
import sys
import uuid

import django
from django.conf import settings
from django.core.management import execute_from_command_line
from django.db import connection, transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_POST

from crossway_client import Crossway, IntentEvent, SignatureVerificationError, verify_webhook

USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
PRICE = 25_000_000  # 25 USDC in its smallest unit
WALLET = os.environ["SHOP_WALLET"]
SECRET = os.environ["CROSSWAY_WEBHOOK_SECRET"]
crossway = Crossway(
    os.environ["CROSSWAY_API_KEY"], os.environ.get("CROSSWAY_API_URL", "http://127.0.0.1:8600")
)

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ.get("SHOP_DATABASE", "shop.db"),
            # A transaction takes its lock at once, so that two webhooks do not both read first.
            "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20},
        }
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY=uuid.uuid4().hex,
)
django.setup()


@require_POST
def create_order(request: HttpRequest) -> HttpResponse:
    """Store an order, then create its payment. The body has the wallet to which refunds go."""
    order_id = uuid.uuid4().hex
    wallet = json.loads(request.body)["wallet"]
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO orders (id, wallet) VALUES (%s, %s)", [order_id, wallet])
    page = {"page": f"/orders/{order_id}", "pay": payment_page(order_id)}
    return JsonResponse(page, status=201)


@require_GET
def show_order(request: HttpRequest, order_id: str) -> HttpResponse:
    """The order's page: the link to pay, or that it is paid."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT paid_by FROM orders WHERE id = %s", [order_id])
        row = cursor.fetchone()
    if row is None:
        raise Http404
    if row[0] is not None:
        return HttpResponse("<p>Paid. Thank you!</p>")
    return HttpResponse(format_html('<a href="{}">Pay 25 USDC</a>', payment_page(order_id)))


def payment_page(order_id: str) -> str:
    """The URL of the order's payment page; its payment is created once, however often this runs."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT wallet, pay FROM orders WHERE id = %s", [order_id])
        wallet, pay = cursor.fetchone()
        if pay is None:
            payment = crossway.intents.create(
                amount=PRICE,
                token_in=USDC_BASE,
                source_chain="BASE_MAINNET",
                destination_chain="ARBITRUM_MAINNET",
                recipient=WALLET,
                refund_address=wallet,
                metadata={"order": order_id},
                idempotency_key=f"order {order_id}",
            )
            pay = payment.payment_url
            cursor.execute("UPDATE orders SET pay = %s WHERE id = %s", [pay, order_id])
    return str(pay)


# With Django's middleware against request forgery, this view needs `csrf_exempt`.
@require_POST
def receive(request: HttpRequest) -> HttpResponse:
    """Verify an event of Crossway's and mark its order as paid."""
    try:
        event = verify_webhook(request.body, request.headers, SECRET)
    except SignatureVerificationError:
        return HttpResponse(status=400)
    if isinstance(event, IntentEvent) and event.type == "intent_completed":
        mark_paid(event.intent.metadata.get("order"), event.intent.id)
    return HttpResponse(status=204)


def mark_paid(order_id: object, intent_id: int) -> None:
    """Mark an order as paid and ship it, once: the same event may arrive again."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE orders SET paid_by = %s WHERE id = %s AND paid_by IS NULL",
            [intent_id, order_id],
        )
        if cursor.rowcount == 1:
            cursor.execute("INSERT INTO shipments VALUES (%s)", [order_id])


urlpatterns = [
    path("orders", create_order),
    path("orders/<str:order_id>", show_order),
    path("webhooks", receive),
]

if __name__ == "__main__":
    with connection.cursor() as tables:
        tables.execute(
            "CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, wallet, pay, paid_by)"
        )
        tables.execute("CREATE TABLE IF NOT EXISTS shipments (order_id)")
    execute_from_command_line(sys.argv)
