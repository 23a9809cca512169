"""What an installation without payments offers first, and what a live one still lacks."""

from dataclasses import dataclass

from crossway.dashboard.views.links import page_href
from crossway.dashboard.views.new_intent import Draft, create_payment, example_address
from crossway.domain.clients import OwnerFilter, Principal
from crossway.domain.intent import Intent
from crossway.ports.services import Services
from crossway.usecases.developers import api_keys
from crossway.usecases.operating import alerts

TEST_SOURCE, TEST_DESTINATION = "BASE_MAINNET", "ARBITRUM_MAINNET"
TEST_SYMBOL, TEST_AMOUNT = "USDC", "25"
STORY_HREF = page_href("guided_tour", play="1")


@dataclass(frozen=True, slots=True)
class FirstStep:
    """One thing that a live installation needs before its first payment."""

    title: str
    text: str
    label: str
    href: str
    icon: str
    command: str = ""


def is_empty(services: Services) -> bool:
    """Whether there is no payment yet, in either mode."""
    with services.store.read() as unit:
        return not any(unit.intents.count_by_state(OwnerFilter()).values())


def introduction(services: Services) -> str:
    """One sentence on what Crossway is."""
    chains = sum(not chain.testnet for chain in services.catalogue.chains.values())
    return (
        f"Crossway takes a payment in tokens on any of {chains} blockchains and pays the recipient "
        "on the chain of their choice; what cannot be delivered goes back to the payer."
    )


def create_test_payment(services: Services, caller: Principal) -> Intent:
    """A payment of 25 USDC from Base to Arbitrum between example addresses, ready to be paid."""
    draft = Draft(
        TEST_SOURCE,
        TEST_DESTINATION,
        TEST_SYMBOL,
        TEST_SYMBOL,
        TEST_AMOUNT,
        recipient=example_address(services, TEST_DESTINATION),
        refund_address=example_address(services, TEST_SOURCE),
        reference="Test payment",
    )
    return create_payment(services, caller, draft)


def list_first_steps(services: Services, caller: Principal) -> tuple[FirstStep, ...]:
    """What a live installation needs first: a checked setup, an API key and a payment link."""
    active = len(alerts.list_active_alerts(services, caller))
    keys = len(api_keys.list_api_keys(services))
    findings = f"{active:,} active alert{'' if active == 1 else 's'}" if active else "No alerts"
    issued = f"{keys:,} active key{'' if keys == 1 else 's'}" if keys else "No keys"
    return (
        FirstStep(
            "1. Check the setup",
            f"Names every problem of the settings, chains and bridges. {findings} now.",
            "Active alerts", page_href("alerts"), "notifications", "crossway doctor",
        ),
        FirstStep(
            "2. Create an API key",
            f"Each merchant's system creates its payments with a key of its own. {issued} now.",
            "API keys", page_href("keys"), "key",
        ),
        FirstStep(
            "3. Create a payment link",
            "Takes payments without any code: send the link or print its QR code.",
            "Payment links", page_href("payment_links"), "add_link",
        ),
    )  # fmt: skip
