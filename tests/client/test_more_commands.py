"""Every part of the API from the command line: payments, ramps, links, webhooks, chains, search."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from crossway.bootstrap import Service
from crossway.usecases.exports.writing import run_next
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET, new_key
from tests.client.failing_server import failing_server
from tests.client.test_commands import CREATE
from tests.commands import crossway
from tests.receivers import running_receiver

Run = Callable[..., Result]
TESTNET = (
    "intents", "create", "--amount", "25000000",
    "--token-in", "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    "--source-chain", "BASE_TESTNET", "--destination-chain", "ARBITRUM_TESTNET",
    "--recipient", WALLET, "--refund-address", WALLET, "--json",
)  # fmt: skip


@pytest.fixture
def run(service: Service, url: str, tmp_path: Path) -> Run:
    """Runs `crossway …` with a key and the service's URL."""
    settings = {"CROSSWAY_API_KEY": new_key(service)[2], "CROSSWAY_API_URL": url}
    return lambda *arguments, **more: crossway(tmp_path, *arguments, **(settings | more))


def data(result: Result) -> Any:
    """The JSON of a command that was carried out."""
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_payment_is_triggered_refunded_and_told(run: Run, service: Service) -> None:
    payment = data(run(*TESTNET))
    number = str(payment["id"])
    refused = run("intents", "trigger", number)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("crossway: Intent is not funded: received 0 of ")
    assert run("sandbox", "deposit", payment["intent_address"]).exit_code == 0
    run("sandbox", "clock", "--advance", "10")
    service.engine.tick()
    triggered = run("intents", "trigger", payment["intent_address"])
    assert triggered.stdout == "Intent started successfully\n"
    told = run("intents", "timeline", number).stdout.splitlines()
    assert told[0].split()[:3] == ["at", "step", "chain"]
    assert len(told) > 2
    asked = run("intents", "refund", number)
    assert (asked.exit_code, "Say --yes to do it" in asked.stderr) == (2, True)
    early = run("intents", "refund", number, "--yes")
    assert early.stderr.startswith("crossway: Intent is not expired")


def test_ramp_orders_are_created_shown_confirmed_and_cancelled(run: Run, service: Service) -> None:
    email = "ada.commands@example.com"
    kyc = ("--provider", "PAYCREST", "--fiat-currency", "KES", "--user-email", email)
    state = run("ramp", "kyc", "state", *kyc)
    assert state.stdout.startswith("PAYCREST: none check, not_started")
    needs = run("ramp", "kyc", "requirements", "--provider", "PAYCREST", "--fiat-currency", "KES")
    assert [line.split()[0] for line in needs.stdout.splitlines()] == ["check", "basic", "advanced"]
    order = data(run(
        "ramp", "orders", "create", "--provider", "ONRAMP_MONEY", "--fiat-currency", "PHP",
        "--crypto-amount", "25", "--chain", "ARBITRUM_MAINNET", "--wallet", WALLET, "--json",
    ))  # fmt: skip
    number = str(order["id"])
    assert re.match(
        rf"Order {number} is (PENDING|INITIATED)\n", run("ramp", "orders", "show", number).stdout
    )
    cancelled = run("ramp", "orders", "cancel", number)
    assert cancelled.stdout.startswith(f"Order {number} is CANCELLED")
    refused = run("ramp", "orders", "confirm", number)
    assert refused.stderr == "crossway: Order has invalid status: CANCELLED\n"
    listed = data(run("ramp", "orders", "list", "--json"))
    assert [one["id"] for one in listed] == [order["id"]]
    wrong = run("ramp", "orders", "create", "--provider", "PAYCREST", "--fiat-currency", "KES",
                "--crypto-amount", "25", "--chain", "BASE", "--wallet", WALLET,
                "--field", "phone")  # fmt: skip
    assert wrong.stderr.startswith("crossway: --field must be KEY=VALUE")


def test_currencies_and_countries_are_listed(run: Run) -> None:
    codes = [one["code"] for one in data(run("ramp", "currencies", "--json", "--limit", "50"))]
    assert {"NGN", "KES", "EUR"} <= set(codes)
    rows = run("ramp", "countries", "--currency", "XAF", "--format", "csv").stdout.splitlines()
    assert [row.split(",")[0] for row in rows] == ["country", "CM", "CG", "GA"]


def test_payment_links_are_created_and_shown(run: Run) -> None:
    link = data(run("links", "create", "--title", "Coffee", "--destination-chain", "BASE_MAINNET",
                    "--recipient", WALLET, "--json"))  # fmt: skip
    assert link["url"] in run("links", "show", link["id"]).stdout
    assert link["id"] in run("links", "list").stdout
    assert run("links", "uses", link["id"]).stdout == "Nobody has paid with it yet.\n"
    assert run("links", "show", "pl_unknown").stderr == "crossway: Payment link not found\n"


def test_an_export_is_waited_for_and_written_once(
    run: Run, service: Service, tmp_path: Path
) -> None:
    number = data(run(*CREATE, "--json"))["id"]
    file = tmp_path / "payments.csv"
    options = ("exports", "create", "intents", "--filter", "status=pending", "--to", str(file))
    with ThreadPoolExecutor(1) as pool:
        exported = pool.submit(run, *options)
        while not exported.done():
            run_next(service.services)
        assert exported.result().exit_code == 0, exported.result().stderr
    assert exported.result().stderr.endswith("100 %, 1 rows\n")
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert [row["id"] for row in rows] == [str(number)]
    again = run(*options)
    assert (again.exit_code, "exists already and was not changed" in again.stderr) == (2, True)
    export = data(run("exports", "list", "--json"))[0]
    assert run("exports", "delete", str(export["id"])).exit_code == 0
    assert "No exports" in run("exports", "list").stdout


@pytest.fixture
def receiver_url() -> Iterator[str]:
    with running_receiver() as receiver:
        yield receiver.url


def test_webhooks_are_changed_tested_replayed_and_deleted(
    run: Run, service: Service, receiver_url: str
) -> None:
    number = str(data(run("webhooks", "create", receiver_url, "--json"))["id"])
    changed = run(
        "webhooks", "update", number, "--event", "intent_created", "--description", "Shop"
    )
    assert re.search("events +intent_created\n", changed.stdout)
    assert "whsec_" in run("webhooks", "rotate-secret", number).stdout
    sent = data(run("webhooks", "test", number, "--json"))
    while service.dispatcher.run_once():
        pass
    rows = run("webhooks", "deliveries", number).stdout.splitlines()
    assert rows[1].split()[:2] == [str(sent["id"]), "delivered"]
    again = run("webhooks", "replay", str(sent["id"]))
    assert again.stdout.startswith("It is sent again: delivery ")
    period = run("webhooks", "replay", "--webhook", number, "--since", "2026-01-01")
    assert re.match(r"\d+ events are sent again\n", period.stdout)
    missed = run("webhooks", "replay", "--webhook", number, "--missed")
    assert missed.stdout == "0 missed events are sent again\n"
    neither = run("webhooks", "replay")
    assert neither.stderr.startswith(
        "crossway: give a delivery, or --webhook with --missed or --since"
    )
    asked = run("webhooks", "delete", number)
    assert f"Delete the endpoint {receiver_url} with its deliveries?" in asked.stderr
    assert run("webhooks", "delete", number, "--yes").stdout == f"Endpoint {number} is deleted\n"
    assert run("webhooks", "show", number).stderr == "crossway: Webhook not found\n"


def test_bridges_of_one_route_are_quoted_side_by_side(run: Run) -> None:
    lines = run(
        "quotes", "--destination-chain", "ARBITRUM_MAINNET", "--token-out", USDC_ARBITRUM,
        "--amount", "25", "--source-chain", "BASE_MAINNET", "--token-in", USDC_BASE,
    ).stdout.splitlines()  # fmt: skip
    assert lines[0].split()[:3] == ["by", "fee", "deposit"]
    assert {"ACROSS", "CCTP"} <= {line.split()[0] for line in lines[1:]}
    half = run("quotes", "--destination-chain", "ARBITRUM_MAINNET", "--token-out", USDC_ARBITRUM,
               "--amount", "25", "--source-chain", "BASE_MAINNET")  # fmt: skip
    assert (half.exit_code, "are given together" in half.stderr) == (2, True)


def test_a_clock_is_not_advanced_by_what_is_no_number(run: Run) -> None:
    for seconds in ("nan", "inf"):
        refused = run("sandbox", "clock", "--advance", seconds)
        assert refused.exit_code == 2
        assert refused.stderr.startswith("crossway: --advance must be a number")


@pytest.mark.parametrize("amount", ["many", "nan", "inf", "1e999999", "25.1234567", "-1"])
def test_an_amount_that_is_no_amount_is_refused_in_one_sentence(run: Run, amount: str) -> None:
    wrong = run(
        "quotes", "--destination-chain", "ARBITRUM_MAINNET", "--token-out", USDC_ARBITRUM,
        "--amount", amount, "--source-chain", "BASE_MAINNET", "--token-in", USDC_BASE,
    )  # fmt: skip
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("crossway: --amount ")
    assert wrong.stderr.count("\n") == 1


def test_chains_tokens_balances_search_and_the_key_are_shown(run: Run) -> None:
    assert "BASE_MAINNET" in run("chains", "list", "--network", "mainnet", "--limit", "30").stdout
    tokens = run("chains", "tokens", "BASE_MAINNET", "--format", "csv").stdout
    assert f"USDC,{USDC_BASE},6,USD Coin" in tokens
    assert run("chains", "balances", WALLET).exit_code == 0
    payment = data(run(*CREATE, "--metadata", '{"order": "A-77"}', "--json"))
    found = data(run("search", "A-77", "--json"))
    assert [(one["type"], one["id"]) for one in found] == [("intent", payment["id"])]
    assert run("search", "nothing at all").stdout == "Nothing of yours matches.\n"
    me = data(run("whoami", "--json"))
    assert (me["mode"], sorted(me["scopes"])) == ("test", ["read", "refund", "write"])


def test_a_service_that_does_not_answer_is_an_unknown_outcome(run: Run) -> None:
    silent = run("intents", "list", CROSSWAY_API_URL="http://127.0.0.1:9")
    assert silent.exit_code == 3
    assert silent.stderr.startswith("crossway: ")


@pytest.mark.parametrize("answer", [None, (504, {}, {}), (409, {}, {"message": "Still running"})])
def test_a_command_without_an_answer_is_repeated_under_its_key(run: Run, answer: Any) -> None:
    """Whoever repeats the command as it was typed would pay a second time."""
    pay = ("sandbox", "deposit", WALLET)
    with failing_server(*[answer] * 4) as server:
        lost = run(*pay, CROSSWAY_API_URL=server.url)
    assert (lost.exit_code, len(lost.stderr.splitlines())) == (3, 1)
    [key] = {headers["idempotency-key"] for _, _, headers in server.requests}
    assert lost.stderr.endswith(f"; repeat the command with --idempotency-key {key}\n")


def test_the_key_of_a_repeat_is_printed_as_a_shell_takes_it(run: Run) -> None:
    with failing_server(*[None] * 4) as server:
        pay = ("sandbox", "deposit", WALLET, "--idempotency-key", "order 7")
        lost = run(*pay, CROSSWAY_API_URL=server.url)
    assert lost.stderr.endswith("--idempotency-key 'order 7'\n")
