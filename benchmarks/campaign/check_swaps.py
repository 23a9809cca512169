"""Whether each swap bought what its terms say, for no more than the deposit, and is booked so."""

from collections import defaultdict
from collections.abc import Iterator

from benchmarks.campaign.check_payments import BOOKS, LOST, Violation
from benchmarks.campaign.facts import Facts, Row
from benchmarks.campaign.flows import (
    Swap,
    flows_by_intent,
    is_bridged,
    is_parked,
    name_of,
    swap_of,
)


def check_swaps(facts: Facts) -> Iterator[Violation]:
    """Violations of all swaps; `check_payments` follows the rest of the deposit and the refunds."""
    flows, sellers = flows_by_intent(facts), defaultdict[str, set[str]](set)
    for intent in facts.intents:
        swap = swap_of(intent, flows[intent["id"]])
        yield from _check_booked(facts, intent, swap)
        if swap is not None:
            sellers[intent["source_chain"]] |= swap.sellers
            yield from _check_trade(facts, intent, swap)
    for chain, addresses in sellers.items():
        if len(addresses) > 1:
            yield BOOKS, f"swaps on {chain} were made with {sorted(addresses)}"


def _check_trade(facts: Facts, intent: Row, swap: Swap) -> Iterator[Violation]:
    name, deposit = name_of(intent), int(intent["deposit_amount"])
    is_due = intent["state"] == "COMPLETED" or is_parked(facts, intent)
    if (is_due or swap.spent or swap.bought) and swap.bought != swap.output:
        yield LOST, f"{name}: its swap bought {swap.bought} of {swap.output}"
    if swap.spent > deposit:
        yield LOST, f"{name}: its swap took {swap.spent}, its deposit is {deposit}"
    if swap.bought and not swap.spent:
        yield BOOKS, f"{name}: its swap bought {swap.bought} for nothing"
    if is_bridged(intent) and swap.sent != swap.bought:
        yield LOST, f"{name}: of {swap.bought} that were bought, {swap.sent} went into the bridge"


def _check_booked(facts: Facts, intent: Row, swap: Swap | None) -> Iterator[Violation]:
    """The account between the two tokens has what the chain says of this payment."""
    source, moved = intent["source_chain"], dict[tuple[str, str], int]()
    if swap is not None:
        moved = {(source, intent["token_in"]): swap.spent, (source, swap.token): -swap.bought}
    booked = {
        (chain, token): units
        for (account, chain, token), units in facts.balances_by_intent.get(intent["id"], {}).items()
        if account == "exchanged"
    }
    if booked != {place: units for place, units in moved.items() if units}:
        yield BOOKS, f"{name_of(intent)}: {moved} were exchanged, the books have {booked}"
