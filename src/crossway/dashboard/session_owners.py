"""Which cookie opened each session of Streamlit's: its id stands in URLs and is no credential."""

from collections import OrderedDict
from hashlib import sha256
from typing import Final

from streamlit.runtime.scriptrunner import get_script_run_ctx

_MAX_SESSIONS: Final = 10_000
_owners: OrderedDict[str, bytes] = OrderedDict()


def record_owner(token: str) -> None:
    """Record the staff token of the running script's session; empty without one."""
    context = get_script_run_ctx()
    if context is None:
        return
    _owners[context.session_id] = _digest(token)
    _owners.move_to_end(context.session_id)
    while len(_owners) > _MAX_SESSIONS:
        _owners.popitem(last=False)


def owns_session(session_id: str, token: str) -> bool:
    """Whether the cookie with this token opened a session; False for an unknown session."""
    return _owners.get(session_id) == _digest(token)


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
