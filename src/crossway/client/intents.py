"""Payment intents: create, read, list, watch, trigger and refund."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from crossway.client.records import Intent
from crossway.client.transport import Transport, path_segment

PAGE = 100


class Intents:
    """`/intents`."""

    def __init__(self, calls: Transport) -> None:
        self._calls = calls

    def create(
        self,
        *,
        amount: int,
        token_in: str,
        source_chain: str,
        destination_chain: str,
        recipient: str,
        sender: str | None = None,
        refund_address: str | None = None,
        amount_symbol: str | None = None,
        token_out: str | None = None,
        metadata: dict[str, Any] | None = None,
        payment_link_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Intent:
        """Create a payment with its own deposit address; `amount` is in the smallest unit."""
        body = {
            "amount": str(amount),
            "tokenIn": token_in,
            "source_chain": source_chain,
            "destination_chain": destination_chain,
            "recipient": recipient,
            "sender": sender,
            "refund_address": refund_address,
            "amountSymbol": amount_symbol,
            "tokenOut": token_out,
            "metadata": metadata,
            "payment_link_id": payment_link_id,
        }
        return Intent.parse(self._calls.post("/intents", body, idempotency_key))

    def get(self, intent: int | str) -> Intent:
        """The payment with this record number or deposit address."""
        number = isinstance(intent, int) or (intent.isascii() and intent.isdecimal())
        path = f"/intents/{intent}" if number else f"/intents/address/{path_segment(intent)}"
        return Intent.parse(self._calls.get(path))

    def list(
        self,
        *,
        status: str | None = None,
        source_chain: str | None = None,
        destination_chain: str | None = None,
    ) -> Iterator[Intent]:
        """Every payment, newest first; pages are fetched as needed. `status` is `pending`,
        `processing`, `completed` or `failed`."""
        items = self._calls.pages(
            "/intents",
            "intents",
            PAGE,
            status=status,
            source_chain=source_chain,
            destination_chain=destination_chain,
        )
        return map(Intent.parse, items)

    def list_by_sender(self, sender: str) -> Iterator[Intent]:
        """Every payment of one payer's wallet, newest first."""
        return map(
            Intent.parse,
            self._calls.pages(f"/intents/user/{path_segment(sender)}", "intents", PAGE),
        )

    def watch(
        self,
        intent: int | str,
        *,
        every_seconds: float = 1.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Iterator[Intent]:
        """The payment now and after each change, until it is final."""
        last: Intent | None = None
        while True:
            now = self.get(intent)
            if last is None or (now.intent_status, now.tx_hash) != (
                last.intent_status,
                last.tx_hash,
            ):
                yield now
            if now.ended:
                return
            last = now
            sleep(every_seconds)

    def trigger_processing(self, address: str) -> str:
        """Check the deposit now and start the payment; returns the service's message."""
        return str(
            self._calls.post(f"/intents/{path_segment(address)}/trigger-processing")["message"]
        )

    def refund(self, address: str) -> str:
        """Refund the balance of an expired payment; returns the transaction hash."""
        return str(self._calls.post(f"/intents/{path_segment(address)}/refund")["txHash"])
