"""What is shown of rebalancing transfers agrees with what bridges took and the books have."""

import csv
import io
from pathlib import Path

import pytest

from crossway.dashboard.views import books as books_view
from crossway.dashboard.views import rebalancing as view
from crossway.dashboard.views import rebalancing_detail as detail_view
from crossway.dashboard.views.inventory_transfers import build_open_rows
from crossway.domain.errors import NotFound
from crossway.domain.rebalancing import RebalancingSettings
from crossway.ports.treasury_repository import PostingFilter
from crossway.usecases.money import books_export
from crossway.usecases.money.rebalancing_records import get_story, list_costs, list_transfers
from tests.engine.rebalancing_world import DEPOSIT, MINT, TRANSFER, USDC, RebalancingWorld, planned
from tests.harness import CATALOGUE


def steps_of(world: RebalancingWorld, id: int) -> list[tuple[str, str]]:
    story = get_story(world.services, world.operator, id)
    return [(step.title, step.status) for step in detail_view.build_steps(story)]


def details_of(world: RebalancingWorld, id: int) -> dict[str, str]:
    story = get_story(world.services, world.operator, id)
    return {d.label: d.cell.text for d in detail_view.build_details(CATALOGUE, story)}


def test_the_story_of_a_transfer_goes_from_plan_to_arrival(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    transfer = world.start(planned(TRANSFER))
    names = ["Planned", "Agreed", "Sent", "Arrived"]
    assert [status for _, status in steps_of(world, transfer.id)] == ["done", "now", "todo", "todo"]
    assert details_of(world, transfer.id)["Leaves"] == "–"
    while not world.carried_by(transfer).source_tx:
        world.pass_time(1)
    assert [status for _, status in steps_of(world, transfer.id)] == ["done", "done", "done", "now"]
    with world.store.read() as unit:
        (moving,) = build_open_rows(CATALOGUE, unit.inventory_transfers.list_open(10))
    assert (moving.cells[0].text, moving.href) == ("Rebalancing #1", "rebalancing?id=1")
    (under_way,) = list_transfers(world.services, world.operator).under_way
    now = world.services.clock.now()
    (row,) = view.build_under_way_rows(CATALOGUE, [under_way], now)
    assert (row.cells[0].sub, row.cells[2].text) == ("Base → Arbitrum One", "rhino.fi")
    assert row.cells[6].copy == under_way.carried.source_tx if under_way.carried else False
    world.wait_ended(transfer)
    assert steps_of(world, transfer.id) == [(name, "done") for name in names]
    details = details_of(world, transfer.id)
    # rhino.fi takes 0.08 % on top of what arrives.
    assert (details["Leaves"], details["Taken by the bridge"]) == ("1,000.80 USDC", "0.80 USDC")
    story = get_story(world.services, world.operator, transfer.id)
    rows = detail_view.build_tx_rows(CATALOGUE, story)
    purposes = [row.cells[0].text for row in rows]
    assert purposes == ["Approval of an inventory transfer", "Inventory transfer"]
    assert len(story.postings) == 4 + len(rows)
    with pytest.raises(NotFound):
        get_story(world.services, world.operator, 2)


def test_a_mint_arrives_without_being_sent(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "GATEWAY")
    mint = world.start(planned(MINT))
    world.wait_ended(mint)
    assert steps_of(world, mint.id) == [(n, "done") for n in ("Planned", "Agreed", "Arrived")]
    deposit = world.start(planned(DEPOSIT, most=1_000 * USDC))
    world.wait_ended(deposit)
    assert details_of(world, deposit.id)["Taken by the bridge"] == "nothing"


def test_a_refusal_ends_the_story(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    refused = world.start(planned(TRANSFER, most=1_000 * USDC))
    world.wait_ended(refused)
    assert steps_of(world, refused.id)[-1] == ("Refused", "failed")
    (first, *_) = list_transfers(world.services, world.operator).ended
    (row, *_) = view.build_ended_rows(CATALOGUE, [first])
    assert row.cells[3].badges[0].text == "Refused"
    assert row.cells[3].sub


def test_costs_by_day_are_what_was_planned_and_what_bridges_took(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    for amount in (1_000, 500):
        world.wait_ended(world.start(planned(TRANSFER, amount=amount * USDC)))
    refused = world.start(planned(TRANSFER, most=1_000 * USDC))
    world.wait_ended(refused)
    (day,) = list_costs(world.services, world.operator)
    # Each is planned for 10 USD; rhino.fi takes 0.08 % of 1,500. What was refused costs nothing.
    assert (day.transfers, day.moved_micro_usd) == (2, 1_500 * USDC)
    assert (day.planned_micro_usd, day.taken_micro_usd) == (20 * USDC, 1_200_000)
    assert round(day.planned_bps, 2) == 133.33
    (row,) = view.build_cost_rows([day], RebalancingSettings())
    texts = [cell.text for cell in row.cells]
    assert texts[1:] == [
        "2",
        "1,500.00 USD",
        "20.00 USD",
        "133.3",
        "1.20 USD",
        "20.0% of 100.00 USD",
    ]


def test_books_name_the_transfer_that_postings_belong_to(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    world.wait_ended(world.start(planned(TRANSFER)))
    page = books_view.load_postings(world.services, world.operator, PostingFilter())
    shown = {(row.cells[4].text, row.href, row.label) for row in page.rows}
    assert shown == {("Rebalancing #1", "rebalancing?id=1", "Rebalancing transfer 1")}
    exported = "".join(books_export.export_file(world.services, world.operator, "csv", None, None))
    lines = [line for line in csv.DictReader(io.StringIO(exported)) if line["kind"] == "posting"]
    assert lines
    assert {(line["intent"], line["rebalancing"]) for line in lines} == {("", "1")}
