"""What is drawn only for those who may do it."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from crossway.dashboard.session import operator
from crossway.domain.roles import Right, least

P = ParamSpec("P")


def needing(right: Right) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Draw this for whoever has a right, and for all others who has it. The use case refuses them
    all the same."""

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            if granted(right):
                draw(*args, **kwargs)

        return drawn

    return decorate


def granted(right: Right) -> bool:
    """Whether whoever looks has a right; who has it stands there when they do not."""
    if operator().may(right):
        return True
    st.caption(f"The right to {right} is needed here: ask for the role {least(right)}.")
    return False


def works() -> bool:
    """Whether whoever looks may make payments and work on them."""
    return granted(Right.WORK)
