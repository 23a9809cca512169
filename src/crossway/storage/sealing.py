"""Text columns that are encrypted at rest: personal data, and words of others that may hold it."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Column, Connection, Engine, Table, select, update

from crossway.ports.vault import Vault

# Marks a text column in `Column.info`.
SEALED: Final = "sealed"
# What follows is encrypted; a value without it was stored before its column was sealed.
PREFIX: Final = "sealed:"
# Of these values nothing can be learnt.
PLAIN_VALUES: Final = ("", "{}")
_OPTION: Final = "crossway_vault"
Seal = Callable[[str], str]


def unlock(engine: Engine, vault: Vault) -> None:
    """Let the connections of an engine encrypt and decrypt with a vault."""
    engine.update_execution_options(**{_OPTION: vault})


def vault_of(db: Connection) -> Vault:
    """The vault that the store was unlocked with; raises `LookupError` if it was not."""
    vault = db.get_execution_options().get(_OPTION)
    if vault is None:
        raise LookupError("the store is not unlocked: open its vault first")
    found: Vault = vault
    return found


def sealer(db: Connection) -> Seal:
    """A function that encrypts the value of a sealed column."""

    def seal(text: str) -> str:
        if text in PLAIN_VALUES:
            return text
        return PREFIX + vault_of(db).encrypt(text.encode()).decode()

    return seal


def opener(db: Connection) -> Seal:
    """A function that decrypts the value of a sealed column."""

    def open_text(text: str) -> str:
        if not text.startswith(PREFIX):
            return text
        return vault_of(db).decrypt(text.removeprefix(PREFIX).encode()).decode()

    return open_text


def seal_plain(
    db: Connection, table: Table, column: Column[str], limit: int, after: int = 0
) -> tuple[int, int | None]:
    """Encrypt the values of a column that were stored before it was sealed, of the next `limit`
    rows; returns how many, and the id of the last row, None at the end."""
    query = select(table.c.id, column).where(table.c.id > after).order_by(table.c.id).limit(limit)
    rows = db.execute(query.with_for_update()).all()
    seal, sealed = sealer(db), 0
    for row_id, text in rows:
        if text is not None and text not in PLAIN_VALUES and not text.startswith(PREFIX):
            values = {column.name: seal(text)}
            db.execute(update(table).where(table.c.id == row_id).values(values))
            sealed += 1
    return sealed, rows[-1][0] if len(rows) == limit else None
