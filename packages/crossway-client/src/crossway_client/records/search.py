"""Records of search results."""

from crossway_client.records.base import Record


class SearchResult(Record):
    """A resource that matches; `unique` if the matched field identifies it."""

    type: str
    id: int | str
    title: str
    matched_field: str
    matched_by: str
    unique: bool
    url: str


class SearchResults(Record):
    """What an identifier finds, the surest first; `truncated` if there may be more."""

    results: tuple[SearchResult, ...]
    truncated: bool
