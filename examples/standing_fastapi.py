"""Balances with FastAPI: each customer has an address for good, and what comes is credited once."""

import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request, Response

from crossway_client import (
    AsyncCrossway,
    IntentEvent,
    SignatureVerificationError,
    StandingDepositEvent,
    verify_webhook,
)

WALLET = os.environ["SHOP_WALLET"]  # is paid, on Arbitrum
RECOVERY = os.environ["SHOP_RECOVERY"]  # gets wrong tokens back: a plain wallet of yours
SECRET = os.environ["CROSSWAY_WEBHOOK_SECRET"]
crossway = AsyncCrossway(
    os.environ["CROSSWAY_API_KEY"], os.environ.get("CROSSWAY_API_URL", "http://127.0.0.1:8600")
)
database = sqlite3.connect(os.environ.get("SHOP_DATABASE", "shop.db"), isolation_level=None)
database.execute("CREATE TABLE IF NOT EXISTS customers (id PRIMARY KEY, name, address, minimum)")
database.execute("CREATE TABLE IF NOT EXISTS credits (intent PRIMARY KEY, name, amount)")
database.execute("CREATE TABLE IF NOT EXISTS returned (deposit PRIMARY KEY, name, reason)")


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Close the client's connections at the end."""
    yield
    await crossway.aclose()


app = FastAPI(lifespan=lifespan)


@app.put("/customers/{name}")
async def address_of(name: str) -> dict[str, str | int]:
    """A customer's address on Base, which is made once, and the least that is worth sending."""
    row = find(name)
    if row is None:
        # The same key returns the same address, also after a crash or a lost answer.
        made = await crossway.standing_addresses.create(
            source_chain="BASE_MAINNET",
            destination_chain="ARBITRUM_MAINNET",
            recipient=WALLET,
            recovery_address=RECOVERY,
            reference=name,
            idempotency_key=f"address of {name}",
        )
        row = (made.address, made.minimum)
        values = (made.id, name, *row)
        database.execute("INSERT OR IGNORE INTO customers VALUES (?, ?, ?, ?)", values)
    return {"address": row[0], "minimum": row[1]}


def find(name: str) -> tuple[str, int] | None:
    """The address of a customer, and its minimum."""
    query = "SELECT address, minimum FROM customers WHERE name = ?"
    row: tuple[str, int] | None = database.execute(query, (name,)).fetchone()
    return row


@app.get("/customers/{name}")
async def balance(name: str) -> dict[str, object]:
    """What came for a customer, after fees, and what went to the recovery address instead."""
    if find(name) is None:
        raise HTTPException(404)
    query = "SELECT coalesce(sum(amount), 0) FROM credits WHERE name = ?"
    (credited,) = database.execute(query, (name,)).fetchone()
    rows = database.execute("SELECT reason FROM returned WHERE name = ?", (name,))
    return {"balance": credited, "returned": [reason for (reason,) in rows]}


@app.post("/webhooks")
async def receive(request: Request) -> Response:
    """Verify an event of Crossway's and credit a payment, or note a return, once."""
    try:
        event = verify_webhook(await request.body(), request.headers, SECRET)
    except SignatureVerificationError:
        return Response(status_code=400)
    if isinstance(event, IntentEvent) and event.type == "intent_completed":
        # The recipient has this much, in the smallest unit of the token that is paid out.
        paid = event.intent
        note("credits", paid.metadata.get("standing_address"), paid.id, paid.initial_amount)
    elif isinstance(event, StandingDepositEvent) and event.deposit.status == "RETURNED":
        back = event.deposit
        note("returned", back.standing_address_id, back.id, back.reason)
    return Response(status_code=204)


def note(table: str, address_id: object, number: int, what: object) -> None:
    """Note it for the address's customer: the same event may arrive again."""
    row = database.execute("SELECT name FROM customers WHERE id = ?", (address_id,)).fetchone()
    if row is not None:
        values = (number, row[0], what)
        database.execute(f"INSERT OR IGNORE INTO {table} VALUES (?, ?, ?)", values)
