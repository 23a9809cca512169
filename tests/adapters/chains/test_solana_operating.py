"""What operators do on Solana: putting the program there, making it final, looking around."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import pytest
from typer.testing import CliRunner

from crossway.adapters.chains.rpc.family import ChainSettings
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.operator_txs import OperatorTxResult, TxPlan
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.solana import on_chain_program
from crossway.adapters.chains.solana.family import SolanaFamily, SolanaOperator
from crossway.catalogue import load_catalogue
from crossway.cli.program import cli
from tests.chains.solana.node import NATIVE, PROGRAM, RELAYER, TREASURY, Node, dollars, running
from tests.conformance.networks import SolanaNetwork
from tests.conformance.test_chain import TOTAL, Payment, mined, send

CHAIN = "SOLANA_MAINNET"
CATALOGUE = load_catalogue()
ENVIRONMENT = {"KEY": str(list(bytes(RELAYER)))}


def profile_of(node: Node, program: str = "") -> ChainProfile:
    return ChainProfile(
        rpc=[node.url],
        key="env:KEY",
        treasury=str(TREASURY.pubkey()),
        program=program,
        poll_seconds=0,
        clock_seconds=1e9,
    )


@contextmanager
def opened(node: Node, program: str = "") -> Iterator[SolanaOperator]:
    profile = profile_of(node, program)
    settings = ChainSettings(CATALOGUE, CHAIN, profile, Keyring(ENVIRONMENT))
    made = SolanaFamily().open_chain(settings)
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


def carry_out(plan: TxPlan, most: int = 99) -> list[OperatorTxResult]:
    return [errand.send(lambda tx_id: None) for errand in plan.transactions[:most]]


def test_the_program_is_put_where_nothing_is_and_then_nothing_is_missing(bare: Node) -> None:
    with opened(bare) as there:
        before = bare.coins(there.chain.accounts.relayer)
        assert ["not deployed" in one for one in there.unmet_requirements()] == [True]
        plan = there.plan_deployment("")
        assert len(plan.transactions) == 4
        assert all(done.succeeded for done in carry_out(plan))
        assert before - bare.coins(there.chain.accounts.relayer) <= plan.max_cost
        assert there.unmet_requirements() == []
        assert [one.problem for one in there.check_contracts()] == [""]
        assert there.plan_deployment("").transactions == ()
        program = there.check_contracts()[0].address
    with opened(bare, program) as named:
        assert [one.problem for one in named.check_contracts()] == [""]


def test_a_deployment_that_was_broken_off_goes_on_where_it_was(bare: Node) -> None:
    with opened(bare) as there:
        carry_out(there.plan_deployment(""), most=1)
        plan = there.plan_deployment("")
        assert len(plan.transactions) == 3
        carry_out(plan, most=1)
        plan = there.plan_deployment("")
        assert len(plan.transactions) == 2
        assert all(done.succeeded for done in carry_out(plan))
        assert there.unmet_requirements() == []


def test_a_program_that_was_made_final_is_nobodys_to_replace(bare: Node) -> None:
    with opened(bare) as there:
        carry_out(there.plan_deployment(""))
        ground = there.chain.context
        authority = ground.pool.first(
            lambda line: on_chain_program.fetch_program(ground, line)
        ).authority
        assert authority == there.chain.accounts.relayer
        assert all(done.succeeded for done in carry_out(there.plan_finalization()))
        assert (
            ground.pool.first(lambda line: on_chain_program.fetch_program(ground, line)).authority
            == ""
        )
        assert there.plan_finalization().transactions == ()


def test_a_program_at_an_address_that_the_key_cannot_make_is_refused_in_words(bare: Node) -> None:
    words = r"chains\.SOLANA_MAINNET\.program.*leave it out"
    with opened(bare, bare.wallet("elsewhere")) as there, pytest.raises(ValueError, match=words):
        there.plan_deployment("")


def test_what_stayed_of_settled_payments_can_be_asked_for(bare: Node) -> None:
    with opened(bare) as there:
        assert there.retained_amount(dollars(CHAIN), there.chain.accounts.relayer) == 0
        token = CATALOGUE.tokens[CHAIN, "USDC"]
        assert there.token_balances([token])[token.address] == bare.balance(
            there.chain.accounts.relayer
        )
        assert there.plan_approval([token], None).transactions == ()


def test_a_look_at_everything_says_what_is_right_and_what_is_not() -> None:
    with running(CHAIN) as node:
        profile, facts = profile_of(node, str(PROGRAM)), CATALOGUE.chains[CHAIN]
        with opened(node, str(PROGRAM)) as there:
            node.give(there.chain.accounts.bridger, 890_880, NATIVE)
            of_nodes = SolanaFamily().diagnose_nodes(facts, profile, {}, node.time)
            findings = [*of_nodes, *there.diagnose()]
        wrong = [(one.subject, one.message) for one in findings if not one.ok]
        assert wrong == []
        said = {one.subject: one.message for one in findings}
        assert "the expected code" in said["program"]
        assert "may replace it" in said["program"]
        assert said["inventory"].endswith("USDC")
        late = datetime(2030, 1, 1, tzinfo=UTC)
        old = SolanaFamily().diagnose_nodes(facts, profile, {}, late)
        assert any("old by this machine's clock" in one.message for one in old)


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
    assert f"chains.{CHAIN}.relayer is missing" in says("contracts", "verify", code=1)
    done = says("contracts", "deploy", "--yes", "--final")
    assert "✓" in done
    assert "the program can no longer be upgraded" in done
    where = re.search(r"program at (\w+)", done)
    assert where is not None
    named = f'relayer = "{RELAYER.pubkey()}"\nprogram = "{where[1]}"\n'
    profile.write_text(profile.read_text() + named)
    assert "expected code" in says("contracts", "verify")
    looked = says("doctor")
    assert "nobody may replace it" in looked
    assert "No problems found" in looked
    assert "all contracts are deployed" in says("contracts", "deploy", "--yes")


def test_the_rent_of_old_notes_comes_back_once_nothing_needs_them() -> None:
    with running(CHAIN) as node, opened(node, str(PROGRAM)) as there:
        payment = Payment(SolanaNetwork(node, "program"))
        relayer, day = there.chain.accounts.relayer, 86_400
        assert mined(send(payment.network, payment.fill())).reason == ""
        node.pay(payment.address, TOTAL)
        assert mined(send(payment.network, payment.start())).reason == ""
        before = node.coins(relayer)
        node.cluster.later(31 * day)
        node.mine()
        # Its total was not paid out yet, and the fill could still be asked for.
        assert there.plan_rent_reclaim().transactions == ()
        node.cluster.later(30 * day)
        node.mine()
        plan = there.plan_rent_reclaim()
        assert [one.description for one in plan.transactions] == [
            "1 old note closed, for 0.00122496 SOL back"
        ]
        with making_blocks(node):
            assert all(done.succeeded for done in carry_out(plan))
        assert 0 < before + 1_224_960 - node.coins(relayer) <= plan.max_cost
        # What operators do carries no number, and shows as made after the last that does.
        assert there.chain.next_nonce(relayer) == 2
        made = there.chain.transactions_from(relayer, 0)
        assert [(one.nonce, one.included.reason) for one in made] == [(0, ""), (1, ""), (1, "")]
        assert there.plan_rent_reclaim().transactions == ()
        payment.network.opened.close()  # type: ignore[attr-defined]
