"""Odd paths below /api, which the server around the API would refuse in another form than its."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.errors import error_response
from crossway.domain.error_codes import ErrorCode

_PREFIX: Final = "/api/"


class ApiPaths:
    """Answers 404 as the API does where Streamlit would answer for it: to paths that could lead out
    of a folder, and to those that its routes cannot read, such as a line break."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and path.startswith(_PREFIX) and _is_odd(path):
            await error_response(404, "Not Found", ErrorCode.NOT_FOUND)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_odd(path: str) -> bool:
    segments = path.removeprefix(_PREFIX).replace("\\", "/").split("/")
    return ".." in segments or not path.isprintable()
