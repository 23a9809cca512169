"""What moved for each payment on the chains, from the transactions in blocks alone."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.campaign.facts import CALL, DEPOSIT, Facts, Row

PARKED = "PARKED"
NOWHERE = ""


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


@dataclass(frozen=True, slots=True)
class Swap:
    """The swap of a payment. Its terms say that the start buys `output` units of `token`, and how
    many of them a refused payout costs. The rest is what the chains say of the start: who sold it,
    how much of the deposit they got, how much was bought, and how much of that was `sent` to who
    burnt it, as the one bridge does that carries what was swapped."""

    token: str
    output: int
    network_fee: int
    sellers: frozenset[str]
    spent: int
    bought: int
    sent: int


def flows_by_intent(facts: Facts) -> Mapping[int, Flows]:
    """What moved for each payment."""
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


def swap_of(intent: Row, flows: Flows) -> Swap | None:
    """The swap of a payment; None where its deposit is not swapped."""
    if not intent["swap"]:
        return None
    terms, bridger = json.loads(intent["swap"]), intent["bridger"]
    token, starts = terms["token"], flows.transfers["START"]
    moved = [(source, to, units) for source, to, asset, units in starts if asset == token]
    sellers = frozenset(source for source, to, _ in moved if to == bridger and source)
    burners = {source for source, to, _ in moved if to == NOWHERE}
    return Swap(
        token,
        int(terms["output"]),
        int(terms["network_fee_units"]),
        sellers,
        sum(n for _, to, asset, n in starts if to in sellers and asset == intent["token_in"]),
        sum(units for _, to, units in moved if to == bridger),
        sum(units for source, to, units in moved if source == bridger and to in burners),
    )


def is_bridged(intent: Row) -> bool:
    """Whether the contract of a bridge has its deposit, and not the operator."""
    return bool(intent["custody"] == "BRIDGE")


def is_parked(facts: Facts, intent: Row) -> bool:
    """Whether a bridge carried it and its recipient cannot be paid yet."""
    return facts.transfer_states.get(intent["id"]) == PARKED


def name_of(intent: Row) -> str:
    """The payment, in sentences."""
    return f"payment {intent['id']} ({intent['state']}, {intent['metadata'][:60]})"
