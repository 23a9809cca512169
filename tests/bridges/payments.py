"""Payments over CCTP for tests that need no service and no chain: intents, transfers, messages."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from crossway.adapters.bridges.cctp.networks import cctp_contracts
from crossway.adapters.chains.evm.contracts import chain_deployment
from crossway.adapters.chains.intent_hash import dest_terms, hash_terms, source_terms
from crossway.adapters.chains.words import address_word
from crossway.catalogue import load_catalogue
from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState, Custody
from crossway.domain.costs import Costs
from crossway.domain.intent import Intent, State, Terms
from tests.bridges.messages import FAST, with_field

CATALOGUE = load_catalogue()
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
BRIDGES = chain_deployment(CATALOGUE.chains[BASE]).bridges
FAST_BRIDGE, STANDARD_BRIDGE = BRIDGES["CCTP_FAST"], BRIDGES["CCTP_STANDARD"]
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PERSON = "0x000000000000000000000000000000000000c0dE"
AMOUNT, FEE = 25_000_000, 80_000


def sent_intent(number: int, total: int = AMOUNT + FEE, fee: int = FEE) -> Intent:
    """A payment of USDC from Base to Arbitrum, whose deposit is sent by fast messages."""
    terms = Terms(
        nonce=number,
        source_chain=BASE,
        destination_chain=ARBITRUM,
        token_in=CATALOGUE.tokens[BASE, "USDC"].address,
        token_out=CATALOGUE.tokens[ARBITRUM, "USDC"].address,
        deposit_amount=total,
        payout_amount=total - fee,
        recipient=PERSON,
        refund_address=PERSON,
        bridge="CCTP",
        expires_at=NOW + timedelta(hours=1),
    )
    hashes = hash_terms(CATALOGUE, terms, FAST_BRIDGE, PERSON)
    fields: dict[str, Any] = {
        **dict.fromkeys(("address", "destination_address", "sender", "coordinator"), PERSON),
        **dict.fromkeys(("amount_symbol", "asset_symbol", "out_symbol"), "USDC"),
        **dict.fromkeys(("asset_decimals", "out_decimals"), 6),
        **dict.fromkeys(("received_amount", "balance_at_address", "settle_seconds"), 0),
        **dict.fromkeys(("relayer_claimed", "needs_relay"), False),
        **dict.fromkeys(("created_at", "updated_at"), NOW),
        **dict.fromkeys(("deposit_token_account", "payment_link_id", "tx_hash"), None),
    }
    return Intent(
        id=number,
        client_id="c-1",
        mode="LIVE",
        intent_hash="0x" + hashes.intent_hash.hex(),
        terms=terms,
        costs=Costs(total - fee, 0, fee, 0, fee, 0),
        requested_amount=total - fee,
        slippage="0",
        bridge_data="0x",
        bridger=FAST_BRIDGE,
        metadata={},
        state=State.INITIATED,
        relayer="",
        custody=Custody.BRIDGE,
        **fields,
    )


def burn_message(intent: Intent, **changes: int) -> bytes:
    """The message that our contract has Circle's emit for a payment, with these fields changed."""
    terms = intent.terms
    source, destination = (
        CATALOGUE.chains[chain] for chain in (terms.source_chain, terms.destination_chain)
    )
    messenger = _number(cctp_contracts(source.testnet).token_messenger)
    bridger, total = _number(intent.bridger), terms.deposit_amount
    fields = {
        "version": 1,
        "body_version": 1,
        "source_domain": source.cctp_domain or 0,
        "destination_domain": destination.cctp_domain or 0,
        "sender": messenger,
        "recipient": messenger,
        "destination_caller": bridger,
        "mint_recipient": bridger,
        "message_sender": bridger,
        "min_finality": FAST,
        "burn_token": _number(terms.token_in),
        "amount": total,
        "max_fee": min(total - terms.payout_amount, total // 500),
    }
    message = bytes(376)
    for name, value in (fields | changes).items():
        message = with_field(message, name, value)
    hook = source_terms(CATALOGUE, terms, intent.bridger, intent.coordinator).encode()
    return message + hook + dest_terms(CATALOGUE, terms).encode()


def transfer(intent: Intent, **changes: Any) -> BridgeTransfer:
    """The bridge transfer of a payment whose deposit was sent."""
    sent = BridgeTransfer(
        intent_id=intent.id,
        bridge="CCTP",
        source_chain=intent.terms.source_chain,
        destination_chain=intent.terms.destination_chain,
        state=BridgeTransferState.SEEN,
        reason="",
        message_id="",
        source_tx="",
        destination_tx="",
        sent_message=b"",
        message=b"",
        attestation=b"",
        sent_at=NOW,
        expected_at=NOW,
        next_at=NOW,
        ask_at=NOW,
        poll_count=0,
        updated_at=NOW,
    )
    return replace(sent, **changes)


def _number(address: str) -> int:
    return int.from_bytes(address_word("evm", address), "big")
