"""What only a coordinator and its agents may have carried out, and whether the relayer is one."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import (
    INVENTORY_KINDS,
    STANDING_KINDS,
    OutboundTx,
    OutboundTxKind,
)
from crossway.domain.quotes import BridgeName
from crossway.engine.outbound_decision import Decision
from crossway.ports.chain import Chain
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.services import Services
from crossway.usecases.chains.agents import agent_alert_key
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payments.redirects import (
    COORDINATOR_ALERT,
    describe_wait,
    is_left_to_coordinator,
)
from crossway.usecases.payments.standing_calls import find_standing_coordinators

_RETRY: Final = timedelta(minutes=1)
# Below the time after which a return counts as overdue.
_COORDINATOR_RETRY: Final = timedelta(minutes=5)
K = OutboundTxKind


def describe_missing_agent(services: Services, chain: str, coordinator: str) -> str:
    """What is missing where the relayer on a chain is no agent, and what to do."""
    limited = services.chains[chain].accounts.reclaim_seconds
    payees = " and registered relayer and treasury as payees" if limited else ""
    return (
        f"On {chain_name(services, chain)} the coordinator {coordinator} has not named the relayer "
        f"its agent{payees}, or has revoked it: nothing can be settled there, and no payment is "
        "started. "
        f"Run crossway contracts agent --chain {chain}, and have the coordinator sign what it "
        "prints."
    )


def read_authorized(services: Services, chain: Chain, txs: Sequence[OutboundTx]) -> set[str]:
    """The coordinators of these transactions' payments for whom the relayer may act on a chain, as
    far as one of them asks for it. Raises `Unreachable`."""
    if not chain.accounts.redirect_seconds:
        return set()
    without = (K.FILL, K.SKIP_NONCE, *INVENTORY_KINDS, *STANDING_KINDS)
    asked = [tx for tx in txs if tx.kind not in without]
    with services.store.read() as unit:
        intents = unit.intents.get_many({tx.intent_id for tx in asked})
        coordinators = find_standing_coordinators(unit, txs)
    coordinators -= {c for c in coordinators if chain.accounts.is_coordinator(c)}
    coordinators |= {
        intents[tx.intent_id].coordinator
        for tx in asked
        if _needs_agent(tx, intents[tx.intent_id], chain.accounts)
    }
    return chain.authorized(coordinators) if coordinators else set()


def wait_for_agent(
    services: Services,
    tx: OutboundTx,
    intent: Intent,
    accounts: ChainAddresses,
    authorized: Collection[str],
) -> Decision | None:
    """The decision to wait where the relayer is not an agent of the payment's coordinator."""
    if not _needs_agent(tx, intent, accounts) or intent.coordinator in authorized:
        return None
    return Decision(
        wait_reason=describe_missing_agent(services, tx.chain, intent.coordinator),
        wait_until=services.clock.now() + _RETRY,
        alert_key=agent_alert_key(tx.chain, intent.coordinator),
    )


def wait_for_coordinator(
    services: Services, tx: OutboundTx, intent: Intent, accounts: ChainAddresses
) -> Decision | None:
    """The decision to wait where only the coordinator itself can send a redirected refund."""
    if not is_left_to_coordinator(tx, intent, accounts):
        return None
    return Decision(
        wait_reason=describe_wait(tx, intent, accounts),
        wait_until=services.clock.now() + _COORDINATOR_RETRY,
        alert_key=f"{COORDINATOR_ALERT}:{tx.id}",
    )


def anyone_may_send(intent: Intent) -> bool:
    """Whether a bridge's contract leaves nothing to choose to whoever sends a deposit over it."""
    over_cctp = intent.custody is Custody.BRIDGE and intent.terms.bridge == BridgeName.CCTP
    return over_cctp and intent.swap is None


def _needs_agent(tx: OutboundTx, intent: Intent, accounts: ChainAddresses) -> bool:
    if accounts.is_coordinator(intent.coordinator):
        return False
    match tx.kind:
        case K.START:
            # Anyone may start, but what was collected could not leave the escrow. One that is sent
            # again after a reorg belongs to a payout that was made.
            return intent.state is State.FUNDED and not anyone_may_send(intent)
        case K.GIVE_BACK:
            # From its expiry on, anyone may have it given back.
            return intent.state is State.FUNDED
        case K.REIMBURSE:
            return True
        case K.REFUND | K.RETURN_EXCESS:
            return tx.amount is not None or tx.chain != intent.terms.source_chain
    return False
