"""Forms that browsers send to pages that Streamlit does not draw."""

from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

MAX_FORM_BYTES: Final = 16 * 1024
MAX_FIELDS: Final = 20


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form; none if it is too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return {}
    try:
        return dict(parse_qsl(body.decode("ascii"), max_num_fields=MAX_FIELDS))
    except ValueError:
        return {}
