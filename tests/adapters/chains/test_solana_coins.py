"""Native SOL and tokens of the newer program, through the adapter, to the last lamport."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Thread

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.instructions import build_instructions
from crossway.adapters.chains.solana.operator_txs import plan_withdrawal
from crossway.adapters.chains.solana.pdas import MintRegistry
from crossway.domain.intent import Terms
from crossway.domain.money import Token
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.ports.chain import ALREADY_DONE, NOTHING_TO_MOVE, Cursor, IncludedTx
from tests.chains.solana.node import (
    NATIVE,
    RELAYER,
    RICH,
    STOCK,
    TOKEN_2022,
    TREASURY,
    Node,
    dollars,
    key_of,
    running,
)
from tests.conformance.networks import open_solana
from tests.processes import wait_until
from tests.simulation import AddressWatch

TOTAL = 25_000_000
EMPTY = 890_880
NEWER = "2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH"
RELAYING, TREASURER = str(RELAYER.pubkey()), str(TREASURY.pubkey())


def retained(chain: SolanaChain, token: str) -> int:
    relayer = chain.accounts.coordinator
    return chain.retained([relayer], token)[relayer]


@dataclass
class Desk:
    """A chain in one token, an intent on it, and what is done with it."""

    node: Node
    chain: SolanaChain
    token: str
    terms: Terms

    @property
    def key(self) -> str:
        return self.chain.intent_hash(self.terms)

    @property
    def address(self) -> str:
        return self.chain.deposit_address(self.key)

    def act(
        self, duty: OutboundTxKind, *outputs: Output, marker: str | None = None
    ) -> OutboundCall:
        own = self.chain.accounts
        return OutboundCall(
            duty,
            self.chain.id,
            own.relayer,
            self.key,
            outputs,
            marker,
            None,
            self.terms,
            own.bridger,
            own.coordinator,
        )

    def start(self) -> OutboundCall:
        bridger, back = self.chain.accounts.bridger, self.terms.refund_address
        return self.act(
            OutboundTxKind.START,
            Output(self.address, bridger, self.token, self.terms.deposit_amount),
            Output(self.address, back, self.token, None, required=False),
            marker=f"start:{self.key}",
        )

    def fill(self) -> OutboundCall:
        paid = Output(RELAYING, self.terms.recipient, self.token, self.terms.payout_amount)
        return self.act(OutboundTxKind.FILL, paid, marker=f"fill:{self.key}")

    def refund(self, token: str = "") -> OutboundCall:
        paid = Output(self.address, self.terms.refund_address, token or self.token, None)
        return self.act(OutboundTxKind.REFUND, paid)

    def settle(self, *paid: tuple[str, int]) -> OutboundCall:
        bridger = self.chain.accounts.bridger
        outputs = [Output(bridger, to, self.token, units) for to, units in paid]
        return self.act(OutboundTxKind.REIMBURSE, *outputs, marker=f"settle:{self.key}")

    def do(self, action: OutboundCall) -> IncludedTx:
        """What became of it; that the relayer's lamports fell by fee and payments is checked."""
        self.chain.heads()
        before = self.node.coins(RELAYING)
        nonce = self.chain.next_nonce(RELAYING)
        (signed,) = self.chain.sign([(action, nonce)], self.chain.fee_units())
        assert list(self.chain.broadcast([signed])) == [""]
        self.node.mine()
        became = self.chain.status([signed.tx_id])[signed.tx_id]
        assert isinstance(became, IncludedTx)
        out = sum(m.amount for m in became.transfers if m.source == RELAYING and m.token == NATIVE)
        back = sum(m.amount for m in became.transfers if m.to == RELAYING and m.token == NATIVE)
        assert before - self.node.coins(RELAYING) == became.fee_units + out - back
        assert became.fee_units <= signed.fee_units
        return became

    def moved(self, action: OutboundCall) -> list[tuple[str, str, int]]:
        became = self.do(action)
        assert became.reason == ""
        assert {one.token for one in became.transfers} <= {self.token, NATIVE}
        return [(one.source, one.to, one.amount) for one in became.transfers]

    def cursor(self) -> Cursor:
        head = self.chain.heads()
        return Cursor(head.height, head.block_hash)

    def arrived(self, after: Cursor) -> list[tuple[str, int]]:
        found = self.chain.scan(after, AddressWatch(self.address))
        assert all(self.chain.verify_inclusion(found.incoming))
        return [(one.token, one.amount) for one in found.incoming]


def opened(node: Node, token: str, newer: bool = False, life: float = 600) -> Desk:
    chain = open_solana(node)
    if newer:
        tokens = (*chain.context.tokens, token)
        ground = replace(chain.context, mints=MintRegistry(frozenset({token})), tokens=tokens)
        chain = SolanaChain(ground, HeadPolicy(0, 1e9))
    payer, recipient = node.wallet("a payer"), node.wallet("a recipient")
    expires: datetime = node.in_seconds(life)
    terms = Terms(
        nonce=7,
        source_chain=chain.id,
        destination_chain=chain.id,
        token_in=token,
        token_out=token,
        deposit_amount=TOTAL,
        payout_amount=TOTAL - 9,
        recipient=recipient,
        refund_address=payer,
        bridge="",
        expires_at=expires,
    )
    return Desk(node, chain, token, terms)


@pytest.fixture
def node() -> Iterator[Node]:
    with running() as made:
        yield made


@pytest.fixture
def coins(node: Node) -> Iterator[Desk]:
    made = opened(node, NATIVE)
    for one in (made.chain.accounts.bridger, made.terms.refund_address, TREASURER):
        node.give(one, EMPTY, NATIVE)
    yield made
    made.chain.close()


@pytest.fixture
def newer(node: Node) -> Iterator[Desk]:
    node.put_mint(NEWER, TOKEN_2022)
    for one in (str(RICH.pubkey()), RELAYING):
        node.give(one, STOCK, NEWER)
    made = opened(node, NEWER, newer=True)
    yield made
    made.chain.close()


@pytest.fixture
def desk(node: Node) -> Iterator[Desk]:
    made = opened(node, dollars(node.chain))
    yield made
    made.chain.close()


def test_sol_is_found_started_filled_and_settled_to_the_lamport(coins: Desk) -> None:
    node, own = coins.node, coins.chain.accounts
    before = coins.cursor()
    node.pay(coins.address, TOTAL, NATIVE)
    assert coins.arrived(before) == [(NATIVE, TOTAL)]
    assert coins.moved(coins.start()) == [(coins.address, own.bridger, TOTAL)]
    assert coins.moved(coins.fill()) == [(RELAYING, coins.terms.recipient, TOTAL - 9)]
    assert coins.do(coins.fill()).reason == ALREADY_DONE
    paid = [(RELAYING, TOTAL - 100), (TREASURER, 60)]
    assert coins.moved(coins.settle(*paid)) == [(own.bridger, to, units) for to, units in paid]
    assert coins.do(coins.settle((TREASURER, 1))).reason == ALREADY_DONE
    assert node.coins(own.bridger) == EMPTY + 40
    assert node.coins(coins.terms.recipient) == TOTAL - 9
    assert node.coins(TREASURER) == EMPTY + 60


def test_what_stayed_of_sol_is_taken_out(coins: Desk) -> None:
    coins.node.pay(coins.address, TOTAL, NATIVE)
    coins.moved(coins.start())
    coins.moved(coins.settle((TREASURER, TOTAL - 40)))
    assert retained(coins.chain, NATIVE) == 40
    listed = coins.chain.context.catalogue.by_chain[coins.chain.id]
    sol: Token = next(one for one in listed if one.address == NATIVE)
    plan = plan_withdrawal(coins.chain, sol, TREASURER, 40)
    sent: list[str] = []

    # It waits for its block, which another hand makes.
    def hand() -> None:
        wait_until("the transaction waits", lambda: bool(coins.node.cluster.pool))
        coins.node.mine()

    maker = Thread(target=hand)
    maker.start()
    done = plan.transactions[0].send(sent.append)
    maker.join()
    assert done.succeeded
    assert retained(coins.chain, NATIVE) == 0
    assert coins.node.coins(TREASURER) == EMPTY + TOTAL


def test_sol_that_is_over_or_late_goes_back(coins: Desk) -> None:
    back = coins.terms.refund_address
    coins.node.pay(coins.address, TOTAL + 7, NATIVE)
    assert coins.moved(coins.start())[1:] == [(coins.address, back, 7)]
    before = coins.cursor()
    coins.node.pay(coins.address, 2 * EMPTY, NATIVE)
    assert coins.arrived(before) == [(NATIVE, 2 * EMPTY)]
    assert coins.moved(coins.refund()) == [(coins.address, back, 2 * EMPTY)]
    assert coins.do(coins.refund()).reason == NOTHING_TO_MOVE
    assert coins.node.coins(back) == 3 * EMPTY + 7


def test_dust_of_sol_that_nobody_can_hold_stays_the_deposits(coins: Desk) -> None:
    """The payer has no account: what is over lies aside, and is no movement in the books."""
    back = coins.terms.refund_address
    coins.node.give(back, 0, NATIVE)
    coins.node.pay(coins.address, TOTAL + 7, NATIVE)
    assert coins.moved(coins.start()) == [(coins.address, coins.chain.accounts.bridger, TOTAL)]
    assert coins.do(coins.refund()).reason
    coins.node.give(back, EMPTY, NATIVE)
    assert coins.moved(coins.refund()) == [(coins.address, back, 7)]


def test_a_short_deposit_of_sol_waits_and_too_little_sol_is_refused(coins: Desk) -> None:
    coins.node.pay(coins.address, TOTAL - 1, NATIVE)
    short = coins.do(coins.start())
    assert short.reason
    assert not short.permanent
    coins.node.pay(coins.address, EMPTY, NATIVE)
    assert len(coins.moved(coins.start())) == 2


def test_a_token_of_the_newer_program_goes_all_the_way(newer: Desk) -> None:
    node, own, back = newer.node, newer.chain.accounts, newer.terms.refund_address
    node.give(back, 0, NEWER)
    before = newer.cursor()
    node.pay(newer.address, TOTAL + 5, NEWER)
    assert newer.arrived(before) == [(NEWER, TOTAL + 5)]
    assert newer.moved(newer.start()) == [
        (newer.address, own.bridger, TOTAL),
        (newer.address, back, 5),
    ]
    assert newer.moved(newer.fill()) == [(RELAYING, newer.terms.recipient, TOTAL - 9)]
    assert newer.do(newer.fill()).reason == ALREADY_DONE
    paid = [(RELAYING, TOTAL - 100), (TREASURER, 60)]
    assert newer.moved(newer.settle(*paid)) == [(own.bridger, to, units) for to, units in paid]
    assert retained(newer.chain, NEWER) == 40
    assert newer.chain.balances([own.bridger, TREASURER, back], NEWER) == {
        own.bridger: 40,
        TREASURER: 60,
        back: 5,
    }


def test_a_mint_that_takes_a_share_is_refused_for_good(newer: Desk) -> None:
    fee = (1).to_bytes(2, "little") + (108).to_bytes(2, "little") + bytes(72 + 16) + b"\1\0"
    newer.node.put_mint(NEWER, TOKEN_2022, fee + bytes(18))
    newer.node.give(newer.address, TOTAL, NEWER)
    refused = newer.do(newer.start())
    assert (refused.permanent, "fee" in refused.reason) == (True, True)


def test_a_deposit_that_a_stranger_started_in_one_transaction_is_found(desk: Desk) -> None:
    node = desk.node
    before, stranger = desk.cursor(), key_of("a stranger")
    node.give(str(stranger.pubkey()), 10**9, NATIVE)
    node.give(str(stranger.pubkey()), TOTAL)
    asked = [
        node.creation(str(stranger.pubkey()), desk.chain.accounts.bridger, desk.token),
        *node.payment(str(stranger.pubkey()), desk.address, TOTAL, desk.token),
        started_by(desk, str(stranger.pubkey())),
    ]
    landed = node.do(asked, stranger)
    assert landed.err is None, landed.meta.logs()
    assert desk.chain.executed({f"start:{desk.key}"}) == {f"start:{desk.key}"}
    found = desk.chain.transfers_to([desk.address])
    assert [(one.tx_hash, one.amount) for one in found] == [(landed.name, TOTAL)]
    assert desk.chain.verify_inclusion(found) == [True]
    assert desk.arrived(before) == [(desk.token, TOTAL)]
    # Once, and what comes after it is told apart.
    now = desk.cursor()
    assert desk.arrived(now) == []
    node.pay(desk.address, 5)
    assert [units for _, units in desk.arrived(now)] == [5]


def test_a_deposit_that_was_started_between_two_looks_is_found(desk: Desk) -> None:
    node = desk.node
    before, stranger = desk.cursor(), key_of("a stranger")
    node.give(str(stranger.pubkey()), 10**9, NATIVE)
    node.pay(desk.address, TOTAL)
    made = node.creation(str(stranger.pubkey()), desk.chain.accounts.bridger, desk.token)
    landed = node.do([made, started_by(desk, str(stranger.pubkey()))], stranger)
    assert landed.err is None, landed.meta.logs()
    assert desk.arrived(before) == [(desk.token, TOTAL)]
    # Once, and what comes after it is told apart.
    now = desk.cursor()
    assert desk.arrived(now) == []
    node.pay(desk.address, 5)
    assert [units for _, units in desk.arrived(now)] == [5]


def test_what_a_stranger_did_is_asked_for_until_the_node_has_it(desk: Desk) -> None:
    node, watch = desk.node, AddressWatch(desk.address)
    stranger = key_of("a stranger")
    node.give(str(stranger.pubkey()), 10**9, NATIVE)
    node.pay(desk.address, TOTAL)
    made = node.creation(str(stranger.pubkey()), desk.chain.accounts.bridger, desk.token)
    before = desk.cursor()
    landed = node.do([made, started_by(desk, str(stranger.pubkey()))], stranger)
    node.answers.lacking.add(landed.name)
    seen = desk.chain.scan(before, watch)
    assert not seen.incoming
    node.mine()
    node.answers.lacking.clear()
    found = desk.chain.scan(seen.cursor, watch)
    assert [one.amount for one in found.incoming] == [TOTAL]
    assert not desk.chain.scan(found.cursor, watch).incoming


def started_by(desk: Desk, caller: str) -> Instruction:
    """The program's start, called by another than our account."""
    made = build_instructions(desk.chain.context.instruction_context, desk.start(), 0, False)[-1]
    first = AccountMeta(Pubkey.from_string(caller), True, True)
    return Instruction(made.program_id, made.data, [first, *made.accounts[1:]])
