"""Display formats, labels and charts."""

import json
from collections.abc import Iterable, Mapping

import pytest

from crossway.dashboard import charts, route_charts
from crossway.dashboard.components.notices import error_sentence
from crossway.dashboard.views import colors, simulator, status_labels
from crossway.dashboard.views.cells import Badge, Cell, Row, to_json
from crossway.dashboard.views.corridors import CorridorFlow
from crossway.dashboard.views.formatting import (
    format_amount,
    format_duration,
    format_short_amount,
    format_usd,
    shorten,
)
from crossway.domain.deposits import DepositPurpose, DepositState
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.intent import IntentEvent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.domain.quotes import BridgeName
from crossway.ports.sandbox import NODE_LIES
from crossway.qr import qr_svg


def test_amounts_keep_every_digit_and_group_the_thousands() -> None:
    assert format_amount(25_000_000, 6, "USDC") == "25.00 USDC"
    assert format_amount(1_234_567_891_234_567_890, 18, "ETH") == "1.23456789123456789 ETH"
    assert format_amount(12_345_678_900_000, 6, "USDC") == "12,345,678.90 USDC"
    assert format_short_amount(604_514_343_231_001_511, 18, "ETH") == "0.604514… ETH"


def test_dollar_values_are_rounded_but_never_to_zero() -> None:
    assert format_usd(25_053_250) == "25.05 USD"
    assert format_usd(4_000) == "< 0.01 USD"
    assert format_usd(0) == "0.00 USD"
    assert format_usd(53_250, 4) == "0.0533 USD"


def test_addresses_are_shortened_in_the_middle() -> None:
    assert shorten("0xb795aaaaaaaaaaaaC65e") == "0xb795…C65e"
    assert shorten("short") == "short"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "5 s"), (70, "1 min 10 s"), (3540, "59 min"), (7500, "2 h 5 min"), (90_000, "1 d 1 h")],
)
def test_durations_have_at_most_two_units(seconds: int, words: str) -> None:
    assert format_duration(seconds) == words


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (status_labels.INTENT_STATES, State),
        (status_labels.OUTBOUND_TX_KINDS, OutboundTxKind),
        (status_labels.OUTBOUND_TX_STATES, OutboundTxState),
        (status_labels.DEPOSIT_PURPOSES, DepositPurpose),
        (status_labels.DEPOSIT_STATES, DepositState),
        (status_labels.ACCOUNT_NAMES, Account),
        (status_labels.INTENT_EVENTS, IntentEvent),
        (simulator.NODE_BEHAVIOURS, ("", *NODE_LIES)),
    ],
)
def test_every_event_has_a_label(table: Mapping[str, object], values: Iterable[str]) -> None:
    assert set(values) <= set(table)


@pytest.mark.parametrize("lie", ["", *NODE_LIES])
def test_the_behaviour_of_a_node_is_chosen_by_its_label(lie: str) -> None:
    label = simulator.NODE_BEHAVIOURS[lie]
    assert simulator.build_fault_body("lie", label) == {"lie": lie}


def test_every_state_has_a_distinct_badge() -> None:
    looks = {(badge.text, badge.icon) for badge in status_labels.INTENT_STATES.values()}
    assert (
        len(looks)
        == len({badge.color for badge in status_labels.INTENT_STATES.values()})
        == len(State)
    )


def test_only_simulated_qr_codes_are_marked() -> None:
    simulated = qr_svg("ethereum:0x1", "a code", status_labels.SIMULATED)
    real = qr_svg("ethereum:0x1", "a code")
    assert simulated.count("SIMULATED – no real money") == 2
    assert "SIMULATED" not in real


def test_error_messages_are_sentences() -> None:
    assert error_sentence(InvalidInput("amount is wrong; chain is wrong")) == (
        "Amount is wrong; chain is wrong."
    )
    assert error_sentence(Unreachable("")).startswith("No response")


def test_error_messages_name_fields_as_the_screens_do() -> None:
    error = InvalidInput("refund_address is wrong; userEmail is wrong; cryptoAmount is wrong")
    assert error_sentence(error) == (
        "Refund address is wrong; e-mail address is wrong; amount is wrong."
    )


def test_components_are_serialised_without_empty_fields() -> None:
    row = Row("1", (Cell("a", badges=(Badge("b", "red"),)), Cell(at=5, as_="left")))
    cells = [{"text": "a", "badges": [{"text": "b", "color": "red"}], "as": "ago"}]
    assert to_json(row) == {"key": "1", "cells": [*cells, {"at": 5, "as": "left"}]}


def test_charts_are_plain_json_and_no_two_axes_share_a_chart() -> None:
    hours = charts.completed_and_volume([("10:00", 2, 50), ("11:00", 0, 0)], "light")
    drawn = (hours, charts.chord([("A", "B", 2)], "light"))
    for option in drawn:
        assert json.loads(json.dumps(option)) == option
    assert [axis["gridIndex"] for axis in hours["yAxis"]] == [0, 1]
    assert [series["type"] for series in hours["series"]] == ["bar", "bar"]


def test_no_chain_has_the_colour_of_a_bridge() -> None:
    shades: tuple[colors.Shade, ...] = ("light", "dark")
    for shade in shades:
        bridges = {colors.bridge_color(name, shade) for name in BridgeName}
        assert len(bridges) == len(BridgeName)
        flows = [
            CorridorFlow("Base", "CCTP", "Solana", 5.0),
            CorridorFlow("Base", "Across", "Lisk", 1.0),
        ]
        nodes = route_charts.sankey(flows, shade)["series"][0]["data"]
        chains = {node["itemStyle"]["color"] for node in nodes if node["depth"] != 1}
        assert chains == {colors.CHAIN[shade]}
        assert not chains & bridges
    strokes = [colors.bridge_stroke(name).dashes for name in BridgeName]
    assert len(set(strokes)) == len(strokes)
