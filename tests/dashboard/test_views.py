"""Figures, words and charts as people read them."""

import json

import pytest

from crossway.dashboard import charts
from crossway.dashboard.components.notices import sentence
from crossway.dashboard.components.qr import qr_svg
from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Cell, Chip, Row, plain
from crossway.dashboard.views.figures import amount, brief_amount, duration, short, usd
from crossway.dashboard.views.quotes import Point
from crossway.domain.deposits import DepositState, Purpose
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.intent import Event, State
from crossway.domain.ledger import Account
from crossway.domain.transfers import Duty, TransferState


def test_amounts_keep_every_digit_and_group_the_thousands() -> None:
    assert amount(25_000_000, 6, "USDC") == "25.00 USDC"
    assert amount(1_234_567_891_234_567_890, 18, "ETH") == "1.23456789123456789 ETH"
    assert amount(12_345_678_900_000, 6, "USDC") == "12,345,678.90 USDC"
    assert brief_amount(604_514_343_231_001_511, 18, "ETH") == "0.60451434… ETH"


def test_dollars_are_rounded_and_never_shown_as_nothing() -> None:
    assert usd(25_053_250) == "25.05 USD"
    assert usd(4_000) == "< 0.01 USD"
    assert usd(0) == "0.00 USD"
    assert usd(53_250, 4) == "0.0533 USD"


def test_addresses_are_shortened_in_the_middle() -> None:
    assert short("0xb795aaaaaaaaaaaaC65e") == "0xb795…C65e"
    assert short("short") == "short"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "5 s"), (70, "1 min 10 s"), (3540, "59 min"), (7500, "2 h 5 min"), (90_000, "1 d 1 h")],
)
def test_spans_of_time_are_said_in_two_parts(seconds: int, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (wording.STATES, State),
        (wording.DUTIES, Duty),
        (wording.TRANSFERS, TransferState),
        (wording.PURPOSES, Purpose),
        (wording.DEPOSITS, DepositState),
        (wording.ACCOUNTS, Account),
        (wording.EVENTS, Event),
    ],
)
def test_nothing_that_can_happen_lacks_its_word(table: object, values: type) -> None:
    assert set(values) <= set(table)  # type: ignore[call-overload]


def test_no_two_states_look_alike() -> None:
    looks = {(chip.text, chip.icon) for chip in wording.STATES.values()}
    assert len(looks) == len({chip.color for chip in wording.STATES.values()}) == len(State)


def test_a_simulated_code_says_so_in_the_picture_and_a_real_one_does_not() -> None:
    simulated, real = qr_svg("ethereum:0x1", True), qr_svg("ethereum:0x1", False)
    assert simulated.count("SIMULATED – no real money") == 2
    assert "SIMULATED" not in real


def test_refusals_are_sentences() -> None:
    assert sentence(InvalidInput("amount is wrong; chain is wrong")) == (
        "Amount is wrong; chain is wrong."
    )
    assert sentence(Unreachable("")).startswith("Nothing answered")


def test_shapes_travel_as_json_without_what_is_empty() -> None:
    row = Row("1", (Cell("a", chips=(Chip("b", "red"),)), Cell(at=5, as_="left")))
    cells = [{"text": "a", "chips": [{"text": "b", "color": "red"}], "as": "ago"}]
    assert plain(row) == {"key": "1", "cells": [*cells, {"at": 5, "as": "left"}]}


def test_charts_are_plain_json() -> None:
    points = (Point("Base", 8, 0.03, "cheapest"), Point("Tron", 60, 0.6, ""))
    drawn = (
        charts.fee_against_time(points, "light"),
        charts.chord([("A", "B", 2)], "light"),
    )
    for option in drawn:
        assert json.loads(json.dumps(option)) == option
    assert [s["name"] for s in drawn[0]["series"]] == ["Cheapest", "Other chains"]
