"""A deprecated operation says so in the document and in every answer."""

from collections.abc import Iterator
from datetime import date

import pytest
from fastapi.routing import APIRoute
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from crossway.api.app import create_api
from crossway.api.openapi.deprecation import deprecated
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.responses import JsonResponse
from crossway.bootstrap import Service
from crossway.domain.errors import InvalidInput
from tests.api.conftest import Api


@deprecated(date(2027, 1, 1), date(2028, 1, 1), instead="listChains")
def old_chains(count: int) -> JsonResponse:
    """The chains of old."""
    if count < 1:
        raise InvalidInput("count must be at least 1")
    return JsonResponse(["BASE_MAINNET"])


@pytest.fixture
def http(service: Service) -> Iterator[TestClient]:
    """The API with one more operation, which is deprecated."""
    api = create_api(service.services)
    responses = error_responses(400)
    api.router.routes.append(
        APIRoute("/v1/old", old_chains, responses=responses, operation_id="listOldChains")
    )
    with TestClient(Starlette(routes=[Mount("/api", api)])) as client:
        yield client


def test_every_answer_tells_since_when_and_when_it_ends(api: Api) -> None:
    for answer, status in ((api.get("/old", count=1), 200), (api.get("/old", count=0), 400)):
        assert answer.status_code == status
        assert answer.headers["deprecation"] == "@1798761600"
        assert answer.headers["sunset"] == "Sat, 01 Jan 2028 00:00:00 GMT"
    current = api.get("/chains")
    assert current.status_code == 200
    assert {"deprecation", "sunset"}.isdisjoint(current.headers)


def test_the_document_marks_it(http: TestClient) -> None:
    document = http.get("/api/openapi.json").json()
    old = document["paths"]["/v1/old"]["get"]
    assert old["deprecated"] is True
    assert (
        "Deprecated since 2027-01-01; it ends on 2028-01-01. Use `listChains`"
        in (old["description"])
    )
    assert {"Deprecation", "Sunset"} <= {*old["responses"]["200"]["headers"]}
    assert {"Deprecation", "Sunset"} <= {*document["components"]["headers"]}
    marked = [
        path
        for path, item in document["paths"].items()
        for operation in item.values()
        if "deprecated" in operation
    ]
    assert marked == ["/v1/old"]


def test_a_notice_is_a_year_at_least() -> None:
    with pytest.raises(ValueError, match="works for 365 days after"):
        deprecated(date(2027, 1, 1), date(2027, 6, 1), instead="listChains")
