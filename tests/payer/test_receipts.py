"""Receipts: of a payment with both transactions, and of a refund with its reason."""

import html
import re
from dataclasses import replace

from crossway.domain.intent import Intent, IntentEvent, State
from crossway.payer.i18n import LANGUAGES, load_translations
from crossway.ports.logs import AuditFilter
from crossway.usecases.payments import manual_refunds
from crossway.usecases.payments.checkout_urls import create_token
from crossway.usecases.payments.timeline import get_timeline
from crossway.usecases.staff import audit
from tests.bridged import DESTINATION_TX, add_bridged, apply_event, send
from tests.harness import Harness
from tests.payer.conftest import Payer


def plain(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\u00a0", " ")


def receipt(payer: Payer, intent: Intent, lang: str = "en") -> str:
    name = create_token(payer.world.services, intent.id)
    answer = payer.get(f"/{name}/receipt", lang=lang)
    assert answer.status_code == 200
    return str(answer.text)


def lines(page: str) -> dict[str, str]:
    return {plain(a): plain(b) for a, b in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)}


def hashes(page: str) -> list[tuple[str, str]]:
    found = re.findall(r'<li><span>(.*?)</span>\s*(?:<a href="([^"]*)"[^>]*>)?<bdi[^>]*>', page)
    return [(plain(text), url) for text, url in found]


def pay(world: Harness, more: int = 0) -> Intent:
    intent = world.create_intent()
    world.deposit(intent, str(intent.terms.deposit_amount + more))
    return world.wait_for_state(intent, State.COMPLETED)


def test_a_receipt_has_amounts_addresses_and_both_transactions(payer: Payer) -> None:
    intent = pay(payer.world, 1_500_000)
    payer.world.pass_time(60)
    page = receipt(payer, intent)
    told = lines(page)
    assert told["You paid"] == "26.56325 USDC · Base"
    assert told["A shop received"] == "25 USDC · Arbitrum One"
    assert told["Included fees"] == "0.06325 USDC"
    assert told["Returned to you"] == "1.5 USDC · Base"
    assert told["Paid to the address"] == intent.address
    assert told["Address of A shop"] == intent.terms.recipient
    assert told["Your refund address"] == intent.terms.refund_address
    assert re.fullmatch(r"\d+", told["Payment number"])
    with payer.world.store.read() as unit:
        [deposit] = unit.deposits.list_by_intents([intent.id])
    # The start itself returned the excess.
    assert hashes(page) == [
        (
            "Your payment · Base · 26.56325 USDC",
            f"https://basescan.org/tx/{deposit.incoming.tx_hash}",
        ),
        ("Payment to A shop · Arbitrum One · 25 USDC", f"https://arbiscan.io/tx/{intent.tx_hash}"),
    ]


def test_a_refund_has_a_receipt_with_its_reason(payer: Payer) -> None:
    world = payer.world
    intent = world.create_intent()
    world.deposit(intent, "10000000")
    world.pass_time(20)
    world.machine.seconds += 3_700
    world.wait_for_state(intent, State.REFUNDED)
    reason = "Only 10 USDC of 25.06325 USDC had arrived when the time was up."
    assert f"Reason: {reason}" in plain(payer.get_page(intent))
    told = lines(receipt(payer, intent))
    assert told["Reason"] == reason
    assert (told["You paid"], told["Returned to you"]) == ("10 USDC · Base",) * 2
    for code in LANGUAGES:
        title = load_translations(code).texts["receipt.back_title"]
        assert title in html.unescape(receipt(payer, intent, code))


def test_a_refund_by_hand_says_what_was_written_about_it(payer: Payer) -> None:
    world, written = payer.world, 'Sold out <b>today</b> & "sorry"'
    intent = world.create_intent()
    world.deposit(intent, "10000000")
    world.pass_time(20)
    world.machine.seconds += 3_700
    for _ in range(20):
        world.engine.tick()
        if world.reload(intent).state is State.EXPIRED:
            break
        world.machine.seconds += 1
    process = replace(world.services.process, pause=world.engine.tick)
    services = replace(world.services, process=process)
    manual_refunds.refund(services, world.caller, intent.address, reason=f"  {written} ")
    world.wait_for_state(intent, State.REFUNDED)
    told = lines(receipt(payer, intent))
    assert told["Reason"].startswith("Only 10 USDC")
    assert told["Message on the refund"] == written
    page = payer.get_page(intent)
    assert "<b>today" not in page
    assert f"Message on the refund: {written}" in plain(page)
    assert lines(receipt(payer, intent, "de"))["Nachricht zur Rückzahlung"] == written
    # Staff see who wrote it, and the audit log names it; another payment's page does not have it.
    story = get_timeline(world.services, world.operator, intent.id)
    [note] = story.notes
    assert (note.author, note.text) == ("A shop", written)
    subject = AuditFilter(subject=f"intent:{intent.id}")
    [entry] = audit.list_entries(world.services, world.operator, subject, 10)
    assert (entry.action, entry.detail) == ("refund", {"intent": intent.id, "reason": note.id})
    assert "Message on the refund" not in payer.get_page(world.create_intent())


def test_a_late_payment_says_so_as_its_reason(payer: Payer) -> None:
    world = payer.world
    intent = world.create_intent()
    world.machine.seconds += 3_700
    world.wait_for_state(intent, State.EXPIRED)
    world.deposit(intent)
    world.wait_for_state(intent, State.REFUNDED)
    late = "Reason: The money arrived after the time was up."
    assert late in plain(payer.get_page(intent))


def test_an_open_payment_has_no_receipt_yet(payer: Payer) -> None:
    name = create_token(payer.world.services, payer.world.create_intent().id)
    answer = payer.get(f"/{name}/receipt")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/pay/{name}")
    assert payer.get("/x/receipt").status_code == 404


def test_what_strangers_delivered_is_a_transaction_too(payer: Payer) -> None:
    world = payer.world
    intent = add_bridged(world, "ACROSS")
    send(world, intent)
    apply_event(world, intent, IntentEvent.DELIVERED, tx_hash=DESTINATION_TX)
    page = payer.get_page(intent)
    assert f"/tx/{DESTINATION_TX}" in page
    assert f"/tx/{DESTINATION_TX}" in receipt(payer, intent)


def test_a_payment_can_be_tried_on_the_simulated_network_alone(payer: Payer) -> None:
    world = payer.world
    intent = world.create_intent()
    path = f"/pay/{create_token(world.services, intent.id)}"
    assert f'action="{path}/simulate?' in payer.get_page(intent)
    for amount, state in (("short", State.PENDING), ("exact", State.COMPLETED)):
        answer = payer.http.post(f"{path}/simulate", data={"amount": amount})
        assert (answer.status_code, answer.headers["location"]) == (303, path)
        world.wait_for_state(intent, state)
    assert "/simulate" not in payer.get_page(intent)
    # What has ended takes no more, and nothing else is sent.
    with world.store.read() as unit:
        before = len(unit.deposits.list_by_intents([intent.id]))
    assert payer.http.post(f"{path}/simulate", data={"amount": "exact"}).status_code == 303
    assert payer.http.post(f"{path}/simulate", data={"amount": "1"}).status_code == 404
    assert payer.http.post("/pay/x/simulate", data={"amount": "exact"}).status_code == 404
    world.pass_time(30)
    with world.store.read() as unit:
        assert len(unit.deposits.list_by_intents([intent.id])) == before
