"""The work of a run: stories and single requests, from several threads, at a steady pace."""

import heapq
import random
import threading
import time
from itertools import count
from typing import Any

from benchmarks.campaign.client import Client, Paused
from benchmarks.campaign.market import Market
from benchmarks.campaign.orders import ramp_order
from benchmarks.campaign.stories import STORIES, Payment
from benchmarks.campaign.tally import Tally

THREADS, MAX_OPEN_STORIES = 4, 250
STORY_SHARE, ORDER_SHARE = 0.25, 0.02
IDLE_SECONDS = 0.02


class Work:
    """Threads that continue stories when they are due, and otherwise begin or ask something."""

    def __init__(self, client: Client, market: Market, tally: Tally, seed: int, pace: float):
        self._client, self._market, self._tally, self._seed = client, market, tally, seed
        self._pace, self._began_at = pace, time.monotonic()
        self._rng, self._lock = random.Random(f"{seed} work"), threading.Lock()
        self._due: list[tuple[float, int, Paused[Any]]] = []
        self._numbers, self._open = count(1), 0
        self.payments: list[Payment] = []
        self.closing, self._over = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(THREADS)]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def open_stories(self) -> int:
        """How many stories have not ended."""
        with self._lock:
            return self._open

    def stop(self) -> None:
        """End all threads."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            story = self._next()
            if story is None:
                time.sleep(IDLE_SECONDS)
                continue
            try:
                pause = next(story)
            except StopIteration:
                with self._lock:
                    self._open -= 1
                continue
            except Exception as error:  # A defect of this tool; it must not pass unseen.
                self._tally.problem(f"a story broke: {error!r}")
                with self._lock:
                    self._open -= 1
                continue
            with self._lock:
                self._push(pause, story)

    def _next(self) -> Paused[Any] | None:
        """A story that is due, or a new one while the work is behind its pace."""
        with self._lock:
            now = time.monotonic()
            if self._due and self._due[0][0] <= now:
                return heapq.heappop(self._due)[2]
            behind = self._tally.operations < self._pace * (now - self._began_at)
            if self.closing.is_set() or not behind or self._open >= MAX_OPEN_STORIES:
                return None
            self._open += 1
            return self._new_story(next(self._numbers))

    def _push(self, pause: float, story: Paused[Any]) -> None:
        heapq.heappush(self._due, (time.monotonic() + pause, next(self._numbers), story))

    def _new_story(self, number: int) -> Paused[Any]:
        name = f"{self._seed} {number}"
        rng = random.Random(name)
        drawn = rng.random()
        if drawn < STORY_SHARE:
            [kind] = rng.choices(list(STORIES), [weight for weight, _ in STORIES.values()])
            payment = Payment(name, kind, rng, self._client, self._market, self._tally)
            self.payments.append(payment)
            return _pay(payment)
        if drawn < STORY_SHARE + ORDER_SHARE:
            return ramp_order(self._client, rng, name)
        return self._browse(rng, rng.choice(self.payments) if self.payments else None)

    def _browse(self, rng: random.Random, payment: Payment | None) -> Paused[None]:
        """One request that changes little or nothing."""
        created = payment.created if payment is not None else None
        source, destination = self._market.draw_route(rng)
        token = self._market.draw_token(rng, source)["address"]
        route = {"sourceChain": source, "destinationChain": destination, "tokenIn": token}
        route |= {"tokenOut": self._market.draw_token(rng, destination)["address"]}
        route |= {"amount": str(rng.randint(10**6, 10**9))}
        several = {key: route[key] for key in ("destinationChain", "amount")}
        requests: list[tuple[str, dict[str, Any]]] = [
            ("/intents", {"limit": rng.choice((5, 20, 50))}),
            ("/intents", {"status": rng.choice(("pending", "processing", "completed", "failed"))}),
            ("/quotes/best", route),
            ("/quotes/multiple", route),
            ("/quotes/multi-source", several),
            ("/router/optimal-route", route),
            ("/webhooks", {}),
            ("/ramp/orders", {}),
            ("/payment-links", {}),
        ]
        if created is not None:
            requests += [
                (f"/intents/address/{created['intent_address']}", {}),
                (f"/intents/{created['id']}", {}),
                (f"/intents/destination-address/{created['intent_address']}", {}),
                (f"/sandbox/balances/{created['recipient']}", {}),
            ] * 2
        path, params = rng.choice(requests)
        if path == "/payment-links" and rng.random() < 0.5:
            yield from self._new_link(rng)
        else:
            yield from self._client.ask("GET", path, **params)

    def _new_link(self, rng: random.Random) -> Paused[None]:
        """A payment link."""
        payment = self._market.create_body(rng, f"link {rng.random()}")
        body = {name: payment[name] for name in ("destination_chain", "recipient")}
        yield from self._client.ask("POST", "/payment-links", {**body, "title": "Coffee"})


def _pay(payment: Payment) -> Paused[None]:
    if (yield from payment.create()):
        yield from STORIES[payment.kind][1](payment)
