"""Building Fonbnk's KYC submission from the customer's fields and documents."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.ramps.fonbnk.wire import KycDocument, KycResponse, RequiredField
from crossway.ports.ramps import Document, ProviderRejected

IMAGE_TYPES = frozenset({"image/jpeg", "image/png"})


def build_submission(
    names: Mapping[str, Any],
    state: KycResponse,
    fields: Mapping[str, str],
    documents: Sequence[Document],
) -> dict[str, Any]:
    """The documentId and userFields of the request: for the document named by `idType`, else for
    the highest complete one. Raises `ProviderRejected`."""
    theirs: dict[str, Any] = {names["identity"].get(k, k): v for k, v in fields.items()}
    images = _images(names, documents)
    if images:
        theirs["images"] = images
    wanted = fields.get("idType", "")
    known = [entry for entry in state.kyc_documents if not wanted or entry.value == wanted]
    whole = [entry for entry in known if not _lacking(entry, theirs)]
    if not whole:
        raise ProviderRejected(_sentence(state, known, theirs))
    chosen = max(whole, key=lambda entry: (entry.type.value != "basic", len(entry.required_fields)))
    keys = {requirements.key for requirements in chosen.required_fields}
    return {
        "documentId": chosen.id,
        "userFields": {key: value for key, value in theirs.items() if key in keys},
    }


def _images(names: Mapping[str, Any], documents: Sequence[Document]) -> list[dict[str, Any]]:
    return [
        {
            "image_type_id": names["images"][entry.key],
            "image": base64.b64encode(entry.content).decode(),
        }
        for entry in documents
        if entry.key in names["images"] and entry.media_type in IMAGE_TYPES
    ]


def _lacking(document: KycDocument, values: Mapping[str, Any]) -> list[RequiredField]:
    return [
        entry for entry in document.required_fields if entry.required and entry.key not in values
    ]


def _sentence(state: KycResponse, known: Sequence[KycDocument], given: Mapping[str, Any]) -> str:
    if not known:
        values = ", ".join(entry.value for entry in state.kyc_documents) or "none"
        return f"Fonbnk knows no such identity document; it takes {values}"
    nearest = min(known, key=lambda entry: len(_lacking(entry, given)))
    lacking = ", ".join(entry.key for entry in _lacking(nearest, given))
    return f"Fonbnk still needs {lacking} for {nearest.value or nearest.id}"
