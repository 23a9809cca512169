"""What CCTP burns on one chain, it mints on another, once, whatever happens in whatever order."""

import tempfile
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from crossway.adapters.chains.simulated.blocks.derivation import intent_hash
from crossway.adapters.chains.simulated.blocks.tables import (
    attestations,
    balances,
    bridge_events,
    transactions,
)
from crossway.adapters.chains.simulated.blocks.transactions import DEPOSIT, parse
from crossway.adapters.chains.simulated.bridging.sandbox import SimulatedBridgeSandbox
from crossway.adapters.chains.simulated.contracts.cctp_messages import BurnMessage
from crossway.adapters.chains.simulated.contracts.reach import CCTP_FAST, COLLECTORS
from crossway.domain.bridge_transfer import ArrivalOutcome as Outcome
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.ports.sandbox import BridgeFaults, Faults, StrangerAction
from tests.bridges.payments import sent_intent
from tests.simulation import BASE, START, Simulation, dollars, wallet

ARBITRUM = "ARBITRUM_MAINNET"
COLLECTOR = COLLECTORS[CCTP_FAST]
SMALL = st.integers(0, 2)
STEP = st.one_of(
    st.tuples(st.just("deposit"), SMALL, SMALL),
    st.tuples(st.sampled_from(list(StrangerAction)), SMALL, SMALL),
    st.tuples(st.sampled_from([StrangerAction.SEND, StrangerAction.DELIVER]), SMALL, SMALL),
    st.tuples(st.just("wait"), st.integers(1, 30), SMALL),
    st.tuples(st.just("reorganise"), st.integers(1, 8), st.integers(0, 1)),
    st.tuples(st.just("refuse"), SMALL, st.integers(0, 1)),
    st.tuples(st.just("pause"), st.integers(0, 1), SMALL),
)


class Books:
    """Three payments from Base to Arbitrum, and what the chains must have of them."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation, self.bridges = simulation, SimulatedBridgeSandbox(simulation.network)
        self.chains = {name: simulation.chain(name) for name in (BASE, ARBITRUM)}
        for chain in self.chains.values():
            chain.heads()
        self.intents = [self.build(number) for number in range(3)]
        self.at_start = {name: self.supply(name) for name in self.chains}

    def build(self, number: int) -> Intent:
        intent = sent_intent(number + 1)
        terms = replace(
            intent.terms,
            expires_at=datetime.fromtimestamp(START + 300, UTC) + timedelta(hours=number),
            recipient=wallet(self.chains[ARBITRUM], f"recipient {number}"),
            refund_address=wallet(self.chains[BASE], f"refund {number}"),
        )
        name = intent_hash(terms)
        return replace(
            intent,
            terms=terms,
            intent_hash=name,
            bridger=COLLECTOR,
            address=self.chains[BASE].deposit_address(name),
            coordinator=self.chains[BASE].accounts.coordinator,
        )

    def take(self, step: tuple[Any, int, int]) -> None:
        name, first, second = step
        sandbox = self.simulation.sandbox
        if name == "wait":
            self.simulation.pass_time(first)
        elif name == "reorganise":
            sandbox.inject_faults([BASE, ARBITRUM][second], Faults(reorg_depth=first))
        elif name == "pause":
            self.bridges.inject_faults("CCTP", BridgeFaults(paused=bool(first)))
        elif name == "refuse":
            recipient = [self.intents[first].terms.recipient]
            faults = Faults(refuse=recipient) if second else Faults(accept=recipient)
            sandbox.inject_faults(ARBITRUM, faults)
        elif name == "deposit":
            intent = self.intents[first]
            sandbox.deposit(BASE, intent.address, dollars(), intent.terms.deposit_amount + second)
        else:
            try:
                self.bridges.act_as_stranger(self.intents[first], name)
            except InvalidInput:
                assert name is StrangerAction.DELIVER

    def read(self, query: Any) -> list[Any]:
        with self.simulation.reading.connect() as db:
            return list(db.execute(query))

    def supply(self, chain: str) -> int:
        query = select(balances.c.units).where(
            balances.c.chain == chain, balances.c.token == dollars(chain)
        )
        return sum(int(units) for (units,) in self.read(query))

    def events(self, chain: str) -> list[Any]:
        return self.read(select(bridge_events).where(bridge_events.c.chain == chain))

    def deposited(self, chain: str) -> int:
        """What payers, and strangers' own pockets, brought to a chain."""
        query = select(transactions.c.raw).where(transactions.c.chain == chain)
        parsed = [parse("evm", raw) for (raw,) in self.read(query)]
        return sum(tx.outputs[0][3] or 0 for tx in parsed if tx.kind == DEPOSIT)

    def held(self, chain: str, address: str) -> int:
        return self.chains[chain].balances([address], dollars(chain))[address]

    def check(self) -> None:
        # A chain makes the blocks that are due when it is asked, and not when its tables are read.
        for chain in (BASE, ARBITRUM):
            self.held(chain, COLLECTOR)
        base, arbitrum = self.events(BASE), self.events(ARBITRUM)
        burnt = sum(int(e.got) for e in base if e.kind == "sent")
        assert self.supply(BASE) == self.at_start[BASE] + self.deposited(BASE) - burnt
        attested = {
            row.message_id: BurnMessage.parse(row.message).amount
            for row in self.read(select(attestations))
        }
        delivered = [e.message_id for e in arbitrum if e.message_id]
        assert len(set(delivered)) == len(delivered)
        minted = sum(attested[message_id] for message_id in delivered)
        expected = self.at_start[ARBITRUM] + self.deposited(ARBITRUM) + minted
        assert self.supply(ARBITRUM) == expected
        self.check_contracts(base, arbitrum)

    def check_contracts(self, base: list[Any], arbitrum: list[Any]) -> None:
        """The contracts hold what was collected and not sent, what is owed, and what is parked."""
        started = sum(int(e.got) for e in base if e.kind == "started")
        spent = sum(int(e.got) for e in base if e.kind in ("sent", "given back"))
        assert self.held(BASE, COLLECTOR) == started - spent
        arrived = [e for e in arbitrum if e.kind == "arrived"]
        owed = sum(int(e.credited) for e in arrived)
        ended = {
            e.intent_hash for e in arrived if e.outcome in (Outcome.RELEASED, Outcome.UNPARKED)
        }
        parked = sum(
            int(e.got)
            for e in arrived
            if e.outcome == Outcome.PARKED and e.intent_hash not in ended
        )
        assert self.held(ARBITRUM, COLLECTOR) == owed + parked
        filled = Counter(e.intent_hash for e in arbitrum if e.kind == "filled")
        for intent in self.intents:
            assert filled[intent.intent_hash] <= 1
            paid = self.held(ARBITRUM, intent.terms.recipient)
            assert paid == filled[intent.intent_hash] * intent.terms.payout_amount


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(st.lists(STEP, min_size=3, max_size=25))
def test_nothing_is_minted_that_was_not_burnt(steps: list[tuple[Any, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(f"sqlite:///{Path(folder) / 'network.db'}")
        books = Books(simulation)
        for step in steps:
            books.take(step)
            books.check()
        simulation.close()


def test_a_burn_that_is_included_again_pays_nobody_twice(tmp_path: Path) -> None:
    simulation = Simulation(f"sqlite:///{tmp_path / 'network.db'}")
    books = Books(simulation)
    twice = [StrangerAction.SEND, "wait", StrangerAction.DELIVER, "reorganise", "wait"]
    for name in ("deposit", *twice, StrangerAction.DELIVER, StrangerAction.DELIVER):
        books.take((name, {"wait": 8, "reorganise": 12}.get(name, 0), 0))
        books.check()
    outcomes = [e.outcome for e in books.events(ARBITRUM) if e.kind == "arrived"]
    assert outcomes == [Outcome.PAID, Outcome.REPEATED]
    simulation.close()
