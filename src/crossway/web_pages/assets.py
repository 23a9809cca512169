"""The templates of pages that Streamlit does not draw, and the files that they load."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response


@dataclass(frozen=True)
class Assets:
    """Files that pages load, by name with their media types; `root` is the path of their URLs."""

    root: str
    files: Mapping[str, tuple[Path, str]]
    _bodies: dict[str, bytes] = field(default_factory=dict)

    def url(self, name: str) -> str:
        """The URL of a file; it changes with the content."""
        return f"{self.root}/{name}?{sha256(self.body(name)).hexdigest()[:12]}"

    def body(self, name: str) -> bytes:
        """The content of a file."""
        if name not in self._bodies:
            self._bodies[name] = self.files[name][0].read_bytes()
        return self._bodies[name]

    async def respond(self, request: Request) -> Response:
        """The file that a path names as `name`."""
        name = request.path_params["name"]
        if name not in self.files:
            return Response("Not Found", 404)
        return immutable_file(self.body(name), self.files[name][1])


def immutable_file(body: bytes, media: str) -> Response:
    """A file that is cached for ever, because its URL changes with its content."""
    headers = {
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'",
    }
    return Response(body, 200, headers, media)


def load_templates(folder: Path) -> Environment:
    """The templates in a folder: everything is escaped, and a name without a value is an error."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
