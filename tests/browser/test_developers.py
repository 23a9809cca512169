"""The developer pages in a browser: a key, a webhook, a test event, its delivery and replay."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener, Site, open_expander
from tests.receivers import Receiver, running_receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as found:
        yield found


def shown_secret(page: Page) -> str:
    box = page.locator(".st-key-secret_once")
    expect(box).to_be_visible()
    return box.locator("[data-testid=stCode]").inner_text().strip()


def test_a_key_and_a_webhook_are_created_and_an_event_is_resent(
    opened: Opener, site: Site, receiver: Receiver
) -> None:
    page, observed = opened("keys")
    page.get_by_role("button", name="Create API key").click()
    key = shown_secret(page)
    headers = {"Authorization": f"Bearer {key}"}
    assert httpx.get(f"{site.url}/api/v1/chains", headers=headers).status_code == 200
    page.get_by_role("button", name="I have saved it").click()
    expect(page.locator(".st-key-secret_once")).to_have_count(0)
    assert key not in page.content()

    page.goto(f"{site.url}/webhooks")
    open_expander(page, "New webhook")
    page.get_by_role("textbox", name="URL").fill(receiver.url)
    page.get_by_role("button", name="Add a webhook").click()
    secret = shown_secret(page)
    page.get_by_role("link", name=f"127.0.0.1:{receiver.port}/hook").first.click()
    page.get_by_role("button", name="Send a test event").click()
    receiver.wait_for(1)
    event = receiver.requests[0].verify(secret)
    assert event["type"] == "webhook_test"

    expect(page.get_by_text("Delivered").locator("visible=true").nth(1)).to_be_visible()
    page.get_by_role("link", name="Webhook test, Delivered").first.click()
    expect(page.get_by_text("Attempt 1: 200")).to_be_visible()
    page.get_by_role("button", name="Resend").click()
    receiver.wait_for(2)
    assert receiver.requests[1].verify(secret)["id"] == event["id"]
    expect(page.get_by_text("Resent as delivery")).to_be_visible()
    assert observed.errors == []
    assert [
        url for url in observed.requests if not url.startswith((site.url, "data:", "blob:"))
    ] == []


@pytest.mark.parametrize("language", ["curl", "Python", "JavaScript"])
def test_the_quick_start_samples_run_unchanged(
    opened: Opener, site: Site, tmp_path: Path, language: str
) -> None:
    page, _ = opened("developers")
    tab = page.get_by_role("tab", name=language).first
    tab.click()
    code = page.locator("[role=tabpanel]:visible [data-testid=stCode]").first
    expect(code).to_contain_text("order-1042")
    # Each language creates a payment of its own.
    text = code.inner_text().replace("order-1042", f"order-{language}")
    path = tmp_path / {"curl": "pay.sh", "Python": "pay.py", "JavaScript": "pay.mjs"}[language]
    path.write_text(text)
    program = {"curl": "bash", "Python": sys.executable, "JavaScript": "node"}[language]
    done = subprocess.run(
        [program, str(path)],
        env=os.environ | {"CROSSWAY_API_KEY": site.key},
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    expected = "intent_status" if language == "curl" else "COMPLETED"
    assert expected in done.stdout, done.stdout
