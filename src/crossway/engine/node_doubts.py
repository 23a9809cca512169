"""Alerts about nodes whose heads are not believed."""

from collections.abc import Mapping, MutableMapping
from datetime import datetime, timedelta

from crossway.engine.alerts import raise_alert
from crossway.ports.chain import ChainHead
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name

_REPEAT_AFTER = timedelta(minutes=1)


def report_doubts(
    services: Services, heads: Mapping[str, ChainHead], reported_at: MutableMapping[str, datetime]
) -> None:
    """Raise an alert for each chain with a node that is not believed, again every minute while that
    lasts; `reported_at` keeps when that was done last. Housekeeping resolves old ones."""
    now = services.clock.machine()
    messages = {
        chain: f"{chain_name(services, chain)}: {'; '.join(head.doubts)}."
        for chain, head in heads.items()
        # Not for each new message: block numbers change with every block.
        if head.doubts
        and (chain not in reported_at or abs(now - reported_at[chain]) >= _REPEAT_AFTER)
    }

    def work(unit: UnitOfWork) -> None:
        for chain, message in messages.items():
            raise_alert(unit, services, f"doubted:{chain}", "node", chain, message)

    if messages:
        services.store.write(work)
        reported_at.update(dict.fromkeys(messages, now))
