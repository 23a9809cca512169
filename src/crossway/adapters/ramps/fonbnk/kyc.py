"""Building Fonbnk's KYC submission from the customer's fields and documents."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.ramps.fonbnk.wire import KycDocument, KycResponse, RequiredField
from crossway.ports.ramps import Document, ProviderRejected

IMAGE_TYPES = frozenset({"image/jpeg", "image/png"})


def build_submission(
    names: Mapping[str, Any],
    response: KycResponse,
    fields: Mapping[str, str],
    documents: Sequence[Document],
) -> dict[str, Any]:
    """The documentId and userFields of the request: for the document named by `idType`, else for
    the highest complete one. Raises `ProviderRejected`."""
    provider_values: dict[str, Any] = {names["identity"].get(k, k): v for k, v in fields.items()}
    images = _images(names, documents)
    if images:
        provider_values["images"] = images
    id_type = fields.get("idType", "")
    candidates = [
        entry for entry in response.kyc_documents if not id_type or entry.value == id_type
    ]
    complete = [entry for entry in candidates if not _missing_fields(entry, provider_values)]
    if not complete:
        raise ProviderRejected(_describe_missing(response, candidates, provider_values))
    chosen = max(
        complete, key=lambda entry: (entry.type.value != "basic", len(entry.required_fields))
    )
    keys = {required.key for required in chosen.required_fields}
    return {
        "documentId": chosen.id,
        "userFields": {key: value for key, value in provider_values.items() if key in keys},
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


def _missing_fields(document: KycDocument, values: Mapping[str, Any]) -> list[RequiredField]:
    return [
        entry for entry in document.required_fields if entry.required and entry.key not in values
    ]


def _describe_missing(
    response: KycResponse, candidates: Sequence[KycDocument], provided: Mapping[str, Any]
) -> str:
    if not candidates:
        options = ", ".join(entry.value for entry in response.kyc_documents) or "none"
        return f"Fonbnk knows no such identity document; it takes {options}"
    nearest = min(candidates, key=lambda entry: len(_missing_fields(entry, provided)))
    missing = ", ".join(entry.key for entry in _missing_fields(nearest, provided))
    return f"Fonbnk still needs {missing} for {nearest.value or nearest.id}"
