"""The ledger: postings are append-only, balances are their sum and add up to zero per token."""

from collections import defaultdict
from itertools import permutations

from crossway.domain.ledger import Account, AddressBalance, Posting, balances
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    HUGE,
    NOW,
    a_new_tx,
    a_posting,
    enqueue,
    later,
    run_concurrently,
    store_intent,
    tx_change,
)


def test_postings_come_back_in_their_order_with_their_time(store: SqlStore) -> None:
    intent = store_intent(store)
    first, second = a_posting(intent, HUGE, "tx-1"), a_posting(intent, 2, "tx-2", chain=ARBITRUM)
    store.write(lambda unit: unit.ledger.post([first], NOW))
    store.write(lambda unit: unit.ledger.post([second], later(1)))
    with store.read() as unit:
        assert unit.ledger.list_by_intent(intent.id) == [(NOW, first), (later(1), second)]
        assert unit.ledger.list_by_intent(intent.id + 1) == []
        assert unit.ledger.list_by_tx([intent.id], {"tx-1"}) == [first]
        assert unit.ledger.list_by_tx([intent.id + 1], {"tx-1"}) == []
        assert unit.ledger.list_by_tx([], {"tx-1"}) == []


def test_what_a_transaction_moved_is_told_for_all_payments_together(store: SqlStore) -> None:
    intents = [store_intent(store) for _ in range(2)]
    moved = [a_posting(intent, HUGE, "tx-1") for intent in intents]
    others = [a_posting(intents[0], 5, "tx-2"), a_posting(intents[0], 7, "tx-1", chain=ARBITRUM)]
    store.write(lambda unit: unit.ledger.post([a_posting(intents[0], 9, "tx-1")], later(-1)))
    store.write(lambda unit: unit.ledger.post([*moved, *others], NOW))
    one = moved[0]
    debit, credit = ((side, one.chain, one.token, "tx-1", NOW) for side in (one.debit, one.credit))
    with store.read() as unit:
        assert unit.ledger.sum_of_tx(*debit) == 2 * HUGE
        assert unit.ledger.sum_of_tx(*credit) == -2 * HUGE
    store.write(lambda unit: unit.ledger.post([one.reversed()], later(1)))
    with store.read() as unit:
        assert unit.ledger.sum_of_tx(*debit) == HUGE


def test_a_posting_of_zero_is_not_stored(store: SqlStore) -> None:
    intent = store_intent(store)
    store.write(lambda unit: unit.ledger.post([a_posting(intent, 0)], NOW))
    store.write(lambda unit: unit.ledger.post([], NOW))
    with store.read() as unit:
        assert unit.ledger.list_by_intent(intent.id) == []
        assert unit.ledger.get_balances() == {}


def test_a_reversed_posting_brings_the_balances_back(store: SqlStore) -> None:
    intent = store_intent(store)
    created = a_posting(intent, HUGE)
    store.write(lambda unit: unit.ledger.post([created], NOW))
    store.write(lambda unit: unit.ledger.post([created.reversed()], NOW))
    with store.read() as unit:
        assert set(unit.ledger.get_balances().values()) == {0}


def test_balances_wider_than_64_bits_are_exact(store: SqlStore) -> None:
    intent = store_intent(store)
    for _ in range(3):
        store.write(lambda unit: unit.ledger.post([a_posting(intent, HUGE)], NOW))
    with store.read() as unit:
        stored = unit.ledger.get_balances()
    token_key = (intent.terms.source_chain, intent.terms.token_in)
    assert stored == {(Account.HELD, *token_key): 3 * HUGE, (Account.PAYER, *token_key): -3 * HUGE}


def test_postings_of_many_threads_all_reach_the_balances(store: SqlStore) -> None:
    """Threads post in every order of accounts, which deadlocks unless locks have a fixed order."""
    intents = [store_intent(store) for _ in range(4)]
    accounts = (Account.HELD, Account.ESCROW, Account.INVENTORY, Account.PAYER)
    batches: list[list[Posting]] = []
    for number, (a, b, c, d) in enumerate(permutations(accounts)):
        intent = intents[number % 4]
        batches.append(
            [
                a_posting(intent, HUGE + number, f"tx-{number}", debit=a, credit=b),
                a_posting(intent, number, f"tx-{number}", debit=c, credit=d, chain=ARBITRUM),
                a_posting(intent, 7, f"tx-{number}", debit=d, credit=a, token="eurc"),
            ]
        )
    run_concurrently(
        [
            lambda batch=batch: store.write(lambda unit: unit.ledger.post(batch, NOW))  # type: ignore[misc]
            for batch in batches
        ]
    )
    with store.read() as unit:
        stands = {key: units for key, units in unit.ledger.get_balances().items() if units}
        created = [
            posting for intent in intents for _, posting in unit.ledger.list_by_intent(intent.id)
        ]
    assert len(created) == sum(1 for batch in batches for posting in batch if posting.amount)
    assert stands == {key: units for key, units in balances(created).items() if units}
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for (_, chain, token), units in stands.items():
        totals[chain, token] += units
    assert set(totals.values()) == {0}


def test_address_balances_follow_the_postings_of_each_payment(store: SqlStore) -> None:
    first, second = store_intent(store), store_intent(store)
    own = (first.terms.source_chain, first.terms.token_in)
    held, dust = {"debit": Account.HELD, "credit": Account.PAYER}, {"debit": Account.DUST}
    batch = [
        a_posting(first, HUGE, **held),
        a_posting(first, 5, token="eurc", **held),
        a_posting(first, 2, token="eurc", credit=Account.HELD, **dust),
        a_posting(second, 9, chain=ARBITRUM, **held),
        a_posting(second, 4, debit=Account.ESCROW, credit=Account.INVENTORY),
    ]
    store.write(lambda unit: unit.ledger.post(batch, NOW))
    later_batch = [a_posting(first, HUGE - 1, debit=Account.ESCROW, credit=Account.HELD)]
    store.write(lambda unit: unit.ledger.post(later_batch, later(1)))
    keys = [(first.id, *own), (first.id, own[0], "eurc"), (second.id, ARBITRUM, own[1])]
    expected = {
        keys[0]: AddressBalance(*keys[0], 1, 0, False),
        keys[1]: AddressBalance(*keys[1], 3, 2, True),
        keys[2]: AddressBalance(*keys[2], 9, 0, True),
    }
    with store.read() as unit:
        assert unit.ledger.get_address_balances([*keys, (second.id, *own)]) == expected
        assert unit.ledger.get_address_balances([]) == {}
        assert unit.ledger.list_misdirected(None, 10) == [expected[keys[1]], expected[keys[2]]]
        assert unit.ledger.list_misdirected(None, 1) == [expected[keys[1]]]
        assert unit.ledger.list_misdirected([second.id], 10) == [expected[keys[2]]]
        assert unit.ledger.list_misdirected([], 10) == []


def test_dust_and_what_waits_for_an_unsigned_sweep_is_claimable(store: SqlStore) -> None:
    dust, waiting, fixed, signed, quiet = (store_intent(store) for _ in range(5))
    chain, held = dust.terms.source_chain, {"debit": Account.HELD, "credit": Account.PAYER}
    batch = [a_posting(intent, 7, **held) for intent in (waiting, fixed, signed, quiet)]
    batch += [
        a_posting(dust, 3, debit=Account.DUST, credit=Account.PAYER),
        a_posting(dust, 4, token="eurc", debit=Account.DUST, credit=Account.PAYER),
        a_posting(waiting, 9, token="eurc", **held),
    ]
    store.write(lambda unit: unit.ledger.post(batch, NOW))
    refund, amount = OutboundTxKind.REFUND, quiet.terms.deposit_amount
    *_, sent = enqueue(
        store,
        a_new_tx(waiting, refund, amount=None),
        a_new_tx(fixed, refund, amount=amount),
        a_new_tx(quiet, OutboundTxKind.START),
        a_new_tx(signed, refund, amount=None),
    )
    change = tx_change(sent, OutboundTxState.SIGNED, tx_id="0x1")
    store.write(lambda unit: unit.outbound_txs.update([change], NOW))
    with store.read() as unit:
        found = unit.ledger.list_claimable(chain, 0, 10)
        assert {(b.intent_id, b.token, b.held, b.dust) for b in found} == {
            (dust.id, dust.terms.token_in, 0, 3),
            (dust.id, "eurc", 0, 4),
            (waiting.id, waiting.terms.token_in, 7, 0),
        }
        assert [b.intent_id for b in found] == [dust.id, dust.id, waiting.id]
        assert len(unit.ledger.list_claimable(chain, 0, 2)) == 2
        assert unit.ledger.list_claimable(chain, waiting.id, 10) == found[2:]
        assert unit.ledger.list_claimable(ARBITRUM, 0, 10) == []


def test_what_left_an_address_is_not_misdirected_any_more(store: SqlStore) -> None:
    intent = store_intent(store)
    arrived = a_posting(intent, 5, token="eurc", debit=Account.HELD, credit=Account.PAYER)
    store.write(lambda unit: unit.ledger.post([arrived], NOW))
    store.write(lambda unit: unit.ledger.post([arrived.reversed()] * 2, NOW))
    with store.read() as unit:
        assert unit.ledger.list_misdirected(None, 10) == []


def test_the_newest_arrivals_and_all_other_postings_of_a_payment_are_listed(
    store: SqlStore,
) -> None:
    intent = store_intent(store)
    sent = a_posting(intent, 1, "start", debit=Account.ESCROW, credit=Account.HELD)
    arrivals = [
        a_posting(intent, n, f"tx-{n}#0", debit=Account.HELD, credit=Account.PAYER)
        for n in range(1, 6)
    ]
    store.write(lambda unit: unit.ledger.post([arrivals[0], sent, *arrivals[1:]], NOW))
    with store.read() as unit:
        shown = [posting for _, posting in unit.ledger.list_by_intent(intent.id, newest=2)]
        assert shown == [sent, *arrivals[3:]]
        assert unit.ledger.count_by_intent(intent.id) == 6
