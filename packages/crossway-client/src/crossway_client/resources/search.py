"""Search by an identifier."""

from crossway_client.records.search import SearchResults
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint
from crossway_client.transport.requests import Request, record


class Search(Resource[CarrierT]):
    """`/search`."""

    @endpoint
    def find(self, q: str) -> Request[SearchResults]:
        """The resources that an address, a transaction, a reference, an event, an id or an e-mail
        address finds."""
        result, path = record(SearchResults), "/search"
        if "@" in q:  # No e-mail address in a URL, which is logged on its way.
            return Request("POST", path, result, body={"q": q})
        return Request("GET", path, result, query={"q": q})
