"""Staff roles and their permissions."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Role(StrEnum):
    """The role of a staff member; each includes the permissions of those before it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    TREASURER = "treasurer"
    ADMIN = "admin"


class Permission(StrEnum):
    """A permission; the value completes "This needs permission to …"."""

    VIEW = "see every merchant's payments"
    OPERATE = "work on payments and orders"
    REFUND = "send refunds"
    SWITCH_ROUTES = "disable and enable routes and chains"
    STOP = "stop all outgoing money"
    MOVE_FUNDS = "move funds outside a payment's terms"
    MANAGE = "manage staff, merchants, keys and webhooks"


_MINIMUM_ROLES: Final = MappingProxyType(
    {
        Permission.VIEW: Role.VIEWER,
        Permission.OPERATE: Role.OPERATOR,
        Permission.REFUND: Role.OPERATOR,
        Permission.SWITCH_ROUTES: Role.OPERATOR,
        Permission.STOP: Role.OPERATOR,
        Permission.MOVE_FUNDS: Role.TREASURER,
        Permission.MANAGE: Role.ADMIN,
    }
)
_ORDER: Final = tuple(Role)


def can(role: Role, permission: Permission) -> bool:
    """Whether a role has a permission."""
    return is_at_least(role, _MINIMUM_ROLES[permission])


def is_at_least(role: Role, lowest: Role) -> bool:
    """Whether a role is this one or a higher one."""
    return _ORDER.index(role) >= _ORDER.index(lowest)


def minimum_role(permission: Permission) -> Role:
    """The lowest role with a permission."""
    return _MINIMUM_ROLES[permission]
