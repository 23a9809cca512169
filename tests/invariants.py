"""Invariants after every scenario: books balance, chains agree with them, nobody is paid twice."""

from collections import Counter, defaultdict

from sqlalchemy import select

from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account, Posting, balances
from crossway.domain.outbound import OPEN_STATES
from crossway.storage.ledger import POSTINGS
from crossway.storage.tables import intents, postings
from crossway.usecases.money.bridge_reconciliation import read_open_transfers
from tests.figures import check_figures
from tests.harness import CATALOGUE, Harness

REPEATABLE_EVENTS = {None, "intent_reorged"}


def check_invariants(world: Harness, reorged: bool = False, outsiders: bool = False) -> None:
    """Check all invariants; each failure names the intent and the amounts.

    `outsiders` says that others used the relayer's account and spent its gas.
    """
    everything = list_intents(world)
    check_books(world)
    for intent in everything:
        check_addresses(world, intent)
        check_recipient(world, intent)
        if not reorged:
            check_events(world, intent)
    check_bridges(world)
    check_relayer(world, outsiders)
    check_figures(world.store)


def list_intents(world: Harness) -> list[Intent]:
    with world.store.read() as unit:
        ids = [row[0] for row in unit.intents._db.execute(select(intents.c.id))]
        return list(unit.intents.get_many(ids).values())


def check_books(world: Harness) -> None:
    with world.store.read() as unit:
        stored = unit.ledger.get_balances()
        rows = unit.ledger._db.execute(select(postings)).all()
    computed = balances([POSTINGS.decode(row) for row in rows])
    assert {k: v for k, v in stored.items() if v} == {k: v for k, v in computed.items() if v}
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for (_, chain, token), units in stored.items():
        totals[chain, token] += units
    assert set(totals.values()) <= {0}
    check_address_balances(world, [POSTINGS.decode(row) for row in rows])


def check_address_balances(world: Harness, all_postings: list[Posting]) -> None:
    """The running balance of each address is the sum of its postings."""
    sums: dict[tuple[int, str, str], dict[Account, int]] = defaultdict(lambda: defaultdict(int))
    for posting in all_postings:
        for account, units in ((posting.debit, posting.amount), (posting.credit, -posting.amount)):
            if account in (Account.HELD, Account.DUST):
                sums[posting.intent_id, posting.chain, posting.token][account] += units
    with world.store.read() as unit:
        stored = unit.ledger.get_address_balances(sums)
        terms = {
            i: intent.terms for i, intent in unit.intents.get_many({k[0] for k in sums}).items()
        }
    for key, by_account in sums.items():
        balance, own = stored[key], (terms[key[0]].source_chain, terms[key[0]].token_in)
        held, dust = by_account[Account.HELD], by_account[Account.DUST]
        assert (balance.held, balance.dust, balance.misdirected) == (held, dust, key[1:] != own)


def check_addresses(world: Harness, intent: Intent) -> None:
    """The address of an intent has the balance that the books show, for each token."""
    with world.store.read() as unit:
        mine = balances([posting for _, posting in unit.ledger.list_by_intent(intent.id)])
    balance: dict[tuple[str, str], int] = defaultdict(int)
    for (account, chain, token), units in mine.items():
        if account in (Account.HELD, Account.DUST):
            balance[chain, token] += units
    deposit_token = (intent.terms.source_chain, intent.terms.token_in)
    for chain, token in {deposit_token, *balance}:
        chain_balance = world.services.chains[chain].balances([intent.address], token)[
            intent.address
        ]
        assert chain_balance == balance[chain, token], (
            f"intent {intent.id} {intent.state}: {chain} {token}"
        )
    own = mine.get((Account.HELD, *deposit_token), 0)
    assert own == intent.balance_at_address, (
        f"intent {intent.id}: books {own}, record {intent.balance_at_address}"
    )


def check_bridges(world: Harness) -> None:
    """What is on its way are the deposits of open transfers, and at par what left one chain has
    arrived on the other."""
    transfers = read_open_transfers(world.services)
    crossed: dict[str, int] = defaultdict(int)
    decimals: dict[str, set[int]] = defaultdict(set)
    for (account, chain, token), units in transfers.balances.items():
        if account is Account.IN_TRANSIT:
            assert units == transfers.sum_sent(chain).get(token, 0), chain
        if account is Account.CROSSED:
            symbol, places = _denomination(chain, token)
            crossed[symbol] += units * 10 ** (18 - places)
            decimals[symbol].add(places)
    payments = len(list_intents(world))
    for symbol, units in crossed.items():
        # Where decimals differ, each payment is rounded to a unit of the coarser.
        is_rounded = len(decimals[symbol]) > 1
        assert abs(units) <= payments * is_rounded * 10 ** (18 - min(decimals[symbol])), symbol


def _denomination(chain: str, token: str) -> tuple[str, int]:
    """The symbol and decimals of a token; the unified balance at Gateway counts USDC by its
    symbol."""
    if chain.startswith("gateway:"):
        return token, 6
    known = CATALOGUE.by_address[chain, token]
    return known.symbol, known.decimals


def check_recipient(world: Harness, intent: Intent) -> None:
    """The recipient has the payout exactly once if the intent is completed, else nothing."""
    terms = intent.terms
    chain = world.services.chains[terms.destination_chain]
    balance = chain.balances([terms.recipient], terms.token_out)[terms.recipient]
    due = terms.payout_amount if intent.state is State.COMPLETED else 0
    assert balance == due, f"intent {intent.id} is {intent.state}, its recipient has {balance}"


def check_events(world: Harness, intent: Intent) -> None:
    with world.store.read() as unit:
        event_counts = Counter(
            move.event_type for move in unit.intents.list_transitions([intent.id])
        )
    assert {kind for kind, n in event_counts.items() if n > 1} <= REPEATABLE_EVENTS, (
        f"{intent.id}: {event_counts}"
    )


def check_relayer(world: Harness, outsiders: bool) -> None:
    """The relayer's balances changed by exactly what the books show."""
    with world.store.read() as unit:
        booked = unit.ledger.get_balances()
    for (account, chain, token), units in booked.items():
        fees = outsiders and token == CATALOGUE.native_token(chain)
        # What lies at Gateway is compared with the service by reconciliation.
        if account is not Account.INVENTORY or fees or chain.startswith("gateway:"):
            continue
        senders = world.services.chains[chain].accounts.senders
        now = sum(world.services.chains[chain].balances(senders, token).values())
        held = world.network.facts[chain].holdings
        began = sum(held.get((sender, token), 0) for sender in senders)
        assert now - began == units, f"the relayer on {chain}: {now - began}, books {units}"


def nothing_outstanding(world: Harness) -> bool:
    """Whether no outbound transaction and no payment is open."""
    with world.store.read() as unit:
        if any(
            unit.outbound_txs.list_in_state(CATALOGUE.chains, state, 1) for state in OPEN_STATES
        ):
            return False
        open_states = {State.PENDING, State.FUNDED, State.INITIATED}
        return not open_states & {
            s for s, n in unit.intents.count_by_state(OwnerFilter()).items() if n
        }
