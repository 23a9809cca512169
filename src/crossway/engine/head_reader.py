"""Reads the heads of chains, and raises alerts about chains and nodes that do not answer or are not
believed."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta

from crossway.domain.errors import Unreachable
from crossway.engine.alerts import raise_alert
from crossway.ports.chain import ChainHead
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name

_REPEAT_AFTER = timedelta(minutes=1)


class HeadReader:
    """The heads of an engine's chains, with what was reported about each chain last."""

    def __init__(self, services: Services) -> None:
        self._services = services
        # The reason by chain, empty while it answers: as read last, and as reported.
        self._outages: dict[str, str] = {}
        self._reported: dict[str, str] = {}
        self._doubted_at: dict[str, datetime] = {}

    def read(self, chains: Iterable[str]) -> dict[str, ChainHead]:
        """The heads of those chains that answer."""
        heads: dict[str, ChainHead] = {}
        self._outages = {}
        for chain_id in sorted(chains):
            try:
                heads[chain_id] = self._services.chains[chain_id].heads()
                self._outages[chain_id] = ""
            except Unreachable as error:
                self._outages[chain_id] = str(error)
        return heads

    def report(self, heads: Mapping[str, ChainHead]) -> int:
        """Raise and resolve the alerts about the chains and nodes that were read last."""
        self._report_outages()
        self._report_doubts(heads)
        return 0

    def forget(self, kept: Collection[str]) -> None:
        """Forget what was reported about all but these chains."""
        self._reported = {c: message for c, message in self._reported.items() if c in kept}

    def _report_outages(self) -> None:
        changed = {
            c: message for c, message in self._outages.items() if self._reported.get(c) != message
        }
        resolved = [f"unreachable:{c}" for c, message in changed.items() if not message]

        def work(unit: UnitOfWork) -> None:
            for chain_id, message in changed.items():
                if message:
                    key, text = f"unreachable:{chain_id}", self._describe_outage(chain_id, message)
                    raise_alert(unit, self._services, key, "chain", chain_id, text)
            unit.alerts.resolve(resolved, self._services.clock.now())

        if changed:
            self._services.store.write(work)
        self._reported.update(self._outages)

    def _report_doubts(self, heads: Mapping[str, ChainHead]) -> None:
        """Raise an alert for each chain with a node that is not believed, again every minute while
        that lasts; housekeeping resolves old ones."""
        now, reported_at = self._services.clock.machine(), self._doubted_at
        messages = {
            chain: f"{chain_name(self._services, chain)}: {'; '.join(head.doubts)}."
            for chain, head in heads.items()
            # Not for each new message: block numbers change with every block.
            if head.doubts
            and (chain not in reported_at or abs(now - reported_at[chain]) >= _REPEAT_AFTER)
        }

        def work(unit: UnitOfWork) -> None:
            for chain, message in messages.items():
                raise_alert(unit, self._services, f"doubted:{chain}", "node", chain, message)

        if messages:
            self._services.store.write(work)
            reported_at.update(dict.fromkeys(messages, now))

    def _describe_outage(self, chain_id: str, message: str) -> str:
        name = chain_name(self._services, chain_id)
        reason = message.replace(chain_id, name)
        return reason if reason.startswith(name) else f"{name} does not answer: {reason}"
