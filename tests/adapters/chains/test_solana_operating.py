"""What operators do on Solana: putting the program there, making it final, looking around."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import pytest
from typer.testing import CliRunner

from crossway.adapters.chains.live.errands import Done, Plan
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.solana import code, family
from crossway.adapters.chains.solana.family import OpenedSolana
from crossway.catalogue import load
from crossway.cli.program import cli
from tests.chains.solana.node import NATIVE, PROGRAM, RELAYER, TREASURY, Node, dollars, running
from tests.promises.networks import SolanaNetwork
from tests.promises.test_chain import TOTAL, Payment, mined, send

CHAIN = "SOLANA_MAINNET"
CATALOGUE = load()
ENVIRONMENT = {"KEY": str(list(bytes(RELAYER)))}


def profile_of(node: Node, program: str = "") -> ChainProfile:
    return ChainProfile(
        rpc=[node.url], key="env:KEY", treasury=str(TREASURY.pubkey()), program=program,
        poll_seconds=0,
    )  # fmt: skip


@contextmanager
def opened(node: Node, program: str = "") -> Iterator[OpenedSolana]:
    profile = profile_of(node, program)
    made = family.open_chain(CATALOGUE, CHAIN, profile, ENVIRONMENT, Keyring(ENVIRONMENT))
    yield made
    made.chain.close()


@contextmanager
def making_blocks(node: Node) -> Iterator[None]:
    """Blocks come by themselves for a while."""
    over = Event()

    def make() -> None:
        while not over.wait(0.02):
            node.mine()

    maker = Thread(target=make)
    maker.start()
    try:
        yield
    finally:
        over.set()
        maker.join()


@pytest.fixture
def bare() -> Iterator[Node]:
    """A cluster without Crossway's program, which makes blocks by itself."""
    settings = {"time": int(time.time()), "seconds": 0.02}
    with running(CHAIN, ready=False, **settings) as node, making_blocks(node):
        yield node


def carry_out(plan: Plan, most: int = 99) -> list[Done]:
    return [errand.send(lambda tx_id: None) for errand in plan.errands[:most]]


def test_the_program_is_put_where_nothing_is_and_then_nothing_is_missing(bare: Node) -> None:
    with opened(bare) as there:
        before = bare.coins(there.chain.own.relayer)
        assert ["not deployed" in one for one in there.missing()] == [True]
        plan = there.deployment("")
        assert len(plan.errands) == 4
        assert all(done.worked for done in carry_out(plan))
        assert before - bare.coins(there.chain.own.relayer) <= plan.cost
        assert there.missing() == []
        assert [one.trouble for one in there.contracts()] == [""]
        assert there.deployment("").errands == ()
        program = there.contracts()[0].address
    with opened(bare, program) as named:
        assert [one.trouble for one in named.contracts()] == [""]


def test_a_deployment_that_was_broken_off_goes_on_where_it_was(bare: Node) -> None:
    with opened(bare) as there:
        carry_out(there.deployment(""), most=1)
        plan = there.deployment("")
        assert len(plan.errands) == 3
        carry_out(plan, most=1)
        plan = there.deployment("")
        assert len(plan.errands) == 2
        assert all(done.worked for done in carry_out(plan))
        assert there.missing() == []


def test_a_program_that_was_made_final_is_nobodys_to_replace(bare: Node) -> None:
    with opened(bare) as there:
        carry_out(there.deployment(""))
        ground = there.chain.ground
        authority = ground.nodes.one(lambda line: code.lying(ground, line)).authority
        assert authority == there.chain.own.relayer
        assert all(done.worked for done in carry_out(there.finishing()))
        assert ground.nodes.one(lambda line: code.lying(ground, line)).authority == ""
        assert there.finishing().errands == ()


def test_a_program_at_an_address_that_the_key_cannot_make_is_refused_in_words(bare: Node) -> None:
    words = r"chains\.SOLANA_MAINNET\.program.*leave it out"
    with opened(bare, bare.wallet("elsewhere")) as there, pytest.raises(ValueError, match=words):
        there.deployment("")


def test_what_stayed_of_settled_payments_can_be_asked_for(bare: Node) -> None:
    with opened(bare) as there:
        assert there.kept(dollars(CHAIN)) == 0
        token = CATALOGUE.tokens[CHAIN, "USDC"]
        assert there.held([token])[token.address] == bare.balance(there.chain.own.relayer)
        assert there.approval([token], None).errands == ()


def test_a_look_at_everything_says_what_is_right_and_what_is_not() -> None:
    with running(CHAIN) as node:
        profile, facts = profile_of(node, str(PROGRAM)), CATALOGUE.chains[CHAIN]
        with opened(node, str(PROGRAM)) as there:
            node.give(there.chain.own.bridger, 890_880, NATIVE)
            findings = [*family.nodes_findings(facts, profile, {}, node.time), *there.findings()]
        wrong = [(one.what, one.said) for one in findings if not one.right]
        assert wrong == []
        said = {one.what: one.said for one in findings}
        assert "the expected code" in said["program"]
        assert "may replace it" in said["program"]
        assert said["stock"].endswith("USDC")
        late = datetime(2030, 1, 1, tzinfo=UTC)
        old = family.nodes_findings(facts, profile, {}, late)
        assert any("old by this machine's clock" in one.said for one in old)


def test_an_operator_goes_live_on_solana_as_the_doctor_says(bare: Node, tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text(
        f'[chains.{CHAIN}]\nrpc = ["{bare.url}"]\nkey = "env:KEY"\npoll_seconds = 0\n'
        f'treasury = "{TREASURY.pubkey()}"\n'
    )
    settings = {"NETWORK": "live", "PROFILE": str(profile), "DATA_DIR": str(tmp_path / "data")}
    environment = ENVIRONMENT | {f"CROSSWAY_{name}": text for name, text in settings.items()}

    def says(*words: str, code: int = 0) -> str:
        told = CliRunner().invoke(cli, list(words), env=environment)
        text = told.stdout + told.stderr
        assert ENVIRONMENT["KEY"] not in text
        assert told.exit_code == code, text
        return text

    assert f"contracts deploy --chain {CHAIN}" in says("doctor", code=1)
    assert "not deployed" in says("contracts", "verify", code=1)
    done = says("contracts", "deploy", "--yes", "--final")
    assert "✓" in done
    assert "nobody can replace the program any more" in done
    looked = says("doctor")
    assert "nobody may replace it" in looked
    assert "Nothing wrong found" in looked
    assert "everything is there" in says("contracts", "deploy", "--yes")


def test_the_rent_of_old_notes_comes_back_once_nothing_needs_them() -> None:
    with running(CHAIN) as node, opened(node, str(PROGRAM)) as there:
        payment = Payment(SolanaNetwork(node, "program"))
        relayer, day = there.chain.own.relayer, 86_400
        assert mined(send(payment.network, payment.fill())).reason == ""
        node.pay(payment.address, TOTAL)
        assert mined(send(payment.network, payment.start())).reason == ""
        before = node.coins(relayer)
        node.cluster.later(31 * day)
        node.mine()
        # Its total was not paid out yet, and the fill could still be asked for.
        assert there.reclaiming().errands == ()
        node.cluster.later(30 * day)
        node.mine()
        plan = there.reclaiming()
        assert [one.what for one in plan.errands] == ["1 old note closed, for 0.00122496 SOL back"]
        with making_blocks(node):
            assert all(done.worked for done in carry_out(plan))
        assert 0 < before + 1_224_960 - node.coins(relayer) <= plan.cost
        # What operators do carries no number, and shows as made after the last that does.
        assert there.chain.next_nonce(relayer) == 2
        made = there.chain.made_by(relayer, 0)
        assert [(one.nonce, one.mined.reason) for one in made] == [(0, ""), (1, ""), (1, "")]
        assert there.reclaiming().errands == ()
        payment.network.opened.close()  # type: ignore[attr-defined]
