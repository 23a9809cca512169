"""Rebalancing on the command line."""

import json
import re
from pathlib import Path

from tests.commands import crossway


def run(folder: Path, *arguments: str) -> str:
    done = crossway(folder, "treasury", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_policies_are_set_and_printed(tmp_path: Path) -> None:
    amounts = ("--minimum", "5000", "--target", "10000.5")
    assert "is set" in run(tmp_path, "set-policy", "--where", "BASE", *amounts)
    gateway = ("--where", "gateway:mainnet", "--maximum", "2000000", "--priority", "2")
    run(tmp_path, "set-policy", *gateway, *amounts)
    assert json.loads(run(tmp_path, "mode", "--json")) == {"mode": "suggest"}
    of_base, of_gateway = json.loads(run(tmp_path, "policies", "--json"))
    assert of_base == {
        "where": "BASE_MAINNET",
        "minimum": "5000 USDC",
        "target": "10000.5 USDC",
        "maximum": "none",
        "priority": "1",
        "by": "command line",
    }
    assert (of_gateway["maximum"], of_gateway["priority"]) == ("2000000 USDC", "2")
    assert run(tmp_path, "policies").splitlines()[0].split()[:2] == ["where", "minimum"]
    assert run(tmp_path, "plan") == "Nothing is below its minimum or above its maximum.\n"
    refused = crossway(tmp_path, "treasury", "set-policy", "--where", "BASE", "--minimum", "x",
                       "--target", "1")  # fmt: skip
    assert (refused.exit_code, refused.stderr.split()[1]) == (1, "minimum")
    refused = crossway(tmp_path, "treasury", "set-policy", "--where", "BASE", "--minimum", "1",
                       "--target", "1" + 40 * "0")  # fmt: skip
    assert (refused.exit_code, refused.stderr) == (1, "crossway: target is too large\n")


def test_what_lacks_is_planned_and_the_pause_is_printed(tmp_path: Path) -> None:
    amounts = ("--minimum", "1000100", "--target", "1000200")
    run(tmp_path, "set-policy", "--where", "ARBITRUM", *amounts)
    (planned,) = json.loads(run(tmp_path, "plan", "--json"))
    assert planned["moves"] is True
    assert (planned["to"], planned["amount"]) == ("ARBITRUM_MAINNET", "200 USDC")
    assert "less than its minimum of 1,000,100 USDC" in planned["reason"]
    assert planned["reason"] in run(tmp_path, "plan")
    assert run(tmp_path, "transfers") == "No inventory was rebalanced yet.\n"
    assert json.loads(run(tmp_path, "transfers", "--json")) == []
    run(tmp_path, "pause")
    assert run(tmp_path, "mode") == "Rebalancing: paused\n"
    for command in (("approve", "7"), ("decline", "7", "--reason", "No.")):
        refused = crossway(tmp_path, "treasury", *command)
        assert (refused.exit_code, refused.stderr) == (
            1,
            "crossway: There is no rebalancing transfer 7\n",
        )


def test_a_dry_run_of_an_empty_past_says_so(tmp_path: Path) -> None:
    amounts = ("--minimum", "1000100", "--target", "1000200")
    run(tmp_path, "set-policy", "--where", "ARBITRUM", *amounts)
    # What lacks now has lacked all the time: it would have been moved at the beginning.
    moved, *others = run(tmp_path, "dry-run", "--days", "2").splitlines()
    assert re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d  200 USDC from ", moved)
    facts = dict(line.split() for line in others if line.startswith("  "))
    assert (facts["transfers"], facts["moved_usd"]) == ("1", "200.00")
    assert (facts["payments"], facts["waited"]) == ("0", "0")
    assert others[0].startswith("This is a model.")
    printed = json.loads(run(tmp_path, "dry-run", "--json"))
    assert [one["amount"] for one in printed["transfers"]] == ["200 USDC"]
    assert (printed["moved_usd"], printed["payments"], printed["waited"]) == ("200.00", 0, [])
    times = (printed["from"], printed["to"], printed["transfers"][0]["at"])
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT[\d:]{8}\.\d{3}Z", at) for at in times), times
    refused = crossway(tmp_path, "treasury", "dry-run", "--days", "0")
    assert (refused.exit_code, refused.stderr) == (1, "crossway: days must be 1 to 90\n")
