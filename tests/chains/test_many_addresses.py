"""Deposits to so many addresses that no query can name them, on a real EVM chain."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.deposits import EvmDeposits
from crossway.adapters.chains.evm.native_deposits import MAX_ADDRESSES
from crossway.adapters.chains.words import address_word
from crossway.ports.chain import Cursor
from tests.chains import anvil
from tests.chains.anvil import Anvil
from tests.chains.front import HONEST, NARROW, Front
from tests.chains.live import BASE
from tests.chains.test_coin import FORWARDER, FORWARDS
from tests.chains.test_missed_logs import HIDING, Forgetful
from tests.conformance.networks import COIN, made_up, open_evm
from tests.simulation import AddressWatch

NAMED = 500
DOLLARS = anvil.dollars(BASE)


class Recording(Front):
    """Keeps what it is asked."""

    def __init__(self, running: Anvil) -> None:
        self.asked: list[dict[str, Any]] = []
        super().__init__(running)

    def answer(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked = json.loads(body)
        self.asked += asked if isinstance(asked, list) else [asked]
        return super().answer(body)

    def forget(self) -> None:
        self.requests = 0
        self.asked.clear()

    def transfer_queries(self) -> list[dict[str, Any]]:
        """The filters that ask for transfers of tokens."""
        filters = [one["params"][0] for one in self.asked if one["method"] == "eth_getLogs"]
        return [one for one in filters if DOLLARS in one["address"]]


@pytest.fixture
def base() -> Iterator[Anvil]:
    with anvil.running(BASE) as running:
        yield running


@pytest.fixture
def front(base: Anvil) -> Iterator[Recording]:
    made = Recording(base)
    yield made
    made.close()


@pytest.fixture
def chain(base: Anvil, front: Recording) -> Iterator[EvmChain]:
    opened = open_evm(base, front.url)
    yield opened
    opened.close()


def watching(count: int, *addresses: str) -> AddressWatch:
    """A filter of so many addresses, of which these are the newest."""
    others = [f"0x{number:040x}" for number in range(2**40, 2**40 + count - len(addresses))]
    return AddressWatch(*others, *addresses)


@dataclass
class Scans:
    """Scans one after the other, each of the blocks since the last one."""

    chain: EvmChain
    watch: AddressWatch
    cursor: Cursor = field(init=False)

    def __post_init__(self) -> None:
        heads = self.chain.heads()
        self.cursor = Cursor(heads.height, heads.block_hash)

    def next(self) -> list[tuple[str, int, int]]:
        """Address, amount and height of what the next scan finds."""
        scan = self.chain.scan(self.cursor, self.watch)
        self.cursor = scan.cursor
        assert self.chain.verify_inclusion(scan.incoming) == [True] * len(scan.incoming)
        return [(one.to, one.amount, one.block_height) for one in scan.incoming]


@pytest.mark.parametrize(("count", "named"), [(NAMED, True), (NAMED + 1, False)])
def test_one_query_asks_for_tokens_and_names_addresses_only_where_it_can(
    base: Anvil, front: Recording, chain: EvmChain, count: int, named: bool
) -> None:
    to = made_up("a deposit")
    scans = Scans(chain, watching(count, to))
    base.pay(to, 25)
    base.pay(made_up("somebody"), 26)
    paid_at = base.height - 1
    front.forget()
    assert scans.next() == [(to, 25, paid_at)]
    (query,) = front.transfer_queries()
    assert (len(query["topics"]) == 3) is named
    base.mine()
    front.forget()
    assert scans.next() == []
    assert front.requests == 3


def test_queries_are_halved_until_a_node_answers_them_and_grow_again(
    base: Anvil, front: Recording, chain: EvmChain
) -> None:
    to = made_up("a deposit")
    scans = Scans(chain, watching(NAMED + 1, to))
    for amount in range(1, 9):
        base.pay(to, amount)
    front.mood = NARROW
    assert [amount for _, amount, _ in scans.next()] == list(range(1, 9))
    widths = [_width(query) for query in front.transfer_queries()]
    assert widths[0] == 8
    assert set(widths[1:]) == {4, 2}
    front.mood = HONEST
    base.mine(9)
    front.forget()
    scans.next()
    assert [_width(query) for query in front.transfer_queries()] == [3]


def _width(query: dict[str, Any]) -> int:
    return int(query["toBlock"], 16) - int(query["fromBlock"], 16) + 1


def test_coins_for_one_of_very_many_addresses_are_found_by_their_transactions(
    base: Anvil, front: Recording, chain: EvmChain
) -> None:
    # An address of the first part, which is not looked at by the next scans but one.
    to, others = made_up("a deposit"), watching(3 * MAX_ADDRESSES - 1).addresses
    scans = Scans(chain, AddressWatch(to, *others))
    base.mine()
    assert scans.next() == []
    base.pay(to, 70, COIN)
    paid_at = base.height
    front.forget()
    assert scans.next() == [(to, 70, paid_at)]
    for _ in range(3):
        base.mine()
        front.forget()
        assert scans.next() == []
        # The head, blocks with balances, and logs.
        assert front.requests == 3


def test_coins_from_within_a_contract_are_found_when_their_part_is_looked_at(
    base: Anvil, chain: EvmChain
) -> None:
    base.rpc("anvil_setCode", FORWARDER, FORWARDS)
    to, others = made_up("a deposit"), watching(3 * MAX_ADDRESSES - 1).addresses
    scans = Scans(chain, AddressWatch(to, *others))
    base.mine()
    assert scans.next() == []
    base.transact(FORWARDER, address_word("evm", to), value=700)
    base.transact(to, value=50)
    base.mine()
    paid_at, found = base.height, list[tuple[str, int, int]]()
    for _ in range(5):
        found += scans.next()
        base.mine()
    # That of the transaction at once, and again with the other, which has the same block.
    assert sorted(found) == [(to, 50, paid_at), (to, 50, paid_at), (to, 700, paid_at)]


def test_coins_that_nobody_looked_at_before_a_restart_are_found_after_it(
    base: Anvil, chain: EvmChain
) -> None:
    base.rpc("anvil_setCode", FORWARDER, FORWARDS)
    to, others = made_up("a deposit"), watching(3 * MAX_ADDRESSES - 1).addresses
    scans = Scans(chain, AddressWatch(*others, to))
    base.mine()
    scans.next()
    base.transact(FORWARDER, address_word("evm", to), value=700)
    base.mine()
    paid_at = base.height
    assert scans.next() == []
    chain._deposits = EvmDeposits(chain.context)
    found = []
    for _ in range(3):
        base.mine()
        found += scans.next()
    assert found == [(to, 700, paid_at)]


def test_a_log_that_one_node_leaves_out_is_found_when_blocks_are_read_again(base: Anvil) -> None:
    to, hiding = made_up("a deposit"), Forgetful(base)
    hiding.mood = HIDING
    chain = open_evm(base, hiding.url, base.url)
    scans = Scans(chain, watching(NAMED + 1, to))
    base.pay(to, 25)
    paid_at = base.height
    assert scans.next() == []
    # Longer than blocks wait to be read again.
    base.mine(30)
    assert scans.next() == [(to, 25, paid_at)]
    base.mine(30)
    assert scans.next() == []
    chain.close()
    hiding.close()


def test_a_replaced_block_is_read_again(base: Anvil, chain: EvmChain) -> None:
    to = made_up("a deposit")
    scans = Scans(chain, watching(NAMED + 1, to))
    base.mine()
    scans.next()
    base.pay(to, 25)
    (first,) = scans.next()
    base.reorganise(1)
    base.mine()
    scan = chain.scan(scans.cursor, scans.watch)
    assert scan.reorged_from == first[2]
    assert [(one.to, one.amount) for one in scan.incoming] == [(to, 25)]
    assert chain.verify_inclusion(scan.incoming) == [True]
