"""Whether each payment ended, was paid once or not at all, and where each of its units is."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from benchmarks.campaign.facts import CALL, DEPOSIT, ChainTx, Facts, Row

ENDED = ("COMPLETED", "EXPIRED", "REFUNDED")
OPEN_TXS = ("DUE", "SIGNED", "CONFIRMED")
RETURNS = ("REFUND", "RETURN_EXCESS")
PARKED = "PARKED"
LOST, PAID_TWICE, UNENDED, BOOKS = "lost", "paid twice", "unended", "books"
Violation = tuple[str, str]


@dataclass
class Flows:
    """What moved for one payment on the chains: the operator's transfers by purpose as
    (source, to, token, units), and by (chain, token) what arrived at its address and left it.
    `paid` is what its recipient got of anybody, `returned` what came back to its address of what
    had been collected. `payout_refused`: the chain says that the recipient can never be paid."""

    transfers: dict[str, list[tuple[str, str, str, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    arrived: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    left: dict[tuple[str, str], list[tuple[str, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    paid: list[int] = field(default_factory=list)
    returned: int = 0
    payout_refused: bool = False

    def sum(self, purpose: str, source: str, to: str, token: str) -> int:
        """The units that transactions of one purpose moved between two addresses."""
        return sum(
            units for s, t, k, units in self.transfers[purpose] if (s, t, k) == (source, to, token)
        )


def check_payments(facts: Facts, unique_recipients: frozenset[str]) -> Iterator[Violation]:
    """Violations of all payments; `unique_recipients` belong to one payment each."""
    flows = flows_by_intent(facts)
    # The reason stands at the deposit, or at the return that was not worth its cost.
    dusty = {row["intent_id"] for row in facts.deposits if "Kept" in row["note"]}
    dusty |= {row["intent_id"] for row in facts.outbound_txs if "Kept" in row["reason"]}
    for intent in facts.intents:
        yield from _check_end(facts, intent)
        yield from _check_payout(facts, intent, flows[intent["id"]], unique_recipients)
        yield from _check_deposit(facts, intent, flows[intent["id"]])
        yield from _check_rest(facts, intent, intent["id"] in dusty)
    yield from _check_transactions(facts)


def flows_by_intent(facts: Facts) -> Mapping[int, Flows]:
    """What moved for each payment, from the transactions in blocks alone."""
    flows: dict[int, Flows] = defaultdict(Flows)
    by_hash = {row["intent_hash"]: row["id"] for row in facts.intents}
    by_address = {row["address"]: row["id"] for row in facts.intents}
    by_recipient = {
        (row["destination_chain"], row["recipient"], row["token_out"]): row["id"]
        for row in facts.intents
    }
    for tx in facts.transactions:
        for move in tx.moved:
            if (number := by_recipient.get((tx.chain, move.to, move.token))) is not None:
                flows[number].paid.append(move.units)
            if (number := by_address.get(move.to)) is not None:
                flows[number].arrived[tx.chain, move.token] += move.units
                if tx.kind != DEPOSIT:
                    flows[number].returned += move.units
            if tx.kind != CALL:
                continue
            if (number := by_address.get(move.source)) is not None:
                flows[number].left[tx.chain, move.token].append((move.to, move.units))
            if (number := by_hash.get(tx.intent_hash)) is not None:
                flows[number].transfers[tx.purpose].append(move)
        if tx.purpose == "FILL" and tx.refused and tx.intent_hash in by_hash:
            flows[by_hash[tx.intent_hash]].payout_refused = True
    return flows


def _check_end(facts: Facts, intent: Row) -> Iterator[Violation]:
    # What is parked waits for its recipient, however long.
    is_parked = facts.transfer_states.get(intent["id"]) == PARKED
    if intent["state"] not in ENDED and not is_parked:
        yield UNENDED, f"{_name(intent)} never ended"


def _check_payout(
    facts: Facts, intent: Row, flows: Flows, unique_recipients: frozenset[str]
) -> Iterator[Violation]:
    """The recipient has the payout exactly once if it is completed, else nothing."""
    due = int(intent["payout_amount"]) if intent["state"] == "COMPLETED" else 0
    payouts = [units for _, to, _, units in flows.transfers["FILL"] if to == intent["recipient"]]
    if _is_bridged(intent):
        payouts = flows.paid
    place = (intent["destination_chain"], intent["recipient"], intent["token_out"])
    paid = sum(payouts)
    if intent["recipient"] in unique_recipients:
        paid = facts.holdings.get(place, 0)
        if paid != sum(payouts):
            yield BOOKS, f"{_name(intent)}: {payouts} were paid out, its recipient has {paid}"
    if paid > due or len(payouts) > 1:
        yield PAID_TWICE, f"{_name(intent)}: its recipient got {payouts}, {due} is due"
    elif paid < due:
        yield LOST, f"{_name(intent)}: its recipient got {paid} of {due}"


def _is_bridged(intent: Row) -> bool:
    return bool(intent["custody"] == "BRIDGE")


def _check_deposit(facts: Facts, intent: Row, flows: Flows) -> Iterator[Violation]:
    """What arrived was collected, went back or lies there; it is collected for a payout alone."""
    bridger, token, source = intent["bridger"], intent["token_in"], intent["source_chain"]
    payer, completed = intent["refund_address"], intent["state"] == "COMPLETED"
    collected = flows.sum("START", intent["address"], bridger, token)
    settled = flows.sum("REFUND", bridger, payer, token)
    due = int(intent["deposit_amount"]) if completed else 0
    if _is_bridged(intent):
        settled = flows.returned
        is_parked = facts.transfer_states.get(intent["id"]) == PARKED
        due = int(intent["deposit_amount"]) if completed or is_parked else 0
    if settled and flows.payout_refused:
        # The network costs that the refusal caused, as shown before paying.
        due = int(intent["network_fee_units"])
    if collected - settled != due:
        kind = LOST if not completed else BOOKS
        yield kind, f"{_name(intent)}: {collected} collected, {settled} back, {due} is due"
    repaid = completed and not _is_bridged(intent)
    if repaid and len({t[1] for t in flows.transfers["REIMBURSE"]}) == 0:
        yield UNENDED, f"{_name(intent)} was never reimbursed"
    for (chain, asset), units in flows.arrived.items():
        left = flows.left[chain, asset]
        to_bridger = sum(n for to, n in left if to == bridger)
        back = sum(n for to, n in left if to == payer)
        lies = facts.holdings.get((chain, intent["address"], asset), 0)
        if units != to_bridger + back + lies:
            yield (
                LOST,
                f"{_name(intent)}: {units} of {asset} arrived on {chain}, {to_bridger} collected, "
                f"{back} back, {lies} there",
            )
        if to_bridger and (chain, asset, to_bridger) != (source, token, collected):
            yield BOOKS, f"{_name(intent)}: {to_bridger} of {asset} collected on {chain}"


def _check_rest(facts: Facts, intent: Row, has_dust: bool) -> Iterator[Violation]:
    """The books know what lies at the address, and why."""
    booked: dict[tuple[str, str], int] = defaultdict(int)
    mine = facts.balances_by_intent.get(intent["id"], {})
    for (account, chain, token), units in mine.items():
        if account in ("held", "dust"):
            booked[chain, token] += units
        if account == "held" and units:
            yield LOST, f"{_name(intent)} still holds {units} of {token} on {chain}"
        if account in ("in_transit", "crossed") and units and not _is_bridged(intent):
            yield BOOKS, f"{_name(intent)}: {units} of {token} in {account} without a bridge"
        if account == "in_transit" and units:
            yield LOST, f"{_name(intent)}: {units} of {token} are still in transit"
        if account == "escrow" and units:
            yield LOST, f"{_name(intent)}: {units} of {token} collected and neither paid nor back"
        if account == "dust" and (units < 0 or not has_dust):
            yield BOOKS, f"{_name(intent)}: {units} of {token} are dust without a reason"
    for (chain, token), units in booked.items():
        lies = facts.holdings.get((chain, intent["address"], token), 0)
        if lies != units:
            yield BOOKS, f"{_name(intent)}: {lies} of {token} on {chain}, the books have {units}"
    if int(intent["balance_at_address"]) != mine.get(
        ("held", intent["source_chain"], intent["token_in"]), 0
    ):
        yield BOOKS, f"{_name(intent)}: its record has {intent['balance_at_address']}"


def _check_transactions(facts: Facts) -> Iterator[Violation]:
    names = {row["id"]: _name(row) for row in facts.intents}
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


def _name(intent: Row) -> str:
    return f"payment {intent['id']} ({intent['state']}, {intent['metadata'][:60]})"
