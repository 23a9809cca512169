"""What the operator's commands ask of the service's database and book in it, where there is one."""

from collections.abc import Mapping
from datetime import UTC, datetime

import typer
from sqlalchemy.exc import SQLAlchemyError

from crossway import catalogue as catalogue_data
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.domain.errors import InvalidStatus, StorageUnavailable, Unreachable
from crossway.ports.chain import IncludedTx
from crossway.settings import Settings
from crossway.storage.store import open_store
from crossway.usecases.money.emergency_stop import describe_hold, find_stop
from crossway.usecases.money.operator_transactions import post_once, postings_of

_UNBOOKED = "not booked: {}. The next reconciliation finds it"


def require_not_stopped() -> None:
    """Raise `InvalidStatus` while all outgoing money is stopped, and `StorageUnavailable` where the
    database cannot say. Where there is none yet, nothing is stopped."""
    settings = Settings()
    if settings.on_sqlite and not settings.database_file.exists():
        return
    store = open_store(settings.url)
    try:
        if problems := [*store.ping()]:
            raise StorageUnavailable(problems[0])
        with store.read() as unit:
            stop = find_stop(unit)
    finally:
        store.close()
    if stop is not None:
        raise InvalidStatus(describe_hold(stop))


def book(
    operator: ChainOperator, sender: str, tx_id: str, unified: Mapping[str, str] | None = None
) -> None:
    """Book an included transaction of an operator. Where there is no database yet, nothing is to be
    booked: what it cost is not part of the opening balance. A failure is told, as the transaction
    was made."""
    settings = Settings()
    if settings.on_sqlite and not settings.database_file.exists():
        return
    try:
        typer.echo(f"  {_book(operator, sender, tx_id, unified)}")
    except (SQLAlchemyError, StorageUnavailable, Unreachable) as error:
        typer.echo(f"  {_UNBOOKED.format(error)}")


def _book(
    operator: ChainOperator, sender: str, tx_id: str, unified: Mapping[str, str] | None
) -> str:
    chain = operator.chain
    included = chain.status({tx_id}).get(tx_id)
    if not isinstance(included, IncludedTx):
        return _UNBOOKED.format("its node does not have it")
    native = catalogue_data.load_catalogue().native_token(chain.id)
    postings = postings_of(chain.accounts, (chain.id, native), sender, tx_id, included, unified)
    store = open_store(Settings().url)
    try:
        if problems := [*store.ping()]:
            return _UNBOOKED.format(problems[0])
        now = datetime.now(UTC)
        was_posted = store.write(lambda unit: post_once(unit, postings, now))
    finally:
        store.close()
    return "booked" if was_posted else "was booked already"
