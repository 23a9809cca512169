"""The JavaScript client in a browser, bundled as a site would bundle it."""

import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.api.conftest import WALLET, new_key, new_service
from tests.api.test_events import serving
from tests.browser.conftest import new_browser_context
from tests.client.javascript_programs import MODULES, install

USE = """
  const crossway = new client.Crossway(key, { url })
  const order = {
    amount: "25000000", tokenIn: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    source_chain: "BASE_MAINNET", destination_chain: "ARBITRUM_MAINNET",
    recipient: wallet, refund_address: wallet,
  }
  const once = { idempotencyKey: "order 1" }
  const made = [await crossway.createIntent(order, once), await crossway.createIntent(order, once)]
  const listed = []
  for await (const one of crossway.listIntents()) listed.push(one.id)
  const refused = await crossway.getIntent({ id: 1 }).catch((error) => error)
  return [made.map(({ id }) => id), listed, refused.name, refused instanceof client.NotFound]
"""


@pytest.fixture
def bundle(tmp_path: Path) -> str:
    """The client and what it needs as one script, which defines `client`."""
    programs = install(tmp_path)
    if not (MODULES / "esbuild").is_dir():
        pytest.skip("npm install has not installed esbuild")
    command = [MODULES / "esbuild" / "bin" / "esbuild", "--bundle", "--global-name=client"]
    entry = 'export * from "crossway-client"'
    done = subprocess.run(
        command, cwd=programs.folder, input=entry, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_client_works_in_a_browser(chromium: Browser, tmp_path: Path, bundle: str) -> None:
    service = new_service(tmp_path / "data")
    key = new_key(service)[2]
    with serving(service.services) as base, new_browser_context(chromium) as context:
        page = context.new_page()
        url = base.removesuffix("/api/v1")
        page.goto(f"{url}/api/docs")
        program = f"async ([key, url, wallet]) => {{ {bundle}\n{USE} }}"
        made, listed, refused, is_class = page.evaluate(program, [key, url, WALLET])
    service.close()
    assert made == [made[0]] * 2
    assert listed == [made[0]]
    assert (refused, is_class) == ("NotFound", True)
