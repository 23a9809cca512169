"""What Streamlit's pages are told about the site they stand in: no dialog of Streamlit's own."""

from typing import Any, Final

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_PATH: Final = "/_stcore/host-config"
_METHODS: Final = ("GET", "HEAD")
# `blockErrorDialogs`: when the connection is lost, Streamlit would ask an operator to type
# `streamlit run`, in a dialog that locks the page. No other site may send messages to a page.
_CONFIG: Final[dict[str, Any]] = {
    "allowedOrigins": [],
    "useExternalAuthToken": False,
    "enableCustomParentMessages": False,
    "enforceDownloadInNewTab": False,
    "metricsUrl": "",
    "blockErrorDialogs": True,
    "resourceCrossOriginMode": None,
}


class HostConfig:
    """Answers in Streamlit's place, which lets no application set this."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_ours = scope["type"] == "http" and scope["path"] == _PATH
        if is_ours and scope["method"] in _METHODS:
            answer = JSONResponse(_CONFIG, headers={"cache-control": "no-cache"})
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)
