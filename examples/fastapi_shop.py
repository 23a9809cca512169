"""A shop with FastAPI: an order, its payment page, a verified webhook, and the order paid once."""

import os
import sqlite3
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from crossway_client import (
    AsyncCrossway,
    IntentEvent,
    SignatureVerificationError,
    verify_webhook,
)

USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
PRICE = 25_000_000  # 25 USDC in its smallest unit
WALLET = os.environ["SHOP_WALLET"]
SECRET = os.environ["CROSSWAY_WEBHOOK_SECRET"]
crossway = AsyncCrossway(
    os.environ["CROSSWAY_API_KEY"], os.environ.get("CROSSWAY_API_URL", "http://127.0.0.1:8600")
)
database = sqlite3.connect(os.environ.get("SHOP_DATABASE", "shop.db"), isolation_level=None)
database.execute("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, wallet, pay, paid_by)")
database.execute("CREATE TABLE IF NOT EXISTS shipments (order_id)")


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Close the client's connections at the end."""
    yield
    await crossway.aclose()


app = FastAPI(lifespan=lifespan)


class NewOrder(BaseModel):
    """What the buyer sends: the wallet to which refunds go."""

    wallet: str


@app.post("/orders", status_code=201)
async def create_order(order: NewOrder) -> dict[str, str]:
    """Store an order, then create its payment."""
    order_id = uuid.uuid4().hex
    database.execute("INSERT INTO orders (id, wallet) VALUES (?, ?)", (order_id, order.wallet))
    return {"page": f"/orders/{order_id}", "pay": await payment_page(order_id)}


@app.get("/orders/{order_id}")
async def show_order(order_id: str) -> HTMLResponse:
    """The order's page: the link to pay, or that it is paid."""
    row = database.execute("SELECT paid_by FROM orders WHERE id = ?", (order_id,)).fetchone()
    if row is None:
        raise HTTPException(404)
    if row[0] is not None:
        return HTMLResponse("<p>Paid. Thank you!</p>")
    return HTMLResponse(f'<a href="{await payment_page(order_id)}">Pay 25 USDC</a>')


async def payment_page(order_id: str) -> str:
    """The URL of the order's payment page; its payment is created once, however often this runs."""
    wallet, pay = database.execute(
        "SELECT wallet, pay FROM orders WHERE id = ?", (order_id,)
    ).fetchone()
    if pay is None:
        payment = await crossway.intents.create(
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
        database.execute("UPDATE orders SET pay = ? WHERE id = ?", (pay, order_id))
    return str(pay)


@app.post("/webhooks")
async def receive(request: Request) -> Response:
    """Verify an event of Crossway's and mark its order as paid."""
    try:
        event = verify_webhook(await request.body(), request.headers, SECRET)
    except SignatureVerificationError:
        return Response(status_code=400)
    if isinstance(event, IntentEvent) and event.type == "intent_completed":
        mark_paid(event.intent.metadata.get("order"), event.intent.id)
    return Response(status_code=204)


def mark_paid(order_id: object, intent_id: int) -> None:
    """Mark an order as paid and ship it, once: the same event may arrive again."""
    with database:
        database.execute("BEGIN IMMEDIATE")
        marked = database.execute(
            "UPDATE orders SET paid_by = ? WHERE id = ? AND paid_by IS NULL", (intent_id, order_id)
        )
        if marked.rowcount == 1:
            database.execute("INSERT INTO shipments VALUES (?)", (order_id,))
