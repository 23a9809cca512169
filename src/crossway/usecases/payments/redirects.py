"""Redirected refunds that the coordinator has to send itself, as its key is not the relayer's."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.intent import Intent
from crossway.domain.outbound import SWEEP_KINDS, OutboundTx, OutboundTxState
from crossway.domain.outbound_call import refund_call
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.chain_calls import PublicCall
from crossway.ports.services import Services

COORDINATOR_ALERT: Final = "coordinator"
"""The kind of alert about a refund that the coordinator has to send; its key has the
transaction."""


@dataclass(frozen=True, slots=True)
class CoordinatorCall:
    """What a coordinator signs with a wallet of its own to send a redirected refund to another
    address, from `open_from` on. `call` is None where the payment has other contracts than the
    ones in use."""

    chain: str
    chain_id: str
    coordinator: str
    to_address: str
    open_from: datetime
    call: PublicCall | None


def is_redirected(tx: OutboundTx, intent: Intent) -> bool:
    """Whether this sends what lies at the deposit address elsewhere than to the refund address."""
    is_sweep = tx.kind in SWEEP_KINDS and tx.amount is None
    return is_sweep and tx.to_address != intent.terms.refund_address


def can_redirect(tx: OutboundTx, intent: Intent) -> bool:
    """Whether a person may choose another address for this: it failed, or waits after they did."""
    if tx.kind not in SWEEP_KINDS:
        return False
    return tx.state is OutboundTxState.FAILED or (
        tx.state is OutboundTxState.DUE and is_redirected(tx, intent)
    )


def is_left_to_coordinator(tx: OutboundTx, intent: Intent, accounts: ChainAddresses) -> bool:
    """Whether contracts let only another account than the relayer send this."""
    return is_redirected(tx, intent) and not accounts.is_coordinator(intent.coordinator)


def describe_wait(tx: OutboundTx, intent: Intent, accounts: ChainAddresses) -> str:
    """Why a redirected refund waits for the coordinator, and what to do."""
    return (
        f"Only the coordinator {intent.coordinator} can send what payment {intent.id} left to "
        f"{tx.to_address}, from {_open_from(intent, accounts):%Y-%m-%d %H:%M} UTC on: the "
        "payment's page has the call that it signs."
    )


def list_coordinator_calls(
    services: Services, intent: Intent, outbound_txs: Sequence[OutboundTx]
) -> list[CoordinatorCall]:
    """What the coordinator has to sign for a payment."""
    return [
        _coordinator_call(services, intent, tx)
        for tx in outbound_txs
        if tx.state is OutboundTxState.DUE
        and tx.chain in services.chains
        and is_left_to_coordinator(tx, intent, services.chains[tx.chain].accounts)
    ]


def _coordinator_call(services: Services, intent: Intent, tx: OutboundTx) -> CoordinatorCall:
    chain, call = services.chains[tx.chain], None
    action = refund_call(intent, tx.chain, tx.token, intent.coordinator)
    outputs = tuple(replace(output, to=tx.to_address) for output in action.outputs)
    # The payment may have been created with contracts that have been replaced since.
    with suppress(ValueError):
        call = chain.public_call(replace(action, outputs=outputs))
    return CoordinatorCall(
        tx.chain,
        services.catalogue.chains[tx.chain].chain_id,
        intent.coordinator,
        tx.to_address,
        _open_from(intent, chain.accounts),
        call,
    )


def _open_from(intent: Intent, accounts: ChainAddresses) -> datetime:
    return intent.terms.expires_at + timedelta(seconds=accounts.redirect_seconds)
