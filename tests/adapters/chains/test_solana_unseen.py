"""Deposits on Solana that a look could pass over: taken along before anybody saw them, or listed by
the node only much later."""

from collections.abc import Iterator

import pytest

from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Cursor
from tests.adapters.chains.test_solana_nodes import FORGETFUL, LATE, Liar, again
from tests.chains.solana import node as solana
from tests.conformance.networks import SolanaNetwork, open_solana
from tests.conformance.test_chain import TOTAL, Payment, send
from tests.simulation import AddressWatch


@pytest.fixture
def node() -> Iterator[solana.Node]:
    with solana.running() as running:
        yield running


@pytest.fixture(params=["program", "derived"])
def payment(node: solana.Node, request: pytest.FixtureRequest) -> Iterator[Payment]:
    network = SolanaNetwork(node, request.param)
    yield Payment(network)
    network.opened.close()


@pytest.fixture
def liar(node: solana.Node, payment: Payment) -> Iterator[Liar]:
    """The payment's chain goes through the one node that lies."""
    made = Liar(node)
    network = payment.network
    assert isinstance(network, SolanaNetwork)
    network.opened.close()
    kind = "program" if network.opened.context.deposits is None else "derived"
    network.opened = open_solana(node, made.url, deposits=kind)
    network.chain = payment.chain = network.opened
    yield made
    made.close()


def begun(chain: SolanaChain, payment: Payment) -> Cursor:
    heads = chain.heads()
    cursor = Cursor(heads.height, heads.block_hash)
    return chain.scan(cursor, AddressWatch(payment.address)).cursor


def test_what_our_own_start_took_along_unseen_is_told_though_a_node_failed_meanwhile(
    node: solana.Node, liar: Liar, payment: Payment
) -> None:
    chain = payment.chain
    assert isinstance(chain, SolanaChain)
    cursor = begun(chain, payment)
    node.pay(payment.address, TOTAL)
    seen = chain.scan(cursor, AddressWatch(payment.address))
    assert [one.amount for one in seen.incoming] == [TOTAL]
    node.send(payment.address, 5_000)
    send(payment.network, payment.start())
    assert payment.holds(payment.address) == 0
    liar.mood = FORGETFUL
    with pytest.raises(Unreachable):
        chain.scan(seen.cursor, AddressWatch(payment.address))
    liar.mood = "honest"
    again(chain)
    found = chain.scan(seen.cursor, AddressWatch(payment.address))
    assert 5_000 in [one.amount for one in found.incoming]


@pytest.mark.parametrize("payment", ["program"], indirect=True)
def test_what_a_node_lists_only_much_later_is_told_when_it_does(
    node: solana.Node, liar: Liar, payment: Payment
) -> None:
    chain = payment.chain
    assert isinstance(chain, SolanaChain)
    cursor = begun(chain, payment)
    node.pay(payment.address, TOTAL)
    liar.mood = LATE
    for _ in range(60):
        node.mine()
        late = chain.scan(cursor, AddressWatch(payment.address))
        assert not late.incoming
        cursor = late.cursor
    liar.mood = "honest"
    units: list[int] = []
    for _ in range(60):
        node.mine()
        found = chain.scan(cursor, AddressWatch(payment.address))
        cursor, units = found.cursor, units + [one.amount for one in found.incoming]
    assert units == [TOTAL]
