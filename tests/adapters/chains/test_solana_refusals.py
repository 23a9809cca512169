"""Whom a payout on Solana cannot pay, found out by simulation before the payment is started."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from crossway.adapters.chains.solana.pdas import CLOCK, derive_address
from crossway.domain.errors import Unreachable
from tests.adapters.chains.test_solana_coins import EMPTY, NEWER, TOTAL, Desk, opened
from tests.chains.solana.answers import Answers, Refusal
from tests.chains.solana.node import (
    NATIVE,
    PROGRAM,
    RELAYER,
    STOCK,
    TOKEN_2022,
    Node,
    dollars,
    running,
)
from tests.conformance.networks import SolanaNetwork, open_solana
from tests.conformance.test_chain import Payment

RELAYING = str(RELAYER.pubkey())
NOT_TAKEN = (
    "the receiver's account does not take this: it is a program's, missing, frozen or wants a memo"
)
HANDED_OVER = "the receiver's account for the token belongs to another wallet"
BELOW_RENT = "an account would hold less SOL than Solana lets stand"
TAKES_A_FEE = "the token takes a fee, calls a hook or can be taken back by its issuer"
MEMO = (8).to_bytes(2, "little") + (1).to_bytes(2, "little") + b"\1"
FEE = (1).to_bytes(2, "little") + (108).to_bytes(2, "little") + bytes(72 + 16) + b"\1\0" + bytes(18)
# In a token account.
OWNER_AT = 32


@pytest.fixture
def node() -> Iterator[Node]:
    with running() as made:
        made.put_mint(NEWER, TOKEN_2022)
        made.give(RELAYING, STOCK, NEWER)
        yield made


@pytest.fixture
def desk(node: Node, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """A chain in the token that the test names; in dollars where it names none."""
    token = getattr(request, "param", "") or dollars(node.chain)
    made = opened(node, token, newer=token == NEWER)
    yield made
    made.chain.close()


def paying(desk: Desk, recipient: str) -> None:
    desk.terms = replace(desk.terms, recipient=recipient)


def frozen(desk: Desk) -> None:
    desk.node.freeze(desk.terms.recipient, desk.token)


def handed_over(desk: Desk) -> None:
    desk.node.give(desk.terms.recipient, 0, desk.token)
    other = Pubkey.from_string(desk.node.wallet("another"))
    desk.node.rewrite(desk.terms.recipient, desk.token, OWNER_AT, bytes(other))


def wanting_a_memo(desk: Desk) -> None:
    desk.node.give(desk.terms.recipient, 0, desk.token, MEMO)


def of_a_mint_with_a_fee(desk: Desk) -> None:
    desk.node.put_mint(NEWER, TOKEN_2022, FEE)


def a_program(desk: Desk) -> None:
    paying(desk, str(PROGRAM))


def the_clock(desk: Desk) -> None:
    paying(desk, CLOCK)


def too_little_for_an_account(desk: Desk) -> None:
    desk.terms = replace(desk.terms, payout_amount=EMPTY - 1)


@pytest.mark.parametrize(
    ("desk", "arrange", "reason"),
    [
        ("", frozen, NOT_TAKEN),
        ("", handed_over, HANDED_OVER),
        (NEWER, frozen, NOT_TAKEN),
        (NEWER, wanting_a_memo, NOT_TAKEN),
        (NEWER, of_a_mint_with_a_fee, TAKES_A_FEE),
        (NATIVE, a_program, NOT_TAKEN),
        (NATIVE, the_clock, NOT_TAKEN),
        (NATIVE, too_little_for_an_account, BELOW_RENT),
    ],
    indirect=["desk"],
)
def test_a_refusal_is_found_and_the_payout_would_have_failed(
    desk: Desk, arrange: Callable[[Desk], None], reason: str
) -> None:
    arrange(desk)
    assert desk.chain.find_refusals([desk.fill()]) == [reason]
    assert desk.do(desk.fill()).reason


def without_a_token_account(desk: Desk) -> None:
    pass


def off_the_curve(desk: Desk) -> None:
    paying(desk, derive_address(str(PROGRAM), b"an account of a program"))


def the_mint(desk: Desk) -> None:
    paying(desk, dollars(desk.node.chain))


@pytest.mark.parametrize(
    ("desk", "arrange"),
    [
        ("", without_a_token_account),
        ("", off_the_curve),
        ("", a_program),
        ("", the_mint),
        (NEWER, without_a_token_account),
        (NATIVE, off_the_curve),
        (NATIVE, the_mint),
    ],
    indirect=["desk"],
)
def test_whom_the_chain_pays_is_not_refused(desk: Desk, arrange: Callable[[Desk], None]) -> None:
    """Solana pays into accounts of any address, with a key or without."""
    arrange(desk)
    assert desk.chain.find_refusals([desk.fill()]) == [""]
    assert desk.do(desk.fill()).reason == ""


def no_stock(desk: Desk) -> None:
    desk.node.give(RELAYING, TOTAL - 10, desk.token)


def own_account_frozen(desk: Desk) -> None:
    desk.node.freeze(RELAYING, desk.token)


def no_lamports(desk: Desk) -> None:
    desk.node.give(RELAYING, 0, NATIVE)


def lamports_for_the_fee_alone(desk: Desk) -> None:
    desk.node.give(RELAYING, EMPTY + 10_000, NATIVE)


def paid_already(desk: Desk) -> None:
    assert desk.do(desk.fill()).reason == ""


def after_its_time(desk: Desk) -> None:
    desk.node.cluster.later(600 + 30 * 86_400)
    desk.node.mine()


@pytest.mark.parametrize(
    "arrange",
    [
        no_stock,
        own_account_frozen,
        no_lamports,
        lamports_for_the_fee_alone,
        paid_already,
        after_its_time,
    ],
)
def test_what_we_lack_is_no_refusal(desk: Desk, arrange: Callable[[Desk], None]) -> None:
    arrange(desk)
    assert desk.chain.find_refusals([desk.fill()]) == [""]


class Recording(Answers):
    """Remembers what it simulates."""

    def __init__(self, node: Node) -> None:
        super().__init__(node.cluster, node.chain)
        self.seen: list[VersionedTransaction] = []

    def on_simulateTransaction(self, raw: str, settings: dict[str, Any]) -> Any:
        self.seen.append(VersionedTransaction.from_bytes(base64.b64decode(raw)))
        return super().on_simulateTransaction(raw, settings)


def test_no_node_is_shown_a_signature(desk: Desk) -> None:
    desk.node.answers = recording = Recording(desk.node)
    frozen(desk)
    assert desk.chain.find_refusals([desk.fill()]) == [NOT_TAKEN]
    assert [one.signatures for one in recording.seen] == 2 * [[Signature.default()]]
    # As it was shown, it cannot be included.
    raw = base64.b64encode(bytes(recording.seen[0])).decode()
    with pytest.raises(Refusal, match="signature verification"):
        desk.node.rpc("sendTransaction", raw, {"encoding": "base64", "skipPreflight": True})


def test_many_payouts_are_simulated_in_few_requests(node: Node) -> None:
    network = SolanaNetwork(node, "program")
    payments = [Payment(network, f"number {at}") for at in range(45)]
    node.freeze(payments[30].recipient, network.token)
    network.opened.heads()
    before = node.requests
    found = network.opened.find_refusals([payment.fill() for payment in payments[:30]])
    assert (found, node.requests - before) == ([""] * 30, 2)
    found = network.opened.find_refusals([payment.fill() for payment in payments])
    assert found == [NOT_TAKEN if at == 30 else "" for at in range(45)]
    assert network.opened.find_refusals([]) == []
    network.opened.close()


class Older(Answers):
    """A node that does not simulate."""

    def to(self, method: str, params: list[Any]) -> Any:
        if method == "simulateTransaction":
            raise Refusal(-32601, "Method not found")
        return super().to(method, params)


@pytest.mark.parametrize("order", [1, -1])
def test_only_what_every_node_of_the_quorum_refuses_is_refused(desk: Desk, order: int) -> None:
    other = Node(desk.node.chain, desk.node.cluster)
    other.answers = Older(other.cluster, other.chain)
    both = open_solana(desk.node, *[desk.node.url, other.url][::order], quorum=2)
    frozen(desk)
    assert both.find_refusals([desk.fill()]) == [""]
    other.answers = Answers(other.cluster, other.chain)
    assert both.find_refusals([desk.fill()]) == [NOT_TAKEN]
    both.close()
    other.close()


class Vague(Answers):
    """A node whose simulations come to nothing."""

    def on_simulateTransaction(self, raw: str, settings: dict[str, Any]) -> Any:
        return self._told(settings, {"logs": []})


def test_a_simulation_without_a_result_is_no_answer(desk: Desk) -> None:
    desk.node.answers = Vague(desk.node.cluster, desk.node.chain)
    with pytest.raises(Unreachable, match="simulation"):
        desk.chain.find_refusals([desk.fill()])
