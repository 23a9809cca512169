"""API, engines, indexers and the dashboard as processes on one PostgreSQL: every effect happens
once."""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from crossway.adapters.chains.addresses import address_from_digest
from crossway.domain.clients import Mode, staff_principal
from crossway.storage.service_tables import leases
from crossway.usecases.developers import api_keys, clients
from tests.databases import new_postgres
from tests.harness import CATALOGUE, SECRET_KEY, Harness
from tests.invariants import check_invariants, list_intents, nothing_outstanding
from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until

PAYMENTS = 60
# Leases are shared out by the alphabet: both of its ends are here.
WAYS = (
    ("ARBITRUM_MAINNET", "SOLANA_MAINNET"),
    ("BASE_MAINNET", "POLYGON_MAINNET"),
    ("POLYGON_MAINNET", "BASE_MAINNET"),
    ("SOLANA_MAINNET", "ARBITRUM_MAINNET"),
)
ONCE = ["intent_completed", "intent_created", "intent_funded", "intent_initiated"]


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    with new_postgres(postgres_url) as database_url:
        yield database_url


@pytest.fixture
def installation(url: str, tmp_path: Path) -> Iterator[Installation]:
    # The key of the world through which `seen_from_here` looks at the same database.
    (tmp_path / "secret.key").write_bytes(SECRET_KEY)
    (tmp_path / "secret.key").chmod(0o600)
    with new_installation(url, tmp_path) as installation:
        yield installation


@contextmanager
def seen_from_here(url: str) -> Iterator[Harness]:
    """The same database, for what HTTP does not tell."""
    world = Harness(url)
    world.machine.seconds = time.time()
    try:
        yield world
    finally:
        world.store.close()


class Api:
    """A client of an API process, with a key and no limit that is in the way."""

    def __init__(self, base: str, world: Harness) -> None:
        client = clients.create_client(
            world.services, f"Shop {time.monotonic_ns()}", staff_principal("test")
        )
        free = clients.ClientUpdate(requests_per_minute=1_000_000)
        clients.update_client(world.services, client.id, free, staff_principal("test"))
        self.client_id = client.id
        secret = api_keys.create_api_key(
            world.services, client.id, Mode.TEST, staff_principal("test")
        ).secret
        self._http = httpx.Client(
            base_url=f"{base}/api/v1", headers={"Authorization": f"Bearer {secret}"}, timeout=30
        )

    def get(self, path: str, **params: Any) -> Any:
        answer = self._http.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any) -> Any:
        answer = self._http.post(path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def pay(self, number: int) -> Any:
        """A new intent of 25 USDC, its way and its recipient by its number."""
        source, to = WAYS[number % len(WAYS)]
        body = {
            "sender": wallet(source, f"sender {number}"),
            "amount": "25000000",
            "tokenIn": CATALOGUE.tokens[source, "USDC"].address,
            "source_chain": source,
            "destination_chain": to,
            "recipient": wallet(to, f"recipient {number}"),
            "refund_address": wallet(source, f"refund {number}"),
        }
        return self.post("/intents", body)

    def deposit(self, address: str) -> None:
        self.post("/sandbox/deposits", {"address": address, "amount": "exact"})

    def statuses(self) -> Counter[str]:
        """How many of the client's intents are in each status, page by page."""
        counted: Counter[str] = Counter()
        cursor: dict[str, Any] = {}
        while True:
            page = self.get("/intents", limit=100, **cursor)
            counted.update(intent["intent_status"] for intent in page["intents"])
            if not page.get("nextCursor"):
                return counted
            cursor = {"cursor": page["nextCursor"]}

    def __enter__(self) -> "Api":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()


def wallet(chain: str, name: str) -> str:
    return address_from_digest(CATALOGUE.chains[chain].kind, sha256(name.encode()).digest())


def holders(world: Harness, prefix: str = "chain:") -> dict[str, set[str]]:
    """Which chains each living engine holds, or with `index:` each living indexer."""
    with world.store.reader.connect() as db:
        rows = db.execute(select(leases.c.owner, leases.c.name).where(leases.c.owner != "")).all()
    chains_by_engine: dict[str, set[str]] = {}
    for owner, name in rows:
        if name.startswith(prefix):
            chains_by_engine.setdefault(owner, set()).add(name.removeprefix(prefix))
    return chains_by_engine


def test_two_engines_share_the_work_and_one_takes_over_when_the_other_is_killed(
    installation: Installation, url: str
) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    # All at once on an empty database: one migrates, one opens the first account.
    installation.start("api", "crossway", "api", "--port", str(port))
    installation.start("engine 1", "crossway", "engine")
    installation.start("engine 2", "crossway", "engine")
    wait_until("the API answers", lambda: installation.responds("api", f"{base}/api/readyz"))
    with seen_from_here(url) as world, Api(base, world) as api:
        wait_until("both hold their share", lambda: leases_by_engine(world) == [10, 11])
        addresses = [api.pay(number)["intent_address"] for number in range(PAYMENTS)]
        wait_for_half_completed(api, world, addresses[: PAYMENTS // 2])
        for address in addresses[PAYMENTS // 2 :]:
            api.deposit(address)
        installation.kill("engine 1")
        wait_until("all is completed", lambda: api.statuses() == {"COMPLETED": PAYMENTS})
        api.post("/sandbox/clock", {"advanceSeconds": 60})
        wait_until("nothing is on its way", lambda: nothing_on_its_way(world))
        assert leases_by_engine(world) == [21]
        check_each_thing_once(world, api)
        assert installation.terminate("engine 2") == 0
        assert installation.terminate("api") == 0
        assert leases_by_engine(world) == []
    assert "sweep failed" not in installation.read_log("engine 1") + installation.read_log(
        "engine 2"
    )


def test_two_engines_share_two_chains_and_one_goes_on_when_the_other_is_killed(
    installation: Installation, url: str
) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    shards = {"SHARDS": "BASE_MAINNET=4, POLYGON_MAINNET=4"}
    installation.start("api", "crossway", "api", "--port", str(port))
    for name in ("engine 1", "engine 2"):
        installation.start(name, "crossway", "engine", **shards)
    wait_until("the API answers", lambda: installation.responds("api", f"{base}/api/readyz"))
    with seen_from_here(url) as world, Api(base, world) as api:
        # 19 chains, and four shards of each of two.
        wait_until("both hold their share", lambda: leases_by_engine(world) == [13, 14])
        numbers = [n for n in range(2 * PAYMENTS) if {*WAYS[n % 4]} == {*WAYS[1]}]
        made = [api.pay(number)["intent_address"] for number in numbers]
        share = shards_by_engine(world)
        for address in made[: PAYMENTS // 2]:
            api.deposit(address)
        wait_until("some are completed", lambda: api.statuses()["COMPLETED"] >= PAYMENTS // 4)
        wait_until("both completed some", lambda: completers(world, share) == set(share))
        for address in made[PAYMENTS // 2 :]:
            api.deposit(address)
        installation.kill("engine 1")
        wait_until("all is completed", lambda: api.statuses() == {"COMPLETED": PAYMENTS})
        api.post("/sandbox/clock", {"advanceSeconds": 60})
        wait_until("nothing is on its way", lambda: nothing_on_its_way(world))
        assert leases_by_engine(world) == [27]
        check_each_thing_once(world, api)
        assert installation.terminate("engine 2") == 0
        assert leases_by_engine(world) == []
    assert "sweep failed" not in installation.read_log("engine 1") + installation.read_log(
        "engine 2"
    )


def shards_by_engine(world: Harness) -> dict[str, set[tuple[str, int]]]:
    """Which shards of chains that are divided into four each engine holds."""
    shards = {}
    for owner, names in holders(world).items():
        parts = [name.removesuffix("/4").partition(":") for name in names if ":" in name]
        shards[owner] = {(chain, int(number)) for chain, _, number in parts}
    return shards


def completers(world: Harness, share: dict[str, set[tuple[str, int]]]) -> set[str]:
    """The engines that held the source of a completed payment."""
    done = {(i.terms.source_chain, i.id % 4) for i in list_intents(world) if i.state == "COMPLETED"}
    return {owner for owner, shards in share.items() if shards & done}


def test_indexers_share_the_chains_and_the_engine_goes_on_when_they_are_killed(
    installation: Installation, url: str
) -> None:
    port, probes = free_port(), free_port()
    base = f"http://127.0.0.1:{port}"
    installation.start("api", "crossway", "api", "--port", str(port))
    installation.start("engine", "crossway", "engine")
    installation.start("indexer 1", "crossway", "indexer", ENGINE_PORT=str(probes))
    installation.start("indexer 2", "crossway", "indexer")
    for name, answers in (("api", f"{base}/api"), ("indexer 1", f"http://127.0.0.1:{probes}")):
        wait_until("it is ready", lambda: installation.responds(name, f"{answers}/readyz"))  # noqa: B023
    with seen_from_here(url) as world, Api(base, world) as api:
        wait_until("both hold their share", lambda: leases_by_engine(world, "index:") == [10, 11])
        addresses = [api.pay(number)["intent_address"] for number in range(PAYMENTS)]
        third = PAYMENTS // 3
        for address in addresses[:third]:
            api.deposit(address)
        wait_until("a third is completed", lambda: api.statuses()["COMPLETED"] == third)
        for address in addresses[third : 2 * third]:
            api.deposit(address)
        installation.kill("indexer 1")
        wait_until("the other goes on", lambda: api.statuses()["COMPLETED"] == 2 * third)
        assert leases_by_engine(world, "index:") == [21]
        for address in addresses[2 * third :]:
            api.deposit(address)
        installation.kill("indexer 2")
        wait_until("all is completed", lambda: api.statuses() == {"COMPLETED": PAYMENTS})
        api.post("/sandbox/clock", {"advanceSeconds": 60})
        wait_until("nothing is on its way", lambda: nothing_on_its_way(world))
        check_each_thing_once(world, api)
        (killed,) = holders(world, "index:")
        installation.start("indexer 3", "crossway", "indexer")
        wait_until("a new one takes over", lambda: killed not in holders(world, "index:"))
        assert installation.terminate("indexer 3") == 0
        assert leases_by_engine(world, "index:") == []
    for name in ("engine", "indexer 1", "indexer 2", "indexer 3"):
        assert "sweep failed" not in installation.read_log(name)


def nothing_on_its_way(world: Harness) -> bool:
    """Whether nothing is to be sent, and nothing still to arrive: what a bridge carries repays a
    relayer who has paid before, and what it brings for inventory is booked once it is seen."""
    with world.store.read() as unit:
        if unit.bridge_transfers.list_open(1) or unit.inventory_transfers.list_open(1):
            return False
    return nothing_outstanding(world)


def leases_by_engine(world: Harness, prefix: str = "chain:") -> list[int]:
    return sorted(len(chains) for chains in holders(world, prefix).values())


def wait_for_half_completed(api: Api, world: Harness, addresses: list[str]) -> None:
    shares = holders(world)
    assert all(share & {source for source, _ in WAYS} for share in shares.values())
    for address in addresses:
        api.deposit(address)
    wait_until("some are completed", lambda: api.statuses()["COMPLETED"] >= len(addresses) // 2)
    # On a busy machine the first half may all be of one of them.
    wait_until("both completed some", lambda: set(completed_by(world, shares)) == set(shares))


def completed_by(world: Harness, shares: dict[str, set[str]]) -> Counter[str]:
    """Completed intents by the engine that held their source chain."""
    owner_of = {chain: owner for owner, chains in shares.items() for chain in chains}
    done = (intent for intent in list_intents(world) if intent.state == "COMPLETED")
    return Counter(owner_of[intent.terms.source_chain] for intent in done)


def check_each_thing_once(world: Harness, api: Api) -> None:
    check_invariants(world)
    intents = list_intents(world)
    assert len(intents) == PAYMENTS
    with world.store.read() as unit:
        history = unit.intents.list_transitions([intent.id for intent in intents])
    event_counts = Counter((move.intent_id, move.event_type) for move in history if move.event_type)
    assert event_counts == {(intent.id, kind): 1 for intent in intents for kind in ONCE}
    for intent in intents[:4]:
        [balances] = api.get(f"/sandbox/balances/{intent.terms.recipient}")["balances"]
        assert int(balances["amount"]) == intent.terms.payout_amount


def test_the_dashboard_runs_beside_an_engine_and_responds(
    installation: Installation, url: str
) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    installation.start(
        "dashboard",
        "crossway",
        "serve",
        "--port",
        str(port),
        RUN_ENGINE="false",
    )
    for path in ("/_stcore/health", "/api/readyz"):
        wait_until(f"{path} answers", lambda: installation.responds("dashboard", base + path))  # noqa: B023
    assert "<title>" in httpx.get(base).text
    with seen_from_here(url) as world, Api(base, world) as api:
        assert leases_by_engine(world) == []
        api.deposit(api.pay(0)["intent_address"])
        assert api.statuses() == {"PENDING": 1}
        installation.start("engine", "crossway", "engine")
        wait_until("an engine completes it", lambda: api.statuses() == {"COMPLETED": 1})
        assert installation.terminate("engine") == 0
        # Streamlit's server sends itself the signal again once all is put away.
        assert installation.terminate("dashboard") == -signal.SIGTERM
        assert last_key_use(world, api) is not None


def test_a_terminated_process_writes_what_it_has_buffered(
    installation: Installation, url: str
) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    installation.start("api", "crossway", "api", "--port", str(port))
    wait_until("the API answers", lambda: installation.responds("api", f"{base}/api/readyz"))
    with seen_from_here(url) as world, Api(base, world) as api:
        for _ in range(2):
            api.statuses()
        assert installation.terminate("api") == 0
        assert last_key_use(world, api) is not None


def last_key_use(world: Harness, api: Api) -> datetime | None:
    with world.store.read() as unit:
        [key] = unit.api_keys.list_api_keys(api.client_id)
    return key.last_used_at
