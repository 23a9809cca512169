"""The columns and the order that each person chose for the lists they work with."""

from typing import Final

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.table_preferences import TablePreference

MAX_COLUMNS: Final = 50
MAX_NAME_CHARACTERS: Final = 60


def get_preference(services: Services, caller: Principal, list_name: str) -> TablePreference:
    """What the caller chose for a list; nothing by default."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.table_preferences.get(_staff_id(caller), list_name)


def save_preference(
    services: Services, caller: Principal, list_name: str, preference: TablePreference
) -> None:
    """Keep what the caller chose for a list, in every browser they sign in with. Not audited: it
    changes nothing but their view. Raises `InvalidInput`."""
    caller.require_permission(Permission.VIEW)
    names = (list_name, preference.sort, *preference.columns)
    if len(preference.columns) > MAX_COLUMNS or max(map(len, names)) > MAX_NAME_CHARACTERS:
        raise InvalidInput("columns must be those of the list")
    staff_id = _staff_id(caller)
    services.store.write(lambda unit: unit.table_preferences.set(staff_id, list_name, preference))


def _staff_id(caller: Principal) -> int:
    """0 is the operator where nobody has to sign in, or before there are accounts."""
    member_id = caller.session.member_id if caller.session else None
    return member_id or 0
