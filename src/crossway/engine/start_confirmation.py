"""How many confirmations a start needs before the payout: few where its deposit has enough."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from crossway.domain.deposits import DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.chain import ChainHead, IncludedTx
from crossway.ports.records import InFlightTx
from crossway.ports.services import Services

START_CONFIRMATIONS: Final = 2
MAX_MICRO_USD: Final = 1_000_000_000
"""Payments of more wait for the full depth of their start, too."""
REPEAT_MARGIN: Final = timedelta(minutes=15)
"""Time until expiry in which a start that a reorg removed is surely included again."""


def find_backed_starts(
    services: Services,
    chain_id: str,
    head: ChainHead,
    included: Sequence[tuple[InFlightTx, IncludedTx]],
) -> set[int]:
    """The ids of starts that are confirmed because their deposits are as deep as their value asks
    for: see decision 46. The others wait for the full depth themselves."""
    young = [
        tx
        for tx, status in included
        if tx.kind is OutboundTxKind.START
        and head.height - status.block_height >= START_CONFIRMATIONS
    ]
    if not young:
        return set()
    chain, ids = services.catalogue.chains[chain_id], {tx.intent_id for tx in young}
    with services.store.read() as unit:
        intents, deposits = unit.intents.get_many(ids), unit.deposits.list_by_intents(ids)
        usd_values = unit.intents.get_usd_values(ids)
    depth_of = {i: chain.confirmations.depth_for_value(value) for i, value in usd_values.items()}
    deep: dict[int, int] = defaultdict(int)
    for deposit in deposits:
        intent, incoming = intents[deposit.intent_id], deposit.incoming
        is_deep = head.height - incoming.block_height >= depth_of[intent.id]
        location = (incoming.chain, incoming.token)
        if (
            deposit.state is DepositState.CREDITED
            and is_deep
            and location == (intent.terms.source_chain, intent.terms.token_in)
        ):
            deep[intent.id] += incoming.amount
    return {
        tx.id
        for tx in young
        if _is_backed(head, intents[tx.intent_id], usd_values[tx.intent_id], deep)
    }


def find_sends(services: Services, included: Sequence[tuple[InFlightTx, IncludedTx]]) -> set[int]:
    """The ids of starts that sent their deposits over a bridge. These need no confirmations: what
    is sent goes away together with its deposit, and the bridge waits for as many as it needs."""
    starts = {tx.intent_id: tx.id for tx, _ in included if tx.kind is OutboundTxKind.START}
    if not starts:
        return set()
    with services.store.read() as unit:
        return {starts[intent_id] for intent_id in unit.intents.find_over_bridges(starts.keys())}


def _is_backed(head: ChainHead, intent: Intent, usd_value: int, deep: Mapping[int, int]) -> bool:
    repeatable = head.time + REPEAT_MARGIN <= intent.terms.expires_at
    funded = deep[intent.id] >= intent.terms.deposit_amount
    is_small = usd_value <= MAX_MICRO_USD
    return is_small and repeatable and funded and intent.state is State.FUNDED
