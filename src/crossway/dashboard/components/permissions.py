"""Hides what the signed-in person has no permission for."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from crossway.dashboard.session import operator
from crossway.domain.roles import Permission, minimum_role

P = ParamSpec("P")


def requires(right: Permission) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Draw a part only with this permission, else a hint; the use case checks it as well."""

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            if is_granted(right):
                draw(*args, **kwargs)

        return drawn

    return decorate


def is_granted(right: Permission) -> bool:
    """Whether the viewer has a permission; if not, show which role has it."""
    if operator().can(right):
        return True
    st.caption(f"You need permission to {right}: ask for the role {minimum_role(right)}.")
    return False


def can_work() -> bool:
    """Whether the viewer may create payments and work on them."""
    return is_granted(Permission.OPERATE)
