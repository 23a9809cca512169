"""Request and response models of `/v1/standing-addresses` and `/v1/standing-deposits`."""

from typing import Any, Self

from pydantic import Field, SkipValidation

from crossway.api.schemas.fields import (
    RECORD,
    TIME,
    UNITS,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
    IntegerString,
    JsonObject,
    Model,
    OptionalFlag,
    OptionalObject,
    RequestModel,
    chain_field,
    field,
)
from crossway.api.schemas.responses import raw_json
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.domain.standing import StandingAddress, StandingDeposit, StandingState
from crossway.usecases.instants import timestamp
from crossway.usecases.standing.estimates import DepositEstimate
from crossway.usecases.standing.request import MAX_REFERENCE_LENGTH, MAX_TOKENS, StandingRequest

_ID = "sa_5f8942ea98e7c86e3595"
_CLIENT = "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11"
_TX = "0x6b8b7c9d4e1f0a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f70819203"
_OUT = "In the smallest unit of `token_out`."


class _RuleFields(RequestModel):
    minimum: SkipValidation[str | None] = field(
        f"The smallest deposit that is paid out; by default twice the least accepted now. {_OUT}",
        "20000000",
        default=None,
        extra=UNITS,
    )
    maximum: SkipValidation[str | None] = field(
        f"The largest deposit that is paid out; unlimited by default. {_OUT}",
        "5000000000",
        default=None,
        extra=UNITS,
    )
    reference: SkipValidation[str | None] = field(
        "Your own reference: `reference` in the metadata of every intent.",
        "customer-7",
        default=None,
        extra={"maxLength": MAX_REFERENCE_LENGTH},
    )
    metadata: OptionalObject = field(
        "Your own data: in the metadata of every intent.",
        {"tier": "gold"},
        default=None,
    )

    def to_request(self) -> StandingRequest:
        """The request as the use case takes it; fields that are null are cleared."""
        values = self.given_fields()
        cleared = frozenset(name for name, value in values.items() if value is None)
        return StandingRequest(**values, cleared=cleared, field_errors=self.field_errors)


class CreateStandingAddress(_RuleFields):
    """The body of POST /standing-addresses."""

    source_chain: SkipValidation[str] = chain_field(
        "The chain on which deposits come, of the EVM family.", "BASE_MAINNET"
    )
    destination_chain: SkipValidation[str] = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    recipient: SkipValidation[str] = field("Wallet of the recipient, for ever.", WALLET)
    recovery_address: SkipValidation[str] = field(
        "Wallet that gets back what is not paid out, for ever: yours on every EVM chain.",
        WALLET,
    )
    token_out: SkipValidation[str | None] = field(
        "Token address on the destination chain; its USDC by default.", USDC_ARBITRUM, default=None
    )
    tokens: SkipValidation[list[str] | None] = field(
        "Accepted tokens, worth the same as the payout token; by default its own symbol.",
        [USDC_BASE],
        default=None,
        extra={"items": {"type": "string"}, "maxItems": MAX_TOKENS},
    )


class ChangeStandingAddress(_RuleFields):
    """The body of PATCH /standing-addresses/{id}; fields that are left out stay, null clears."""

    active: OptionalFlag = field(
        "Whether deposits are paid out; false sends them to the recovery address.",
        True,
        default=None,
    )


class StandingAddressOut(Model):
    """One standing address."""

    id: str = field("Its identifier.", _ID)
    address: str = field("Where deposits are sent, for ever.", WALLET)
    client_id: str = field("Owning client.", _CLIENT)
    mode: str = field("Mode of the key that created it.", "test", extra={"enum": ["test", "live"]})
    source_chain: str = chain_field("The chain on which deposits come.", "BASE_MAINNET")
    destination_chain: str = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    token_out: str = field("Token address on the destination chain.", USDC_ARBITRUM)
    recipient: str = field("Wallet of the recipient.", WALLET)
    recovery_address: str = field("Wallet that gets back what is not paid out.", WALLET)
    tokens: list[str] = field("Addresses of the accepted tokens.", [USDC_BASE])
    minimum: IntegerString = field(f"The smallest deposit that is paid out. {_OUT}", "20000000")
    maximum: IntegerString | None = field(
        f"The largest deposit that is paid out; null for unlimited. {_OUT}", "5000000000"
    )
    max_fee_bps: int = field(
        "The fee never exceeds this part of a deposit and a tenth of the minimum.",
        100,
    )
    rules_since: str = field("From when these rules hold, by the time of a deposit's block.", TIME)
    active: bool = field("Whether deposits are paid out.", True)
    reference: str = field("Your own reference.", "customer-7")
    metadata: JsonObject = field("Your own data.", {"tier": "gold"})
    created_at: str = field("When it was created.", TIME)
    updated_at: str = field("When it last changed.", TIME)

    @classmethod
    def from_address(cls, address: StandingAddress) -> Self:
        """One standing address with its latest rules."""
        rules, terms = address.latest_rules, address.terms
        return cls(
            id=address.id,
            address=address.address,
            client_id=address.client_id,
            mode=address.mode.value,
            source_chain=address.source_chain,
            destination_chain=address.destination_chain,
            token_out=address.token_out,
            recipient=address.recipient,
            recovery_address=address.recovery,
            tokens=list(rules.tokens),
            minimum=str(rules.minimum),
            maximum=None if rules.maximum is None else str(rules.maximum),
            max_fee_bps=terms.max_fee_bps,
            rules_since=timestamp(rules.since),
            active=rules.active,
            reference=address.reference,
            metadata=raw_json(dict(address.metadata)),
            created_at=timestamp(address.created_at),
            updated_at=timestamp(address.updated_at),
        )


class StandingQuoteOut(Model):
    """What a deposit at a standing address would give its recipient now. Fees are in the smallest
    unit of `token`."""

    token: str = field("The deposited token.", USDC_BASE)
    amount: IntegerString = field("The deposit, in its smallest unit.", "50000000")
    payout_amount: IntegerString | None = field(
        f"What the recipient would get; null where no payment would be made. {_OUT}", "49930000"
    )
    reason: str = field("Why no payment would be made now; empty otherwise.", "")
    least_payout: IntegerString | None = field(
        f"Less is never paid out: a deposit whose fees leave less goes back. {_OUT}", "47500000"
    )
    fee: IntegerString | None = field("All fees.", "70000")
    app_fee: IntegerString | None = field("Of it, your own fee.", "0")
    network_fee: IntegerString | None = field(
        "Of it, what the networks cost, forwarding included.", "30000"
    )
    forwarding_fee: IntegerString | None = field(
        "Of it, what the transaction costs that moves the deposit to its intent.", "10000"
    )

    @classmethod
    def from_estimate(cls, estimate: DepositEstimate) -> Self:
        """The estimate of one deposit."""
        quote = estimate.quote
        if quote is None:
            nothing: dict[str, Any] = dict.fromkeys(
                ("payout_amount", "least_payout", "fee", "app_fee", "network_fee", "forwarding_fee")
            )
            named = {"token": estimate.token, "amount": str(estimate.amount)}
            return cls(**named, **nothing, reason=estimate.reason)
        costs = quote.costs
        return cls(
            token=estimate.token,
            amount=str(estimate.amount),
            payout_amount=str(quote.payout_amount),
            reason="",
            least_payout=str(estimate.least_payout),
            fee=str(costs.fees_units + costs.app_fee_units),
            app_fee=str(costs.app_fee_units),
            network_fee=str(costs.network_fee_units),
            forwarding_fee=str(estimate.forwarding_units),
        )


class StandingAddressPage(Model):
    """A page of standing addresses, newest first."""

    standing_addresses: list[StandingAddressOut] = Field(description="Those of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last one.", _ID)


class StandingDepositOut(Model):
    """One deposit at a standing address."""

    id: int = field("Record number.", RECORD)
    standing_address_id: str = field("The standing address.", _ID)
    address: str = field("Where it was sent.", WALLET)
    status: str = field(
        "How far it has got.",
        "FORWARDED",
        extra={"enum": [state.value for state in StandingState]},
    )
    reason: str = field("Why it waits or goes back; empty otherwise.", "")
    chain: str = chain_field("The chain on which it came.", "BASE_MAINNET")
    token: str = field("Token address.", USDC_BASE)
    amount: IntegerString = field("Its amount, in the token's smallest unit.", "50000000")
    sender: str = field("Who sent it.", WALLET)
    tx_hash: str = field("Its transaction.", _TX)
    tx_index: int = field("Which transfer of the transaction it is.", 0)
    block_height: int = field("The height of its block.", 23_000_000)
    intent_id: int | None = field("Record number of its intent; null without one.", RECORD)
    received_at: str = field("The time of its block.", TIME)
    created_at: str = field("When it was seen.", TIME)
    updated_at: str = field("When it last changed.", TIME)

    @classmethod
    def from_deposit(
        cls, ids: PublicIds, deposit: StandingDeposit, address: StandingAddress
    ) -> Self:
        """One deposit."""
        incoming, intent_id = deposit.incoming, deposit.intent_id
        return cls(
            id=ids.encode(RecordKind.STANDING_DEPOSIT, deposit.id),
            standing_address_id=address.id,
            address=address.address,
            status=deposit.state.value,
            reason=deposit.reason,
            chain=incoming.chain,
            token=incoming.token,
            amount=str(incoming.amount),
            sender=incoming.sender,
            tx_hash=incoming.tx_hash,
            tx_index=incoming.index,
            block_height=incoming.block_height,
            intent_id=None if intent_id is None else ids.encode(RecordKind.INTENT, intent_id),
            received_at=timestamp(incoming.at),
            created_at=timestamp(deposit.created_at),
            updated_at=timestamp(deposit.updated_at),
        )


class StandingDepositPage(Model):
    """A page of deposits at standing addresses, newest first."""

    standing_deposits: list[StandingDepositOut] = Field(description="Those of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last one.", str(RECORD))
