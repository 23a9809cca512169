"""Whether the books balance and agree with every chain to the unit."""

from collections import defaultdict
from collections.abc import Iterator

from benchmarks.campaign.check_payments import BOOKS, Violation, operator_txs
from benchmarks.campaign.facts import DEPOSIT, OUTSIDE, SET_BALANCE, Facts, Holding

CHAIN = "chain"
FIAT = "fiat:"


def check_books(facts: Facts) -> Iterator[Violation]:
    """Violations of the books as a whole."""
    yield from _check_replay(facts)
    yield from _check_sums(facts)
    yield from _check_deposit_addresses(facts)
    yield from _check_own_accounts(facts)
    yield from _check_fees(facts)


def _check_replay(facts: Facts) -> Iterator[Violation]:
    """Opening balances and transactions explain every balance: the evidence itself is sound."""
    replayed, natives = defaultdict(int, facts.opening), facts.natives()
    for tx in facts.transactions:
        if tx.account:
            replayed[tx.chain, tx.account, natives[tx.chain]] -= tx.fee
        for move in tx.moved:
            if move.source and tx.kind != DEPOSIT:
                replayed[tx.chain, move.source, move.token] -= move.units
            if move.to:
                replayed[tx.chain, move.to, move.token] += move.units
    for place in replayed.keys() | facts.holdings.keys():
        if replayed[place] != facts.holdings.get(place, 0):
            yield CHAIN, f"{place} has {facts.holdings.get(place, 0)}, replayed {replayed[place]}"


def _check_sums(facts: Facts) -> Iterator[Violation]:
    """Kept balances are the sums of the postings, and each token sums to zero."""
    kept = {key: units for key, units in facts.kept_balances.items() if units}
    if kept != facts.balances:
        differing = {k for k in kept | facts.balances if kept.get(k) != facts.balances.get(k)}
        yield BOOKS, f"kept balances differ from the postings: {sorted(differing)}"
    by_address = {
        (row["intent_id"], account, row["chain"], row["token"]): int(row[account])
        for row in facts.address_balances
        for account in ("held", "dust")
    }
    summed = {
        (number, *key): units
        for number, balances in facts.balances_by_intent.items()
        for key, units in balances.items()
        if key[0] in ("held", "dust")
    }
    for place in by_address.keys() | summed.keys():
        if by_address.get(place, 0) != summed.get(place, 0):
            amounts = f"kept {by_address.get(place, 0)}, postings {summed.get(place, 0)}"
            yield BOOKS, f"balance of address {place}: {amounts}"
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for (_, chain, token), units in facts.balances.items():
        totals[chain, token] += units
    yield from (
        (BOOKS, f"{token} on {chain} is out by {n}") for (chain, token), n in totals.items() if n
    )


def _check_deposit_addresses(facts: Facts) -> Iterator[Violation]:
    """What lies at all deposit addresses of a chain is held or dust."""
    addresses = {(row["source_chain"], row["address"]) for row in facts.intents}
    lies: dict[tuple[str, str], int] = defaultdict(int)
    for (chain, address, token), units in facts.holdings.items():
        if (chain, address) in addresses:
            lies[chain, token] += units
    for chain, token in lies.keys() | {(c, t) for a, c, t in facts.balances if a == "held"}:
        booked = _booked(facts, chain, token, "held", "dust")
        if lies[chain, token] != booked:
            yield BOOKS, f"deposits of {token} on {chain}: {lies[chain, token]}, books {booked}"


def _check_own_accounts(facts: Facts) -> Iterator[Violation]:
    """The operator's accounts changed by what is booked, by fees that others paid from them, and
    by what the simulator set."""
    natives = facts.natives()
    relayers = {(tx.chain, tx.account) for tx in operator_txs(facts)}
    # A bridge's contract has the same address on both chains.
    contracts = {(row["source_chain"], row["bridger"]) for row in facts.intents}
    contracts |= {
        (row["destination_chain"], row["bridger"])
        for row in facts.intents
        if row["custody"] == "BRIDGE"
    }
    treasuries = _treasuries(facts, relayers)
    others: dict[Holding, int] = defaultdict(int)
    booked_fees = _sum_booked_fees(facts)
    for tx in facts.transactions:
        if tx.kind == OUTSIDE and not booked_fees[tx.chain, tx.tx_id]:
            others[tx.chain, tx.account, natives[tx.chain]] -= tx.fee
        if tx.kind == SET_BALANCE:
            for move in tx.moved:
                others[tx.chain, move.source, move.token] -= move.units
                others[tx.chain, move.to, move.token] += move.units
    booked_tokens = {(chain, token) for _, chain, token in facts.balances}
    for places, accounts in (
        (relayers, ("inventory",)),
        (contracts, ("escrow", "spread", "owed", "parked")),
        (treasuries, ("service_fees", "app_fees", "bridge_surplus", "unclaimed", "treasury")),
    ):
        for chain, token in booked_tokens:
            held = [(c, address, token) for c, address in places if c == chain]
            change = sum(
                facts.holdings.get(place, 0) - facts.opening.get(place, 0) - others[place]
                for place in held
            )
            booked = _booked(facts, chain, token, *accounts)
            if held and change != booked:
                yield BOOKS, f"{accounts[0]} of {token} on {chain}: {change}, books {booked}"


def _treasuries(facts: Facts, relayers: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Where reimbursements go beside the relayer."""
    return {
        (tx.chain, move.to)
        for tx in operator_txs(facts)
        if tx.purpose == "REIMBURSE"
        for move in tx.moved
    } - relayers


def _check_fees(facts: Facts) -> Iterator[Violation]:
    """Every transaction of the operator in a block is booked once, with its fee. What others sent
    with the operator's key is booked so where a reconciliation found it."""
    booked = _sum_booked_fees(facts)
    for tx in operator_txs(facts):
        fee = booked.pop((tx.chain, tx.tx_id), 0)
        if fee != tx.fee:
            yield BOOKS, f"{tx.purpose} {tx.tx_id} on {tx.chain} cost {tx.fee}, booked {fee}"
    for tx in facts.transactions:
        fee = booked.pop((tx.chain, tx.tx_id), 0) if tx.kind == OUTSIDE else 0
        if fee not in (0, tx.fee):
            yield BOOKS, f"outside {tx.tx_id} on {tx.chain} cost {tx.fee}, booked {fee}"
    for (chain, tx_id), fee in booked.items():
        if fee:
            yield BOOKS, f"{tx_id} on {chain} is booked with {fee} and in no block"


def _sum_booked_fees(facts: Facts) -> dict[tuple[str, str], int]:
    """By (chain, transaction), what the books have of its fee."""
    booked: dict[tuple[str, str], int] = defaultdict(int)
    for row in facts.postings:
        sign = (row["debit"] == "network_fees") - (row["credit"] == "network_fees")
        if sign:
            booked[row["chain"], row["tx"]] += sign * int(row["amount"])
    return booked


def _booked(facts: Facts, chain: str, token: str, *accounts: str) -> int:
    return sum(facts.balances.get((account, chain, token), 0) for account in accounts)
