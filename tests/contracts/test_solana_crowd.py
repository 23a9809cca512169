"""A crowd does whatever it likes with Solana's program, and every unit stays explained."""

import random
from collections import Counter
from collections.abc import Callable

import pytest
from solders.pubkey import Pubkey

from tests.chains.solana.cluster import Landed
from tests.chains.solana.node import (
    COINS,
    NATIVE,
    RELAYER,
    RICH,
    STOCK,
    TREASURY,
    Node,
    dollars,
    key_of,
    running,
)
from tests.chains.solana.program import DAY, EMPTY, Deal, deal, logged, said, vault_of

STEPS = 300
THIEF = key_of("a thief")
TREASURER, RELAYING = str(TREASURY.pubkey()), str(RELAYER.pubkey())
START, EXCESS, REFUND, FILL, SETTLE, WITHDRAW, ASIDE = range(1, 8)


class Crowd:
    """Four intents, two in dollars and two in SOL, and what everybody tries with them."""

    def __init__(self, node: Node, seed: int) -> None:
        self.node, self.dice = node, random.Random(seed)
        for who in (str(THIEF.pubkey()), TREASURER):
            node.give(who, COINS, NATIVE)
            node.give(who, STOCK)
        node.give(vault_of(RELAYING), EMPTY, NATIVE)
        self.deals = [
            deal(node, f"{mint[:3]} {name}", life=500, mint=mint, total=total, amount=total - 9)
            for mint, total in ((dollars(node.chain), 1_000), (NATIVE, 5_000_000))
            for name in ("one", "two")
        ]
        self.steps = 0
        self.started: set[bytes] = set()
        self.filled: set[bytes] = set()
        self.settled: Counter[bytes] = Counter()
        self.late: list[bytes] = []
        self.results: Counter[str] = Counter()
        self.everybody = {RELAYING, TREASURER, str(THIEF.pubkey()), str(RICH.pubkey())}
        self.everybody |= {vault_of(RELAYING), vault_of(str(THIEF.pubkey()))}
        for one in self.deals:
            self.everybody |= {one.owner, one.refund_to, one.recipient}
        self.dollars = self._dollars()

    def step(self) -> None:
        one = self.dice.choice(self.deals)
        thief = self.dice.random() < 0.3
        by = THIEF if thief else RELAYER
        mine = one.but(caller=str(by.pubkey()))
        if thief and self.dice.random() < 0.3:
            term = self.dice.choice(["bridger", "refund_to", "recipient", "coordinator"])
            mine = mine.but(**{term: mine.caller}).with_(_1=one.owner, _2=one.ata(one.owner))
        units = self.dice.choice([1, 9, one.total // 2, one.total, 2 * one.total])
        actions: list[Callable[[], object]] = [
            lambda: self.node.send(one.owner, max(units, EMPTY * (one.mint == NATIVE)), one.mint),
            lambda: self.node.send(one.owner, units, self.deals[0].mint),
            lambda: self.node.send(one.state, EMPTY, NATIVE),
            lambda: self.node.cluster.later(self.dice.choice([1, 20, 60])),
        ] * 2
        self.steps += 1
        if self.steps > STEPS // 2 and self.dice.random() < 0.05:
            actions = [lambda: self.node.cluster.later(self.dice.choice([4, 31, 61]) * DAY)]
        told = [
            mine.start, mine.start, mine.refund, lambda: mine.refund(self.deals[0].mint), mine.fill,
            lambda: mine.settle((mine.caller, units)), mine.settle,
            lambda: mine.settle((TREASURER, units), (one.recipient, 1)),
            lambda: mine.withdraw(mine.caller, units), lambda: mine.redirect(mine.caller),
            lambda: mine.close(one.state, RELAYING), lambda: mine.close(one.marker, RELAYING),
        ]  # fmt: skip
        if self.dice.random() < 0.4:
            self.dice.choice(actions)()
            self.node.mine()
            return
        landed = self.node.do([self.dice.choice(told)()], by)
        self.results[said(landed) or "done"] += 1
        self._note(landed)

    def _note(self, landed: Landed) -> None:
        time = self.node.cluster.newest.time
        for line in logged(landed) if landed.err is None else ():
            key, units = line[2:34], int.from_bytes(line[-8:], "little")
            if line[:1] == b"R":
                self.settled[key] += units
            elif line[1] == START:
                assert key not in self.started
                self.started.add(key)
                self.late += [
                    key for one in self.deals if one.intent_hash == key and time >= one.expiry
                ]
            elif line[1] == FILL:
                assert key not in self.filled
                self.filled.add(key)
            elif line[1] == SETTLE:
                self.settled[key] += units

    def check(self) -> None:
        """Every unit is where the program's own words put it."""
        assert not self.late
        assert self._dollars() == self.dollars
        for one in self.deals:
            assert self.settled[one.intent_hash] <= one.total
            if self.settled[one.intent_hash]:
                assert one.intent_hash in self.started
                assert self.settled[one.intent_hash] == one.total
        for mint in {one.mint for one in self.deals}:
            owed = sum(
                one.total
                for one in self.deals
                if one.mint == mint
                and one.intent_hash in self.started
                and not self.settled[one.intent_hash]
            )
            first = next(one for one in self.deals if one.mint == mint)
            kept = self.node.cluster.svm.get_account(Pubkey.from_string(first.retained()))
            owed += int.from_bytes(kept.data[8:16], "little") if kept else 0
            spare = EMPTY if mint == NATIVE else 0
            assert self.node.balance(vault_of(RELAYING), mint) - spare == owed

    def _dollars(self) -> int:
        return sum(self.node.balance(one, dollars(self.node.chain)) for one in self.everybody)


@pytest.mark.parametrize("seed", range(4))
def test_random_calls_leave_every_unit_accounted_for(seed: int) -> None:
    with running() as node:
        crowd = Crowd(node, seed)
        for _ in range(STEPS):
            crowd.step()
            crowd.check()
        assert crowd.results["done"] > STEPS // 20, crowd.results
        assert crowd.started
        assert crowd.filled


def test_a_fork_reverts_its_transactions() -> None:
    """The cluster of these tests: what a fork undoes is undone, and can be done again."""
    with running() as node:
        one: Deal = deal(node)
        node.pay(one.owner, one.total)
        node.mine(3)
        assert one.do(one.start()) == ""
        assert one.do(one.fill()) == ""
        node.reorganise(2)
        assert (one.holds(one.owner), one.holds(one.recipient)) == (one.total, 0)
        assert node.coins(one.state) == node.coins(one.marker) == 0
        node.reorganise(6)
        assert one.holds(one.owner) == 0
        node.mine()
        assert one.holds(one.owner) == one.total
        assert one.do(one.start()) == ""
        assert one.do(one.fill()) == ""
