"""The tools: each is one method, whose text tells the assistant when and how to call it."""

import re
from collections.abc import Awaitable, Callable
from decimal import Decimal
from functools import wraps
from hashlib import sha256
from typing import Annotated, ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from crossway_client.client import AsyncCrossway
from crossway_client.mcp_server.confirmations import Confirmations, ShownRefund
from crossway_client.mcp_server.views import (
    FoundList,
    OptionList,
    OptionView,
    PaymentList,
    PaymentView,
    RefundView,
    TimelineView,
)
from crossway_client.records.chains import ClientInfo
from crossway_client.records.intents import Intent
from crossway_client.transport.errors import CrosswayError

P = ParamSpec("P")
T = TypeVar("T")
_DOLLARS = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6})?", re.ASCII)
Which = Annotated[str, Field(description="A payment's number or deposit address.")]
Chain = Annotated[str, Field(description="A chain identifier, such as BASE_MAINNET.")]
Dollars = Annotated[str, Field(description="US dollars as a decimal number, such as 25.50.")]


def _told(call: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """What the API or its client refuses is told to the assistant in their words."""

    @wraps(call)
    async def tool(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await call(*args, **kwargs)
        except CrosswayError as error:
            raise ToolError(str(error)) from error

    return tool


class Tools:
    """The tools of one key; `access` is what the key may do."""

    def __init__(
        self,
        crossway: AsyncCrossway,
        access: ClientInfo,
        confirmations: Confirmations | None = None,
    ) -> None:
        self._crossway, self._access = crossway, access
        self._confirmations = confirmations or Confirmations()

    @_told
    async def quote(
        self,
        destination_chain: Chain,
        amount: Annotated[str, Field(description="What the recipient gets, such as 25.50.")],
        token: Annotated[str, Field(description="The symbol of what they get.")] = "USDC",
        source_chain: Annotated[str | None, Field(description="Only from this chain.")] = None,
    ) -> OptionList:
        """Compare every way to pay an amount on a chain: from which chain, with which token, at
        which fee, how fast. Nothing is created."""
        self._require("read")
        address = await self._token_address(destination_chain, token)
        quotes = await self._crossway.quotes.multi_source(
            destination_chain=destination_chain, amount=amount, token_out=address
        )
        chosen = [option for option in quotes.quotes if source_chain in (None, option.source_chain)]
        if quotes.quotes and not chosen:
            others = ", ".join(sorted({option.source_chain for option in quotes.quotes}))
            raise ToolError(f"There is no way from {source_chain}; there are ways from {others}.")
        return OptionList(options=[OptionView.of(option) for option in chosen])

    @_told
    async def create_intent(
        self,
        reference: Annotated[
            str,
            Field(
                description="Your own name of this payment, such as 'A-7'. Within a day the "
                "same name returns the same payment.",
                min_length=1,
                max_length=200,
            ),
        ],
        amount_usd: Dollars,
        source_chain: Chain,
        destination_chain: Chain,
        recipient: Annotated[str, Field(description="The wallet that is paid.")],
        refund_address: Annotated[str, Field(description="The payer's wallet, for refunds.")],
        pay_with: Annotated[str, Field(description="Symbol of the token to pay with.")] = "USDC",
    ) -> PaymentView:
        """Create a payment that somebody can pay until it expires. It moves no money: give its
        payment page, or the exact deposit and its address, to the payer."""
        self._require("write")
        intent = await self._crossway.intents.create(
            amount=_micro_usd(amount_usd),
            token_in=await self._token_address(source_chain, pay_with),
            source_chain=source_chain,
            destination_chain=destination_chain,
            recipient=recipient,
            refund_address=refund_address,
            metadata={"reference": reference},
            # A name may have any characters and a header field may not.
            idempotency_key=f"mcp {sha256(reference.encode()).hexdigest()}",
        )
        return PaymentView.of(intent)

    @_told
    async def get_intent(self, intent: Which) -> PaymentView:
        """Show one payment."""
        self._require("read")
        return PaymentView.of(await self._crossway.intents.get(intent))

    @_told
    async def list_intents(
        self,
        status: Annotated[
            str | None,
            Field(description="pending, funded, initiated, processing, completed, expired, failed"),
        ] = None,
        source_chain: Chain | None = None,
        destination_chain: Chain | None = None,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> PaymentList:
        """List the newest payments, all or those of a status or a chain."""
        self._require("read")
        found: list[PaymentView] = []
        listed = self._crossway.intents.list(
            status=status,
            source_chain=source_chain,
            destination_chain=destination_chain,
            page_size=limit + 1,
        )
        async for intent in listed:
            found.append(PaymentView.of(intent))
            if len(found) > limit:
                break
        return PaymentList(payments=found[:limit], more=len(found) > limit)

    @_told
    async def find(
        self,
        identifier: Annotated[
            str, Field(description="An address, a transaction, a reference, an event, an e-mail.")
        ],
    ) -> FoundList:
        """Find payments, ramp orders, links and webhooks by any identifier of theirs."""
        self._require("read")
        return FoundList.of(await self._crossway.search.find(identifier))

    @_told
    async def explain_intent(self, intent: Which) -> TimelineView:
        """Explain where the money of a payment is: what happened, and who does what next."""
        self._require("read")
        found = await self._crossway.intents.get(intent)
        return TimelineView.of(found, await self._crossway.intents.timeline(found.id))

    @_told
    async def refund_intent(
        self,
        intent: Which,
        confirmation: Annotated[
            str | None, Field(description="What the first call returned; only if the user agrees.")
        ] = None,
    ) -> RefundView:
        """Refund an expired payment to its payer's refund address. The first call, without
        `confirmation`, does nothing: it says what would happen. Ask the user before the second."""
        self._require("refund")
        found = await self._crossway.intents.get(intent)
        shown = ShownRefund(found.intent_address, found.refund_address, found.intent_status)
        if confirmation is None:
            return await self._show_refund(found, shown)
        if not self._confirmations.redeem(confirmation, shown):
            raise ToolError(
                "This confirmation is unknown, used or too old, or the payment has changed. Call "
                "refund_intent without a confirmation to see what would happen now."
            )
        sent = await self._crossway.intents.refund(found.intent_address)
        return RefundView(done=True, text=sent.message, transaction=sent.tx_hash)

    async def _show_refund(self, found: Intent, shown: ShownRefund) -> RefundView:
        if found.intent_status != "EXPIRED":
            raise ToolError(
                f"Payment {found.id} is {found.intent_status}: only an expired one is refunded."
            )
        timeline = await self._crossway.intents.timeline(found.id)
        steps = " ".join(step.sentence for step in timeline.steps)
        text = (
            f"Payment {found.id} would be refunded: what {found.intent_address} holds on "
            f"{found.source_chain} goes to {found.refund_address}. So far: {steps}"
        )
        return RefundView(done=False, text=text, confirmation=self._confirmations.issue(shown))

    def _require(self, scope: str) -> None:
        """Raise `ToolError` if the key lacks a scope."""
        scopes = self._access.scopes
        if scope not in scopes:
            raise ToolError(
                f"This API key may not do this: it lacks the scope {scope} (it has "
                f"{', '.join(scopes)}). The user can start the server with another key."
            )

    async def _token_address(self, chain: str, symbol: str) -> str:
        tokens = {token.symbol: token for token in await self._crossway.chains.tokens(chain)}
        if symbol not in tokens:
            raise ToolError(f"{symbol} is not on {chain}, which has {', '.join(sorted(tokens))}")
        return tokens[symbol].address


def _micro_usd(dollars: str) -> int:
    """Dollars in the smallest unit; no fraction of it is lost."""
    amount = int(Decimal(dollars).scaleb(6)) if _DOLLARS.fullmatch(dollars) else 0
    if amount <= 0:
        raise ToolError("amount_usd must be a positive number with at most 6 decimal places")
    return amount
