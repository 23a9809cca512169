"""The tasks: what has happened before, how many clicks they may take, and when they are done."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from benchmarks.operator_tasks import scenes
from benchmarks.operator_tasks.person import Person
from benchmarks.operator_tasks.scenes import Receiver, Scene
from benchmarks.operator_tasks.site import Site

Steps = Callable[[Person, Scene], None]


@dataclass(frozen=True, slots=True)
class Way:
    """How a task is done in one version of the dashboard. Without `steps` it cannot be done;
    `is_complete` is false for the nearest that can. `note` says what to know about it."""

    steps: Steps | None
    note: str = ""
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class Task:
    """`limit` is in clicks, `seconds` in modelled seconds. It is performed on an `empty`
    installation or on a demo month; `is_done` asks the service itself."""

    name: str
    title: str
    limit: int
    scene: Callable[[Site, Receiver], Scene] = lambda site, receiver: Scene()
    is_done: Callable[[Site, Scene], bool] = lambda site, scene: True
    empty: bool = False
    seconds: float | None = None


def _fault_is_gone(site: Site, scene: Scene) -> bool:
    about_it = "key IN ('unreachable:OPTIMISM_MAINNET', 'wrong_chain:OPTIMISM_MAINNET')"
    return not site.query(f"SELECT count(*) FROM alerts WHERE {about_it}")


def _refund_arrived(site: Site, scene: Scene) -> bool:
    balances = site.read(f"/sandbox/balances/{scenes.BOOKED_ADDRESS}")["balances"]
    return any(item["amount"] == scenes.REFUND_UNITS for item in balances)


def _is_paid_out(site: Site, scene: Scene) -> bool:
    state = site.query("SELECT state FROM intents WHERE id = ?", scene.number)
    lacks = site.query("SELECT count(*) FROM alerts WHERE kind = 'stock'")
    return bool(state == "COMPLETED" and not lacks)


def _has_arrived(site: Site, scene: Scene) -> bool:
    """The payment that waited for the chain, which is the newest."""
    state = site.query("SELECT state FROM intents ORDER BY id DESC")
    return bool(state == "COMPLETED")


def _was_resent(site: Site, scene: Scene) -> bool:
    receiver = scene.receiver
    return receiver is not None and len(receiver.refused - receiver.accepted) == 0


TASKS: Final = (
    Task(
        "find", "Find a payment by transaction hash", 1,
        lambda site, _: scenes.completed_payment(site),
    ),
    Task(
        "paid", "Confirm that a payment was paid", 1,
        lambda site, _: scenes.completed_payment(site),
    ),
    Task("cost", "Answer what it costs from anywhere", 1),
    Task(
        "node", "End a node's fault", 2,
        lambda site, _: scenes.lying_node(site), _fault_is_gone,
    ),
    Task(
        "link", "Create a payment and copy its link, as a returning merchant", 3,
        lambda site, _: scenes.completed_payment(site), seconds=30,
    ),
    Task("kyc", "Open a ramp order with KYC missing and see what to do", 4),
    Task(
        "refund", "Send a refused refund elsewhere", 2,
        lambda site, _: scenes.refused_refund(site), _refund_arrived,
    ),
    Task(
        "payout", "See why a payout waits and fund it", 2,
        lambda site, _: scenes.empty_inventory(site), _is_paid_out,
    ),
    Task(
        "webhooks", "Resend an outage's webhooks", 2,
        scenes.outage, _was_resent,
    ),
    Task(
        "failure", "Show a failure and its recovery in presentation mode", 3,
        is_done=_has_arrived,
    ),
    Task("first_payment", "Empty installation to a paid test payment", 4, empty=True),
    Task("story", "Empty installation to the running story", 1, empty=True),
)  # fmt: skip
