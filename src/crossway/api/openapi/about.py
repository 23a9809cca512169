"""What the OpenAPI document says about the API as a whole."""

from typing import Any, Final

TITLE: Final = "Crossway API"
SUMMARY: Final = "Cross-chain payment intents and fiat ramps."
KEY: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API key: `cr_test_…` or `cr_live_…`.",
}
DESCRIPTION: Final = """Get quotes, create an intent, let your user pay its deposit address, and the
recipient is paid on another chain. If the intent expires before it starts, the payer is refunded.

**Keys.** Send `Authorization: Bearer cr_test_…` with every request. A live key works with main
networks only. Test and live are two worlds: a key sees, lists and changes what keys of its own mode
made, and gets their events only. A key has scopes: `read`, `write`, `refund`.

**Amounts** are strings of integers in the token's smallest unit; fields that end in `Formatted`
are decimal numbers for display. USD amounts of an intent are micro-USD. Fiat amounts, limits and
the `cryptoAmount` of ramps are JSON numbers with every digit exact. Instants are ISO 8601 in UTC.

**Errors** are JSON with one message and a `code` for programs (the schema `ErrorCode` lists them);
`param` is the refused field, `params` are several. Most are `{statusCode, message, code}`;
trigger-processing, refund and the actions on ramp orders return `{success: false, message, code}`,
destination-address `{error, code}`.

**Retries.** Send `Idempotency-Key` with a POST: the same request repeated within 24 hours gets the
first response again, with `Idempotent-Replayed: true`.

**Lists** are newest first, webhooks oldest first. `nextCursor` of a page (`next_cursor` where
members are in snake case) is the `cursor` of the next; it is null on the last one.

**Limits.** 250 requests a minute for each key: see the `RateLimit` header, and `Retry-After` after
a 429. Requests that cost more count for more, as their descriptions say. A body may have 64 KiB.
Every response has an `X-Request-Id`; include it when you contact support.

**Versions.** The version is in the path. Within `/v1` members, parameters, events, error codes and
values of enumerations are added, so ignore what you do not know; nothing is removed or changes its
meaning before it has been deprecated for twelve months. What is deprecated is marked here and
answers with the headers `Deprecation` (RFC 9745), when that began, and `Sunset` (RFC 8594), when it
ends.
"""
TAGS: Final[list[dict[str, Any]]] = [
    {"name": "Quotes", "description": "Prices and fees of a payment."},
    {"name": "Intents", "description": "Single-use payments with their own deposit address."},
    {"name": "Payment links", "description": "Links that any number of payers can pay."},
    {"name": "x402", "description": "Payments by `402 Payment Required`."},
    {
        "name": "Standing addresses",
        "description": "Addresses that do not expire: every deposit makes an intent of its own.",
    },
    {"name": "Invoices", "description": "Numbered invoices with lines and tax, and their links."},
    {"name": "Subscriptions", "description": "Invoices that repeat by the calendar."},
    {"name": "Router", "description": "Bridges and their routes."},
    {"name": "Chains", "description": "Chains, tokens and balances."},
    {"name": "Ramps", "description": "Buying and selling crypto for local currency."},
    {
        "name": "KYC",
        "description": "Identity checks of end users: requirements, state and submission.",
    },
    {
        "name": "Webhooks",
        "description": "Event notifications and their deliveries. Each is signed as [Standard "
        "Webhooks](https://www.standardwebhooks.com) specifies: verify the raw body with the "
        "webhook's secret before you read it, and process each `webhook-id` once, as an event may "
        "come again.",
    },
    {"name": "Search", "description": "Finding resources by what is known of them."},
    {"name": "Exports", "description": "Lists as files, written in the background."},
    {"name": "Client", "description": "The client of an API key."},
    {
        "name": "Sandbox",
        "description": "Controls of the simulated environment; absent on a live one.",
    },
]
