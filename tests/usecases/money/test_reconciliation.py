"""Comparing the books with the chains, and what the operator then does."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden
from crossway.domain.intent import State
from crossway.scenarios.stage import BASE, Stage
from crossway.usecases.money.exposure import exposure
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.operating import operations


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with closing(Stage(tmp_path)) as stage:
        yield stage


def test_books_and_chains_agree_after_a_payment(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("over")
    stage.until(State.COMPLETED)
    stage.rest()
    found = reconcile(stage.services, stage.operator)
    assert found.sentences() == ["The books and the chains agree."]


def test_money_that_left_without_the_books_is_told_with_both_amounts(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("10000000")
    stage.pass_time(10)
    stage.deposit("2500000")
    found = reconcile(stage.services, stage.operator)
    name = f"The deposit address {intent.address} on Base"
    assert found.sentences() == [f"{name} holds 12.5 USDC; the books say 10 USDC."]


def test_a_transaction_that_nobody_here_signed_is_listed_and_acknowledged(stage: Stage) -> None:
    stage.fault(BASE, "somebody else uses the relayer's next nonce", takeNonce=True)
    stage.restart_engine()
    stage.pass_time(2)
    (unknown,) = reconcile(stage.services, stage.operator).unknown
    assert "the relayer's account made a transaction that the books do not have" in unknown.words
    assert [alarm.kind for alarm in stage.alarms()] == ["outside"]
    assert operations.acknowledge(stage.services, stage.operator, "outside") == 1
    assert stage.alarms() == []
    with stage.services.store.read() as unit:
        (_, who, what, _), *_ = unit.network.audited(1)
    assert (who, what) == ("A shop", "alarms settled")


def test_a_chain_that_gives_no_answer_is_named(stage: Stage) -> None:
    stage.fault(BASE, "the node does not answer", outageSeconds=60)
    assert reconcile(stage.services, stage.operator).sentences() == [
        "BASE_MAINNET gave no answer: BASE_MAINNET does not answer"
    ]


def test_a_missing_price_is_said_to_be_missing(stage: Stage) -> None:
    stage.create_intent(token_in=stage.token(BASE, "ETH"))
    stage.move_price("ETH", 50)
    (worst,) = exposure(stage.services, stage.operator)
    assert "is now -" in worst.sentence()
    assert "unknown for want of a price" in replace(worst, in_micro_usd=None).sentence()


def test_only_an_operator_compares(stage: Stage) -> None:
    for ask in (reconcile, exposure):
        with pytest.raises(Forbidden):
            ask(stage.services, stage.caller)
    with pytest.raises(Forbidden):
        operations.acknowledge(stage.services, stage.caller, "outside")
