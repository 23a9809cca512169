"""Payments between families of chains in one service, every balance to the unit."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.engine.nonce_monitor import NonceMonitor
from crossway.usecases.money.reconciliation import reconcile
from tests.chains.families import CATALOGUE, RUNNING, all_running
from tests.chains.service import Hands, RealWorld, fees

# Four chains are started for the first of them, beside whatever else the machine does.
NAMED = {
    "evm": "0x[0-9a-f]{64}",
    "solana": "[1-9A-HJ-NP-Za-km-z]{86,88}",
    "starknet": "0x[0-9a-f]{64}",
    "tron": "[0-9a-f]{64}",
}
Chains = dict[str, Hands]
Units = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def chains() -> Iterator[Chains]:
    with all_running() as made:
        yield made


@pytest.fixture
def world(tmp_path: Path, chains: Chains) -> Iterator[RealWorld[Hands]]:
    made = RealWorld(tmp_path, chains)
    yield made
    made.close()


def round_trip(world: RealWorld[Hands], kind: str = "") -> list[Intent]:
    """A payment from each family to the next one, and from the last to the first."""
    names = list(world.hands)
    pairs = zip(names, names[1:] + names[:1], strict=True)
    return [world.ask(f"{kind} from {a}", a, b) for a, b in pairs]


def all_end(world: RealWorld[Hands], made: list[Intent]) -> list[Intent]:
    done = [world.ends(intent, State.COMPLETED) for intent in made]
    for intent in made:
        world.settled(intent)
    return done


def before(world: RealWorld[Hands]) -> Units:
    """What Crossway's own accounts hold of earlier payments, by chain and holder."""
    return {
        name: {
            "escrow": one.balance(world.services.chains[name].accounts.bridger),
            "treasury": one.balance(one.treasury),
            "relayer": one.balance(one.relayer),
        }
        for name, one in world.hands.items()
    }


def held(world: RealWorld[Hands], made: list[Intent], base: Units) -> Units:
    """Units by chain and holder; of Crossway's own accounts what they hold more than before."""
    found: Units = {}
    for name, one in world.hands.items():
        [leaving] = [i for i in made if i.terms.source_chain == name]
        [arriving] = [i for i in made if i.terms.destination_chain == name]
        found[name] = {
            "payer": one.balance(leaving.terms.refund_address),
            "deposit": one.balance(leaving.address),
            "recipient": one.balance(arriving.terms.recipient),
            "escrow": one.balance(leaving.bridger) - base[name]["escrow"],
            "treasury": one.balance(one.treasury) - base[name]["treasury"],
            "relayer": one.balance(one.relayer) - base[name]["relayer"],
        }
    return found


def right(world: RealWorld[Hands], made: list[Intent], back: int = 0) -> Units:
    """What the terms say."""
    said: Units = {}
    for name in world.hands:
        [leaving] = [i for i in made if i.terms.source_chain == name]
        [arriving] = [i for i in made if i.terms.destination_chain == name]
        out, total = arriving.terms.payout_amount, leaving.terms.deposit_amount
        said[name] = {
            "payer": back,
            "deposit": 0,
            "recipient": out,
            "escrow": fees(leaving) - leaving.costs.treasury_units,
            "treasury": leaving.costs.treasury_units,
            "relayer": total - fees(leaving) - out,
        }
    return said


def test_payments_from_family_to_family_pay_everyone_what_the_terms_say(
    world: RealWorld[Hands],
) -> None:
    made, base = round_trip(world, "exact"), before(world)
    world.step()
    world.record_openings()
    for intent in made:
        world.deposit(intent)
    done = all_end(world, made)
    assert held(world, made, base) == right(world, made)
    for intent in done:
        found = CATALOGUE.chains[intent.terms.destination_chain]
        # What explorers take: Tron's names are bare, and Solana's are of 64 bytes.
        assert re.fullmatch(NAMED[found.kind], str(intent.tx_hash))
        assert found.tx_url(str(intent.tx_hash)).endswith(f"/{intent.tx_hash}")
    for intent in made:
        to = world.services.chains[intent.terms.destination_chain]
        assert intent.destination_address == to.deposit_address(intent.intent_hash)
    sentences = reconcile(world.services, world.operator).sentences()
    assert sentences == ["The books and the chains agree."]


def test_what_is_over_and_what_is_late_goes_back_on_every_family(world: RealWorld[Hands]) -> None:
    made, base = round_trip(world, "over"), before(world)
    world.step()
    for intent in made:
        world.deposit(intent, intent.terms.deposit_amount + 3_000_000)
    all_end(world, made)
    assert held(world, made, base) == right(world, made, back=3_000_000)
    for intent in made:
        # A return on Tron can cost more than two dollars.
        world.deposit(intent, 20_000_000)
    world.until(lambda: all(one["payer"] == 23_000_000 for one in held(world, made, base).values()))
    for intent in made:
        world.settled(intent)
    assert held(world, made, base) == right(world, made, back=23_000_000)


def test_a_short_payment_waits_for_its_top_up_on_every_family(world: RealWorld[Hands]) -> None:
    made, base = round_trip(world, "short"), before(world)
    world.step()
    for intent in made:
        world.deposit(intent, intent.terms.deposit_amount - 5)
    world.step(3)
    assert {world.now(intent).state for intent in made} == {State.PENDING}
    for intent in made:
        world.deposit(intent, 5)
    all_end(world, made)
    assert held(world, made, base) == right(world, made)


def test_what_a_recipient_would_refuse_is_collected_on_no_family(world: RealWorld[Hands]) -> None:
    made = round_trip(world, "refused")
    world.step()
    for intent in made:
        world.hands[intent.terms.destination_chain].refuse(intent.terms.recipient)
        world.deposit(intent)

    def starts() -> list[OutboundTx]:
        with world.services.store.read() as unit:
            return unit.outbound_txs.list_by_intents([i.id for i in made], OutboundTxKind.START)

    def all_wait() -> bool:
        found = starts()
        return len(found) == len(made) and all("cannot be paid" in t.reason for t in found)

    world.until(all_wait)
    world.step(3)
    assert all_wait()
    assert {start.state for start in starts()} == {OutboundTxState.DUE}
    for intent in made:
        held_there = world.hands[intent.terms.source_chain].balance(intent.address)
        assert held_there == intent.terms.deposit_amount


def test_nonces_that_nobody_used_stop_no_family(
    world: RealWorld[Hands],
) -> None:
    made = round_trip(world, "after a gap")
    world.step()
    numbered = {i: c for i, c in world.services.chains.items() if c.has_nonces}
    for chain_id, chain in numbered.items():
        relayer = chain.accounts.relayer
        first = chain.next_nonce(relayer)
        world.services.store.write(
            lambda unit, where=(chain_id, relayer, 2, first): unit.account_nonces.reserve(*where)
        )
    for intent in made:
        world.deposit(intent)
    monitor = NonceMonitor(world.services, timedelta(0))

    def all_skipped() -> bool:
        return monitor.check({i: chain.heads() for i, chain in numbered.items()}) > 0

    world.until(all_skipped)
    all_end(world, made)
    with world.services.store.read() as unit:
        skips = unit.outbound_txs.list_by_intents([i.id for i in made], OutboundTxKind.SKIP_NONCE)
    assert Counter(skip.chain for skip in skips) == dict.fromkeys(numbered, 2)


def test_every_family_took_part(chains: Chains) -> None:
    if absent := set(RUNNING) - set(chains):
        pytest.skip(f"{', '.join(sorted(absent))} took no part: this machine cannot run them")
