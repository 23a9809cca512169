"""The reference page of the API in a browser."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.api.conftest import new_service
from tests.api.test_events import serving
from tests.browser.conftest import new_browser_context


def test_the_page_shows_every_operation_without_a_complaint(
    chromium: Browser, tmp_path: Path
) -> None:
    service, said = new_service(tmp_path), []
    with serving(service.services) as base, new_browser_context(chromium) as context:
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        document = context.request.get(base.replace("/v1", "/openapi.json")).json()
        page.goto(base.replace("/v1", "/docs"))
        described = sum(len(item) for item in document["paths"].values())
        described += len(document["webhooks"])
        expect(page.locator(".opblock")).to_have_count(described, timeout=60_000)
        create = page.locator("#operations-Intents-createIntent")
        create.locator(".opblock-summary").click()
        expect(create.locator(".responses-wrapper")).to_contain_text("intent_address")
    service.close()
    assert said == []
