"""Nodes that go away, lag, lie or talk nonsense: nothing is credited, paid or lost by it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.startup_checks import SetupError
from tests.chains.anvil import RELAYER_KEY, Anvil, dollars
from tests.chains.front import (
    BROKEN,
    BUSY,
    FORGING,
    GONE,
    GREEDY,
    HONEST,
    LAGGING,
    NARROW,
    NONSENSE,
    WRONG_CHAIN,
    Front,
    front_of,
)
from tests.chains.live import ARBITRUM, BASE, LiveWorld, paid, write_profile
from tests.conformance.networks import open_evm

Fronts = dict[str, Front]


@pytest.fixture
def fronts(chains: dict[str, Anvil]) -> Iterator[Fronts]:
    with ExitStack() as stack:
        yield {chain: stack.enter_context(front_of(one)) for chain, one in chains.items()}


@pytest.fixture
def alone(tmp_path: Path, chains: dict[str, Anvil], fronts: Fronts) -> Iterator[LiveWorld]:
    """Each chain behind one node that may misbehave."""
    profile = write_profile(tmp_path, {chain: [one.url] for chain, one in fronts.items()})
    made = LiveWorld(tmp_path, chains, profile)
    yield made
    made.close()


def rested(world: LiveWorld) -> None:
    """Nodes that failed are asked again at once."""
    for chain in world.services.chains.values():
        for health in chain.context.pool._health.values():  # type: ignore[attr-defined]
            health.paused_until = 0.0
            health.failures = 0


def test_a_node_that_fails_in_the_middle_delays_and_loses_nothing(
    alone: LiveWorld, fronts: Fronts
) -> None:
    intent = alone.pay()
    alone.step()
    alone.deposit(intent)
    for mood in (GONE, BUSY, BROKEN, NONSENSE, WRONG_CHAIN):
        for front in fronts.values():
            front.mood = mood
        for chain in alone.services.chains.values():
            for health in chain.context.pool._health.values():  # type: ignore[attr-defined]
                health.chain_verified = False
        alone.step()
        before = alone.now(intent).state
        alone.engine.tick()
        assert alone.now(intent).state is before
        for front in fronts.values():
            front.mood = HONEST
        rested(alone)
        alone.step()
    alone.ends(intent, State.COMPLETED)
    alone.settled(intent)
    assert alone.held(intent) == paid(intent)


def test_another_node_takes_over(tmp_path: Path, chains: dict[str, Anvil], fronts: Fronts) -> None:
    urls = {chain: [fronts[chain].url, chains[chain].url] for chain in chains}
    world = LiveWorld(tmp_path, chains, write_profile(tmp_path, urls))
    intent = world.pay()
    world.step()
    world.deposit(intent)
    for front in fronts.values():
        front.mood = GONE
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(intent) == paid(intent)
    world.close()


def test_a_lagging_node_is_no_answer(chains: dict[str, Anvil], fronts: Fronts) -> None:
    chain, front = open_evm(chains[BASE], fronts[BASE].url), fronts[BASE]
    assert chain.heads().height == chains[BASE].height
    front.mood, front.frozen_at = LAGGING, chains[BASE].height - 2
    with pytest.raises(Unreachable, match="behind"):
        chain.heads()
    chain.close()


def test_a_price_that_nobody_asks_for_is_not_offered(
    chains: dict[str, Anvil], fronts: Fronts
) -> None:
    chain = open_evm(chains[BASE], fronts[BASE].url, chains[BASE].url)
    alone = open_evm(chains[BASE], fronts[BASE].url)
    fair = chain.fee_units()
    fronts[BASE].mood = GREEDY
    with pytest.raises(Unreachable, match="gwei: more than 500 is not believed"):
        alone.fee_units()
    other = open_evm(chains[BASE], fronts[BASE].url, chains[BASE].url)
    assert other.fee_units() == fair
    for one in (chain, alone, other):
        one.close()


def test_a_forged_deposit_is_not_credited_where_nodes_must_agree(
    tmp_path: Path, chains: dict[str, Anvil], fronts: Fronts
) -> None:
    urls = {chain: [fronts[chain].url, chains[chain].url] for chain in chains}
    world = LiveWorld(tmp_path, chains, write_profile(tmp_path, urls, quorum=2))
    intent = world.pay()
    world.step(2)
    base = chains[BASE]
    other = base.send("0x" + "11" * 20, intent.terms.deposit_amount)
    base.mine()
    event = base.rpc("eth_getTransactionReceipt", other)["logs"][0]
    topic = "0x" + intent.address[2:].lower().rjust(64, "0")
    event["topics"] = [*event["topics"][:2], topic]
    fronts[BASE].forged, fronts[BASE].mood = [event], FORGING
    world.step(5)
    assert world.now(intent).state is State.PENDING
    assert any("no block of" in words for words in world.words())
    fronts[BASE].mood = HONEST
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(intent) == paid(intent)
    world.close()


def test_questions_that_are_too_wide_are_halved_until_they_are_answered(
    chains: dict[str, Anvil], fronts: Fronts
) -> None:
    base, front = chains[BASE], fronts[BASE]
    chain = open_evm(base, front.url)
    before = chain.heads()
    addresses = [f"0x{n:040x}" for n in range(1, 8)]
    for address in addresses[:3]:
        base.pay(address, 5)
    base.mine(20)
    front.mood = NARROW
    found = chain.transfers_to(addresses, before.time)
    assert [one.to for one in found] == addresses[:3]
    chain.close()


def test_what_a_node_is_called_never_tells_its_key(
    alone: LiveWorld, fronts: Fronts, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fronts[BASE].mood = fronts[ARBITRUM].mood = BUSY
    alone.step(2)
    told = "".join(alone.words()) + "".join(capfd.readouterr())
    told += repr(alone.services.chains[BASE].context.pool._nodes)  # type: ignore[attr-defined]
    told += repr(alone.services.chains[BASE].context)  # type: ignore[attr-defined]
    assert "429" in told
    assert "a-secret-key" not in told
    assert RELAYER_KEY[2:] not in told
    database = (tmp_path / "crossway.db").read_bytes()
    assert b"a-secret-key" not in database
    assert RELAYER_KEY[2:].encode() not in database
    assert bytes.fromhex(RELAYER_KEY[2:]) not in database


def test_what_is_missing_is_refused_in_words_at_the_start(
    tmp_path: Path, chains: dict[str, Anvil]
) -> None:
    profile = write_profile(tmp_path, {chain: [one.url] for chain, one in chains.items()})
    base = chains[BASE]
    before = base.rpc("evm_snapshot")

    base.rpc("anvil_setCode", default_deployment().escrow2, "0x")
    with pytest.raises(SetupError, match=r"BASE_MAINNET: the Escrow2 is not deployed at 0x"):
        LiveWorld(tmp_path, chains, profile)
    base.rpc("evm_revert", before)
    base.rpc("anvil_setCode", default_deployment().filler2, "0x6001")
    with pytest.raises(SetupError, match="another contract than the Filler2"):
        LiveWorld(tmp_path, chains, profile)
    (tmp_path / "password").write_text("not it")
    with pytest.raises(SetupError, match="does not open with its password"):
        LiveWorld(tmp_path, chains, profile)
    profile.write_text(profile.read_text().replace("keystore:", "env:NO_SUCH_KEY_"))
    with pytest.raises(SetupError, match="the environment has no NO_SUCH_KEY_"):
        LiveWorld(tmp_path, chains, profile)
    assert dollars(BASE)
