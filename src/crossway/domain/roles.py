"""What the people of an installation may do: their roles, and the rights that each role has."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Role(StrEnum):
    """One person has one role; each has the rights of those before it, and more."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    TREASURER = "treasurer"
    ADMIN = "admin"


class Right(StrEnum):
    """What can be allowed to a person; the words complete "This needs the right to …"."""

    SEE = "see every client's payments"
    WORK = "work on payments and orders"
    REFUND = "send refunds"
    SWITCH = "switch routes and chains off and on"
    TREASURE = "send money where no payment's terms send it"
    MANAGE = "manage people, clients, keys and webhooks"


_NEEDS: Final = MappingProxyType(
    {
        Right.SEE: Role.VIEWER,
        Right.WORK: Role.OPERATOR,
        Right.REFUND: Role.OPERATOR,
        Right.SWITCH: Role.OPERATOR,
        Right.TREASURE: Role.TREASURER,
        Right.MANAGE: Role.ADMIN,
    }
)
_ORDER: Final = tuple(Role)


def may(role: Role, right: Right) -> bool:
    """Whether this role has this right."""
    return _ORDER.index(role) >= _ORDER.index(_NEEDS[right])


def least(right: Right) -> Role:
    """The least role that has this right."""
    return _NEEDS[right]
