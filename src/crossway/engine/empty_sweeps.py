"""Refunds that found nothing to move: whether somebody had started the payment."""

from collections.abc import Sequence
from dataclasses import replace

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, State
from crossway.domain.outbound_call import start_marker
from crossway.engine.tx_settlement import DecidedTx
from crossway.ports.chain import NOTHING_TO_MOVE, Chain
from crossway.ports.services import Services


def mark_started(services: Services, chain: Chain, decided: Sequence[DecidedTx]) -> list[DecidedTx]:
    """Mark the transactions that found an empty deposit address because somebody had started the
    payment: before they were signed, nodes that were behind did not tell. Raises `Unreachable`."""
    empty = {d.tx.intent_id for d in decided if d.included.reason == NOTHING_TO_MOVE}
    if not empty:
        return list(decided)
    with services.store.read() as unit:
        intents = unit.intents.get_many(empty)
    expired = [i for i in intents.values() if i.state is State.EXPIRED]
    started = _find_started(services, chain, expired)
    return [
        replace(d, was_started=d.tx.intent_id in started and d.tx.intent_id in empty)
        for d in decided
    ]


def _find_started(services: Services, chain: Chain, intents: Sequence[Intent]) -> set[int]:
    """Those whose deposit was collected and has not come back from a bridge's contract."""
    here = {start_marker(i): i for i in intents if i.terms.source_chain == chain.id}
    if not here:
        return set()
    started = [here[marker] for marker in chain.executed(here)]
    returned: set[int] = set()
    for bridger in {i.bridger for i in started if i.custody is Custody.BRIDGE}:
        by_hash = {i.intent_hash: i for i in started if i.bridger == bridger}
        states = services.bridge_ends[chain.id].contract_states(bridger, by_hash)
        returned |= {by_hash[name].id for name, state in states.items() if state.given_back}
    return {intent.id for intent in started} - returned
