"""Whom a payout on Starknet cannot pay, found out by simulation before the payment is started."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from crossway.domain.errors import Unreachable
from tests.chains.starknet.front import TIPLESS, StarknetFront
from tests.chains.starknet.network import RELAYER, Starknet, address_of, shared
from tests.conformance.networks import StarknetNetwork, open_starknet
from tests.conformance.test_chain import TOTAL, Payment, mined, send

REFUSED = "the receiver or the token refuses this transfer"
KEEPS_A_PART = "the token keeps a part of what is sent"


@pytest.fixture
def node() -> Iterator[Starknet]:
    with shared() as network:
        yield network


@pytest.fixture
def network(node: Starknet) -> Iterator[StarknetNetwork]:
    made = StarknetNetwork(node, address_of("USDC"), address_of("ETH"))
    yield made
    made.opened.close()


@pytest.fixture
def payment(network: StarknetNetwork) -> Payment:
    return Payment(network)


class Listening(StarknetFront):
    """Hears what is to be simulated; `says`, where given, is its answer."""

    def __init__(self, node: Starknet) -> None:
        super().__init__(node)  # type: ignore[arg-type]
        self.mood = "listening"
        self.says: dict[str, Any] | None = None
        self.heard: list[dict[str, Any]] = []

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["method"] == "starknet_simulateTransactions":
            self.heard += asked["params"][1]
            if self.says is not None:
                return {"jsonrpc": "2.0", "id": asked["id"], **self.says}
        return super()._one(asked)


@pytest.fixture
def front(node: Starknet) -> Iterator[Listening]:
    made = Listening(node)
    yield made
    made.close()


def blocked(payment: Payment, node: Starknet) -> None:
    node.refuse(payment.recipient)


def lying(payment: Payment, node: Starknet) -> None:
    node.call(address_of("USDC"), "behave", 0, 1)
    node.mine()


def taking(payment: Payment, node: Starknet) -> None:
    node.call(address_of("USDC"), "behave", 1, 0)
    node.mine()


@pytest.mark.parametrize(
    ("arrange", "reason"), [(blocked, REFUSED), (lying, REFUSED), (taking, KEEPS_A_PART)]
)
def test_a_refusal_is_found_and_the_payout_would_have_failed(
    network: StarknetNetwork,
    payment: Payment,
    arrange: Callable[[Payment, Starknet], None],
    reason: str,
) -> None:
    assert network.chain.find_refusals([payment.fill()]) == [""]
    arrange(payment, network.node)
    assert network.chain.find_refusals([payment.fill()]) == [reason]
    assert mined(send(network, payment.fill())).reason


def no_stock(payment: Payment, node: Starknet) -> None:
    node.give(RELAYER, TOTAL - 1 - node.balance(RELAYER))


def blocked_and_no_stock(payment: Payment, node: Starknet) -> None:
    blocked(payment, node)
    no_stock(payment, node)


def paid_already(payment: Payment, node: Starknet) -> None:
    assert mined(send(payment.network, payment.fill())).reason == ""


def no_account(payment: Payment, node: Starknet) -> None:
    node.take_away(RELAYER)


def no_token(payment: Payment, node: Starknet) -> None:
    node.take_away(address_of("USDC"))


@pytest.mark.parametrize(
    "arrange", [no_stock, blocked_and_no_stock, paid_already, no_account, no_token]
)
def test_what_we_lack_is_no_refusal(
    network: StarknetNetwork, payment: Payment, arrange: Callable[[Payment, Starknet], None]
) -> None:
    arrange(payment, network.node)
    assert network.chain.find_refusals([payment.fill()]) == [""]


def test_a_refusal_is_found_without_money_for_fees(
    network: StarknetNetwork, payment: Payment
) -> None:
    node = network.node
    blocked(payment, node)
    node.give(RELAYER, -node.balance(RELAYER, address_of("STRK")), address_of("STRK"))
    assert network.chain.find_refusals([payment.fill()]) == [REFUSED]


def test_a_lack_of_an_older_token_is_no_refusal(node: Starknet) -> None:
    network = StarknetNetwork(node, address_of("USDT"), address_of("ETH"))
    payment = Payment(network)
    assert network.chain.find_refusals([payment.fill()]) == [""]
    held = node.balance(RELAYER, network.token)
    node.give(RELAYER, TOTAL - 1 - held, network.token)
    assert network.chain.find_refusals([payment.fill()]) == [""]
    network.opened.close()


def test_no_node_is_shown_a_signature(node: Starknet, front: Listening) -> None:
    chain = open_starknet(node, front.url)
    network = StarknetNetwork(node, address_of("USDC"), address_of("ETH"))
    payment = Payment(network)
    blocked(payment, node)
    assert chain.find_refusals([payment.fill()]) == [REFUSED]
    assert [one["signature"] for one in front.heard] == [[], []]
    # As it was shown, it cannot be included.
    assert node.asked("starknet_addInvokeTransaction", front.heard[0])["error"]["code"] == 55
    for one in (chain, network.opened):
        one.close()


def test_a_node_that_simulates_no_tip_is_enough(
    node: Starknet, front: Listening, payment: Payment
) -> None:
    chain = open_starknet(node, front.url)
    front.mood = TIPLESS
    blocked(payment, node)
    assert chain.find_refusals([payment.fill()]) == [REFUSED]
    chain.close()


def test_many_payouts_are_simulated_in_few_requests(node: Starknet, front: Listening) -> None:
    chain = open_starknet(node, front.url)
    network = StarknetNetwork(node, address_of("USDC"), address_of("ETH"))
    payments = [Payment(network, f"number {at}") for at in range(21)]
    chain.heads()
    before = front.requests
    assert chain.find_refusals([payment.fill() for payment in payments]) == [""] * 21
    # The nonce, and twenty simulations at once.
    assert front.requests - before == 3
    assert chain.find_refusals([]) == []
    assert front.requests - before == 3
    for one in (chain, network.opened):
        one.close()


@pytest.mark.parametrize("order", [1, -1])
def test_only_what_every_node_of_the_quorum_refuses_is_refused(
    node: Starknet, front: Listening, network: StarknetNetwork, payment: Payment, order: int
) -> None:
    both = open_starknet(node, *[node.url, front.url][::order], quorum=2)
    blocked(payment, node)
    front.says = {"error": {"code": -32601, "message": "Method not found"}}
    assert both.find_refusals([payment.fill()]) == [""]
    front.says = None
    assert both.find_refusals([payment.fill()]) == [REFUSED]
    both.close()


@pytest.mark.parametrize(
    "nothing", [[], [{}], [{"transaction_trace": {}}], {"transaction_trace": {}}]
)
def test_a_simulation_without_a_result_is_no_answer(
    front: Listening, node: Starknet, payment: Payment, nothing: Any
) -> None:
    chain = open_starknet(node, front.url)
    front.says = {"result": nothing}
    with pytest.raises(Unreachable):
        chain.find_refusals([payment.fill()])
    chain.close()
