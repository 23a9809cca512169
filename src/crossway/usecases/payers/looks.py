"""How clients' pages for payers look: the logo, and the sites that may frame the page."""

from collections.abc import Sequence
from dataclasses import replace

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.looks import MOST_FRAMES, Look, frame_origin, picture_type
from crossway.domain.roles import Right
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.complaints import Complaints


def get(services: Services, caller: Caller, client_id: str) -> Look:
    """A client's look; an empty one where nothing was set."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        if unit.access.client(client_id) is None:
            raise NotFound("Client not found")
        return unit.links.look(client_id) or Look(client_id)


def change(
    services: Services,
    caller: Caller,
    client_id: str,
    picture: bytes | None = None,
    frames: Sequence[str] | None = None,
) -> Look:
    """Set the logo (an empty one takes it away) or the origins that may frame the page; None
    leaves what is there."""
    caller.must(Right.MANAGE)
    complaints, now = Complaints(), services.clock.now()
    media = complaints.read(lambda: picture_type(picture)) if picture else None
    origins = complaints.read(lambda: _origins(frames)) if frames is not None else None
    complaints.refuse()

    def work(unit: Unit) -> Look:
        client = unit.access.client(client_id)
        if client is None:
            raise NotFound("Client not found")
        before = unit.links.look(client_id) or Look(client_id)
        after = before
        if picture is not None:
            after = replace(after, picture=picture, picture_type=media or "")
        if origins is not None:
            after = replace(after, frames=origins)
        if after != before:
            unit.links.put_look(after)
            told, subject = {"client": client.name}, f"client:{client_id}"
            unit.network.audit(
                caller.who, "look changed", told, now, subject, _told(before), _told(after)
            )
        return after

    return services.store.write(work)


def _origins(frames: Sequence[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(frame_origin(text) for text in frames if text.strip()))
    if len(found) > MOST_FRAMES:
        raise InvalidInput(f"frames must be at most {MOST_FRAMES} origins")
    return found


def _told(look: Look) -> dict[str, object]:
    """What the audit log tells of a look: the picture by its digest."""
    return {"logo": look.digest, "frames": list(look.frames)}


def by_digest(services: Services, digest: str) -> Look:
    """The look whose picture has this digest; raises `NotFound`."""
    with services.store.read() as unit:
        look = unit.links.look_of(digest) if digest else None
    if look is None:
        raise NotFound("No such picture")
    return look
