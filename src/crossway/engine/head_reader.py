"""Reads the heads of chains, and raises alerts about chains and nodes that do not answer or are not
believed."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import Unreachable, WrongChain
from crossway.engine.alerts import raise_alert
from crossway.ports.chain import ChainHead
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name

_REPEAT_AFTER = timedelta(minutes=1)
# Causes, which begin the keys of their alerts, and the kinds of these: none of a chain's nodes
# answers; too few serve the chain and the others another one; some do, and the rest suffice.
_UNREACHABLE, _WRONG_CHAIN, _MISPLACED = "unreachable", "wrong_chain", "misplaced"
_KINDS: Final = {_UNREACHABLE: "chain", _WRONG_CHAIN: "wrong_chain", _MISPLACED: "wrong_chain"}


class HeadReader:
    """The heads of an engine's chains, with what was reported about each chain last."""

    def __init__(self, services: Services) -> None:
        self._services = services
        # By cause and chain the message, empty while there is none: as read last, and as reported.
        self._found: dict[tuple[str, str], str] = {}
        self._reported: dict[tuple[str, str], str] = {}
        self._doubted_at: dict[str, datetime] = {}

    def read(self, chains: Iterable[str]) -> dict[str, ChainHead]:
        """The heads of those chains that answer."""
        heads: dict[str, ChainHead] = {}
        self._found = {}
        for chain_id in sorted(chains):
            self._found |= {(cause, chain_id): "" for cause in _KINDS}
            try:
                heads[chain_id] = head = self._services.chains[chain_id].heads()
            except WrongChain as error:
                self._found[_WRONG_CHAIN, chain_id] = str(error)
            except Unreachable as error:
                self._found[_UNREACHABLE, chain_id] = str(error)
            else:
                self._found[_MISPLACED, chain_id] = "; ".join(head.wrong_chains)
        return heads

    def report(self, heads: Mapping[str, ChainHead], led: Collection[str]) -> int:
        """Raise and resolve the alerts about the chains and nodes that were read last, where this
        engine leads the chain: others that share it may have read earlier or later."""
        self._found = {key: text for key, text in self._found.items() if key[1] in led}
        self._report_outages()
        self._report_doubts({chain: head for chain, head in heads.items() if chain in led})
        return 0

    def forget(self, kept: Collection[str]) -> None:
        """Forget what was reported about all but these chains."""
        self._reported = {key: text for key, text in self._reported.items() if key[1] in kept}

    def _report_outages(self) -> None:
        changed = {
            key: message
            for key, message in self._found.items()
            if self._reported.get(key) != message
        }
        resolved = [f"{cause}:{chain}" for (cause, chain), text in changed.items() if not text]

        def work(unit: UnitOfWork) -> None:
            for (cause, chain), message in changed.items():
                if message:
                    text = self._describe(cause, chain, message)
                    key, kind = f"{cause}:{chain}", _KINDS[cause]
                    raise_alert(unit, self._services, key, kind, chain, text)
            unit.alerts.resolve(resolved, self._services.clock.now())

        if changed:
            self._services.store.write(work)
        self._reported.update(self._found)

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

    def _describe(self, cause: str, chain_id: str, message: str) -> str:
        name = chain_name(self._services, chain_id)
        reason = message.replace(chain_id, name)
        if reason.startswith(name):
            return reason
        if cause == _MISPLACED:
            return f"{name} has a node of another chain, which is not used: {reason}"
        what = "has nodes of another chain" if cause == _WRONG_CHAIN else "does not answer"
        return f"{name} {what}: {reason}"
