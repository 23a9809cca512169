"""Whether each payment ended, was paid once or not at all, and where each of its units is."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from benchmarks.campaign.facts import CALL, ChainTx, Facts, Row
from benchmarks.campaign.flows import (
    PARKED,
    Flows,
    flows_by_intent,
    is_bridged,
    is_parked,
    name_of,
    swap_of,
)

ENDED = ("COMPLETED", "EXPIRED", "REFUNDED")
OPEN_TXS = ("DUE", "SIGNED", "CONFIRMED")
RETURNS = ("REFUND", "RETURN_EXCESS")
INVENTORY_ENDED = ("CLOSED", "REFUSED", "RETURNED")
LOST, PAID_TWICE, UNENDED, BOOKS = "lost", "paid twice", "unended", "books"
Violation = tuple[str, str]


def check_payments(
    facts: Facts, unique_recipients: frozenset[str], refusing: frozenset[str]
) -> Iterator[Violation]:
    """Violations of all payments; `unique_recipients` belong to one payment each, and the work made
    those that are `refusing` refuse, at least for a while."""
    flows = flows_by_intent(facts)
    # The reason stands at the deposit, or at the return that was not worth its cost.
    dusty = {row["intent_id"] for row in facts.deposits if "Kept" in row["note"]}
    dusty |= {row["intent_id"] for row in facts.outbound_txs if "Kept" in row["reason"]}
    for intent in facts.intents:
        yield from _check_end(facts, intent)
        yield from _check_payout(facts, intent, flows[intent["id"]], unique_recipients)
        yield from _check_collected(facts, intent, flows[intent["id"]], refusing)
        yield from _check_deposit(facts, intent, flows[intent["id"]])
        yield from _check_rest(facts, intent, intent["id"] in dusty)
    yield from _check_transactions(facts)


def _check_end(facts: Facts, intent: Row) -> Iterator[Violation]:
    # What is parked waits for its recipient, however long.
    if intent["state"] not in ENDED and not is_parked(facts, intent):
        yield UNENDED, f"{name_of(intent)} never ended"


def _check_payout(
    facts: Facts, intent: Row, flows: Flows, unique_recipients: frozenset[str]
) -> Iterator[Violation]:
    """The recipient has the payout exactly once if it is completed, else nothing."""
    due = int(intent["payout_amount"]) if intent["state"] == "COMPLETED" else 0
    payouts = [units for _, to, _, units in flows.transfers["FILL"] if to == intent["recipient"]]
    if is_bridged(intent):
        payouts = flows.paid
    place = (intent["destination_chain"], intent["recipient"], intent["token_out"])
    paid = sum(payouts)
    if intent["recipient"] in unique_recipients:
        paid = facts.holdings.get(place, 0)
        if paid != sum(payouts):
            yield (
                BOOKS,
                f"{name_of(intent)}: {payouts} were paid out, its recipient has {paid}",
            )
    if paid > due or len(payouts) > 1:
        yield PAID_TWICE, f"{name_of(intent)}: its recipient got {payouts}, {due} is due"
    elif paid < due:
        yield LOST, f"{name_of(intent)}: its recipient got {paid} of {due}"


def _check_collected(
    facts: Facts, intent: Row, flows: Flows, refusing: frozenset[str]
) -> Iterator[Violation]:
    """What was collected went back, but for a payout."""
    completed = intent["state"] == "COMPLETED"
    is_used = completed or (is_bridged(intent) and is_parked(facts, intent))
    collected, settled, needed, network_fee = _collection(intent, flows)
    due = needed if is_used else 0
    if settled and not is_bridged(intent):
        # The network costs that a refusal caused are kept, as shown before paying. One that only a
        # simulation met is in no block.
        kept = intent["recipient"] in refusing and collected - settled == network_fee
        due = network_fee if flows.payout_refused or kept else due
    if collected - settled != due:
        # Too little for a payout that was made is the operator's.
        kind = BOOKS if completed and collected - settled < due else LOST
        yield kind, f"{name_of(intent)}: {collected} collected, {settled} back, {due} is due"
    repaid = completed and not is_bridged(intent)
    if repaid and len({t[1] for t in flows.transfers["REIMBURSE"]}) == 0:
        yield UNENDED, f"{name_of(intent)} was never reimbursed"


def _collection(intent: Row, flows: Flows) -> tuple[int, int, int, int]:
    """What the contract collected, how much of that went back, what a payout needs of it, and what
    a refused one costs; all in one token, which is what was bought where the operator's contract
    collects that."""
    bridger, payer, token = intent["bridger"], intent["refund_address"], intent["token_in"]
    swap, collected = swap_of(intent, flows), flows.sum("START", intent["address"], bridger, token)
    needed, network_fee = int(intent["deposit_amount"]), int(intent["network_fee_units"])
    if is_bridged(intent) and swap is not None:
        # What the contract's swap does not need goes back at once.
        change = flows.sum("START", bridger, payer, token)
        return collected, flows.returned + change, swap.spent, network_fee
    if is_bridged(intent):
        return collected, flows.returned, needed, network_fee
    if swap is not None:
        settled = flows.sum("REFUND", bridger, payer, swap.token)
        return swap.bought, settled, swap.output, swap.network_fee
    return collected, flows.sum("REFUND", bridger, payer, token), needed, network_fee


def _check_deposit(facts: Facts, intent: Row, flows: Flows) -> Iterator[Violation]:
    """What arrived was taken by the start, for the contract or for a swap, went back or lies
    there."""
    bridger, payer, swap = intent["bridger"], intent["refund_address"], swap_of(intent, flows)
    place = intent["source_chain"], intent["token_in"]
    takers, due = {bridger}, flows.sum("START", intent["address"], bridger, place[1])
    if swap is not None and not is_bridged(intent):
        takers, due = takers | swap.sellers, swap.spent
    for (chain, asset), units in flows.arrived.items():
        left = flows.left[chain, asset]
        taken = sum(n for to, n in left if to in takers)
        back = sum(n for to, n in left if to == payer)
        lies = facts.holdings.get((chain, intent["address"], asset), 0)
        if units != taken + back + lies:
            yield (
                LOST,
                f"{name_of(intent)}: {units} of {asset} arrived on {chain}, {taken} taken, "
                f"{back} back, {lies} there",
            )
        if taken and ((chain, asset) != place or taken != due):
            yield BOOKS, f"{name_of(intent)}: {taken} of {asset} taken on {chain}"


def _check_rest(facts: Facts, intent: Row, has_dust: bool) -> Iterator[Violation]:
    """The books know what lies at the address, and why."""
    booked: dict[tuple[str, str], int] = defaultdict(int)
    mine = facts.balances_by_intent.get(intent["id"], {})
    for (account, chain, token), units in mine.items():
        if account in ("held", "dust"):
            booked[chain, token] += units
        if account == "held" and units:
            yield LOST, f"{name_of(intent)} still holds {units} of {token} on {chain}"
        has_bridge = is_bridged(intent) or intent["id"] in facts.inventory_transfers
        if account in ("in_transit", "crossed") and units and not has_bridge:
            yield BOOKS, f"{name_of(intent)}: {units} of {token} in {account} without a bridge"
        if account == "in_transit" and units:
            yield LOST, f"{name_of(intent)}: {units} of {token} are still in transit"
        if account == "escrow" and units:
            yield (
                LOST,
                f"{name_of(intent)}: {units} of {token} collected and neither paid nor back",
            )
        if account == "dust" and (units < 0 or not has_dust):
            yield BOOKS, f"{name_of(intent)}: {units} of {token} are dust without a reason"
    yield from _check_inventory(facts, intent)
    for (chain, token), units in booked.items():
        lies = facts.holdings.get((chain, intent["address"], token), 0)
        if lies != units:
            yield (
                BOOKS,
                f"{name_of(intent)}: {lies} of {token} on {chain}, the books have {units}",
            )
    if int(intent["balance_at_address"]) != mine.get(
        ("held", intent["source_chain"], intent["token_in"]), 0
    ):
        yield BOOKS, f"{name_of(intent)}: its record has {intent['balance_at_address']}"


def _check_inventory(facts: Facts, intent: Row) -> Iterator[Violation]:
    """The books have what bridges moved of the inventory for it where it arrived."""
    mine = facts.balances_by_intent.get(intent["id"], {})
    for row in facts.inventory_transfers.get(intent["id"], ()):
        if row["state"] not in INVENTORY_ENDED:
            yield UNENDED, f"{name_of(intent)}: inventory transfer {row['id']} is {row['state']}"
        place = row["destination_chain"], row["destination_token"]
        units = int(row["amount"]) if row["state"] == "CLOSED" else 0
        if place[0] and mine.get(("crossed", *place), 0) != -units:
            yield BOOKS, f"{name_of(intent)}: {units} of inventory arrived, the books differ"


def _check_transactions(facts: Facts) -> Iterator[Violation]:
    names = {row["id"]: name_of(row) for row in facts.intents}
    for row in facts.outbound_txs:
        stuck = row["state"] in OPEN_TXS or (row["state"] == "FAILED" and row["kind"] in RETURNS)
        waits = row["kind"] == "RELEASE" and facts.transfer_states.get(row["intent_id"]) == PARKED
        if stuck and not waits:
            name = names.get(row["intent_id"], "no payment")
            reason = row["reason"][:200]
            yield UNENDED, f"{name}: {row['kind']} {row['id']} is {row['state']}: {reason}"
    for row in facts.deposits:
        if row["state"] == "SEEN":
            yield UNENDED, f"{names[row['intent_id']]}: deposit {row['id']} was never credited"
        elif row["awaiting_return"]:
            yield UNENDED, f"{names[row['intent_id']]}: deposit {row['id']} was never returned"
    for row in facts.orders:
        if row["state"] in ("PENDING", "INITIATED", "PROCESSING"):
            yield UNENDED, f"ramp order {row['id']} is {row['state']}"


def elsewhere(facts: Facts) -> int:
    """How many balances lie on other chains, where they wait for an operator to look."""
    home = {row["address"]: row["source_chain"] for row in facts.intents}
    return sum(home.get(address, chain) != chain for chain, address, _ in facts.holdings)


def operator_txs(facts: Facts) -> Iterable[ChainTx]:
    """The transactions that the service sent."""
    return (tx for tx in facts.transactions if tx.kind == CALL)
