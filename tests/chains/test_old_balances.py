"""Coins on EVM chains whose nodes keep the balances of the newest blocks alone, as most do."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.deposits import EvmDeposits
from crossway.adapters.chains.words import address_word
from crossway.ports.chain import Cursor
from tests.chains import anvil
from tests.chains.anvil import RELAYER, Anvil
from tests.chains.front import Front
from tests.chains.live import BASE
from tests.chains.test_coin import FORWARDER, FORWARDS
from tests.conformance.networks import COIN, AnvilNetwork, made_up, open_evm
from tests.conformance.test_chain import Payment
from tests.simulation import AddressWatch

KEPT = 5
PRUNING = "pruning"


class Pruning(Front):
    """Keeps the balances of so many blocks."""

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        at = asked["params"][-1] if asked["params"] else None
        old = isinstance(at, str) and at.startswith("0x") and len(at) < 20
        if asked["method"] in ("eth_call", "eth_getBalance") and old:
            assert isinstance(at, str)
            if int(at, 16) < self.anvil.height - KEPT:
                words = "missing trie node 8f1b (path ) state 0x8f1b is not available"
                error = {"code": -32000, "message": words}
                return {"jsonrpc": "2.0", "id": asked["id"], "error": error}
        return super()._one(asked)


@pytest.fixture
def base() -> Iterator[Anvil]:
    with anvil.running(BASE) as running:
        yield running


@pytest.fixture
def chain(base: Anvil) -> Iterator[EvmChain]:
    front = Pruning(base)
    front.mood = PRUNING
    opened = open_evm(base, front.url)
    yield opened
    opened.close()
    front.close()


def begun(chain: EvmChain, watch: AddressWatch) -> Cursor:
    heads = chain.heads()
    return chain.scan(Cursor(heads.height, heads.block_hash), watch).cursor


def test_a_pause_longer_than_a_node_keeps_balances_stops_nothing_and_loses_no_payment(
    base: Anvil, chain: EvmChain
) -> None:
    paid, other, token = made_up("a deposit"), made_up("another"), anvil.dollars(BASE)
    watch = AddressWatch(paid, other)
    base.transact(other, value=40)
    base.mine()
    cursor = begun(chain, watch)
    # Another process goes on after a while.
    chain._deposits = EvmDeposits(chain.context)
    base.transact(paid, value=50)
    base.pay(other, 60, token)
    base.mine(4 * KEPT)
    found = chain.scan(cursor, watch)
    assert sorted((one.to, one.amount) for one in found.incoming) == sorted(
        [(paid, 50), (other, 60)]
    )
    assert chain.verify_inclusion(found.incoming) == [True, True]
    assert found.cursor.height == base.height
    since = chain.heads().time - timedelta(hours=1)
    assert [one.amount for one in chain.transfers_to([paid], since)] == [50]


def test_what_our_own_start_took_during_a_pause_is_no_deposit(base: Anvil, chain: EvmChain) -> None:
    network = AnvilNetwork(base, COIN, anvil.dollars(BASE))
    payment, own = Payment(network), network.chain
    base.pay(payment.address, 25_000_000, COIN)
    cursor = begun(chain, AddressWatch(made_up("nobody")))
    (start,) = own.sign([(payment.start(), own.next_nonce(RELAYER))], own.fee_units())
    assert list(own.broadcast([start])) == [""]
    base.mine(4 * KEPT)
    assert not chain.scan(cursor, AddressWatch(payment.address)).incoming
    network.opened.close()


def test_coins_from_within_a_contract_count_when_their_blocks_balances_are_gone(
    base: Anvil, chain: EvmChain
) -> None:
    base.rpc("anvil_setCode", FORWARDER, FORWARDS)
    to = made_up("a deposit")
    cursor = begun(chain, AddressWatch(to))
    base.mine()
    cursor = chain.scan(cursor, AddressWatch(to)).cursor
    base.transact(FORWARDER, address_word("evm", to), value=700)
    base.mine()
    found = chain.scan(cursor, AddressWatch(to))
    assert [one.amount for one in found.incoming] == [700]
    base.mine(4 * KEPT)
    assert chain.verify_inclusion(found.incoming) == [True]
    # What is not there is not believed either way.
    base.rpc("anvil_setBalance", to, hex(699))
    assert chain.verify_inclusion(found.incoming) == [False]
