"""The quick start: code samples that run as shown, filled in with the operator's values."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from crossway.adapters.webhooks.signing import StandardSigner
from crossway.dashboard.views import developers as view
from crossway.domain.errors import InvalidInput
from tests.dashboard.conftest import DashboardApp
from tests.harness import Harness
from tests.ports import free_port
from tests.processes import wait_until

BODY = (
    b'{"id":"evt_1","type":"intent_funded","created_at":"2026-11-21T12:00:00.000Z","data":{"id":7}}'
)


def typed(world: Harness, **more: Any) -> view.SampleInputs:
    facts: dict[str, Any] = {
        "url": "https://pay.example/",
        "source": "BASE_MAINNET",
        "destination": "SOLANA_MAINNET",
        "token_in": "USDC",
        "token_out": "USDC",
        "amount": "25.5",
        "recipient": world.wallet("SOLANA_MAINNET", "recipient"),
        "refund_address": world.wallet("BASE_MAINNET", "refund"),
    }
    return view.SampleInputs(**(facts | more))


@pytest.mark.parametrize("language", view.LANGUAGES)
def test_samples_contain_the_operators_values(world: Harness, language: str) -> None:
    own = typed(world)
    filled = view.build_sample_values(world.services, own)
    text = view.render_sample("pay", language, filled, simulated=True)
    for value in (own.recipient, own.refund_address, "https://pay.example", "25500000"):
        assert value in text
    assert "sandbox" in text
    assert "{{" not in text
    real = view.render_sample("pay", language, filled, simulated=False)
    assert "sandbox" not in real
    assert "imulated" not in real


def test_samples_are_valid_programs(world: Harness, tmp_path: Path) -> None:
    filled = view.build_sample_values(world.services, typed(world))
    for name in ("pay", "receive"):
        compile(view.render_sample(name, "Python", filled, True), name, "exec")
        for language, check in (("JavaScript", ["node", "--check"]), ("curl", ["bash", "-n"])):
            path = tmp_path / f"{name}.mjs"
            path.write_text(view.render_sample(name, language, filled, True))
            subprocess.run([*check, str(path)], check=True, timeout=30)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("url", "pay.example", "Base URL must be a URL such as https://pay.example"),
        ("url", "https://x';rm -rf /", "Base URL must be"),
        ("amount", "many", "Amount must be a plain decimal number"),
        ("amount", "0", "greater than zero"),
        ("recipient", "$(reboot)", "Recipient"),
    ],
)
def test_values_that_would_break_a_sample_are_rejected(
    world: Harness, field: str, value: str, says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        view.build_sample_values(world.services, replace(typed(world), **{field: value}))


def test_a_missing_address_is_a_placeholder(world: Harness) -> None:
    filled = view.build_sample_values(world.services, typed(world, recipient=" "))
    assert filled["recipient"] == "(recipient)"


def test_the_page_shows_every_sample_and_the_reference(screen: DashboardApp) -> None:
    screen.open("developers")
    code = "\n".join(item.value for item in screen.at.code)
    for part in ("curl -sS", "from crossway_client import Crossway", "await fetch", "createHmac"):
        assert part in code
    screen.at.text_input(key="amount").set_value("-1")
    assert screen.rerun().at.error


@contextmanager
def receiver(language: str, text: str, secret: str, folder: Path, port: int) -> Iterator[Path]:
    """The sample's receiver as a process; yields the file with its output."""
    path, said = folder / f"receive.{'py' if language == 'Python' else 'mjs'}", folder / "said"
    path.write_text(text)
    program = sys.executable if language == "Python" else "node"
    with said.open("wb") as out:
        process = subprocess.Popen(
            [program, str(path)], env=os.environ | {"WEBHOOK_SECRET": secret}, stdout=out
        )
    try:
        wait_until("it listens", lambda: _listens(port))
        yield said
    finally:
        process.kill()
        process.wait(10)


def _listens(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/").status_code >= 400
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("language", ["Python", "JavaScript"])
def test_sample_receivers_accept_signed_requests_only(
    world: Harness, tmp_path: Path, language: str
) -> None:
    signer, port = StandardSigner(), free_port()
    old, new = signer.new_secret(), signer.new_secret()
    filled = view.build_sample_values(world.services, typed(world)) | {"port": str(port)}
    text = view.render_sample("receive", language, filled, True)
    now = datetime.now(UTC)
    late = datetime.fromtimestamp(time.time() - 3600, UTC)
    with receiver(language, text, old, tmp_path, port) as said:

        def status(body: bytes, headers: dict[str, str]) -> int:
            url = f"http://127.0.0.1:{port}/"
            return httpx.post(url, content=body, headers=headers).status_code

        both = dict(signer.headers([new, old], "evt_1", now, BODY))
        assert status(BODY, both) == 204
        assert status(BODY.replace(b"7", b"8"), both) == 400
        assert status(BODY, dict(signer.headers([new], "evt_1", now, BODY))) == 400
        assert status(BODY, dict(signer.headers([old], "evt_1", late, BODY))) == 400
        assert status(BODY, {**both, "webhook-signature": "v1,"}) == 400
    assert said.read_text().split() == ["evt_1", "intent_funded", "7"]
