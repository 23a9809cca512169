"""Collect the complaints about all fields of a request and raise them as one error."""

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import Complaint, InvalidInput

P = ParamSpec("P")
T = TypeVar("T")


class ValidationErrors:
    """The complaints about one request so far; each names its field."""

    def __init__(self, complaints: Iterable[Complaint] = ()) -> None:
        self._complaints: list[Complaint] = list(complaints)

    def add(
        self,
        message: str,
        code: ErrorCode = ErrorCode.PARAMETER_INVALID,
        fields: tuple[str, ...] = (),
    ) -> None:
        """Add a complaint unless it is present; `fields` names those of a sentence that does not
        begin with a field."""
        self._add(Complaint(message, code, fields))

    def collect(self, parse: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Parse a field with these arguments; add the error and return None if that is invalid."""
        try:
            return parse(*args, **kwargs)
        except InvalidInput as error:
            for complaint in error.complaints:
                self._add(complaint)
            return None

    def raise_if_any(self) -> None:
        """Raise `InvalidInput` with all complaints, if there are any."""
        if self._complaints:
            raise InvalidInput.of(self._complaints)

    def _add(self, complaint: Complaint) -> None:
        """A field that is missing is not called wrong as well."""
        missing = {
            name
            for other in self._complaints
            if other.code is ErrorCode.PARAMETER_MISSING
            for name in other.names
        }
        if complaint not in self._complaints and not missing.issuperset(complaint.names):
            self._complaints.append(complaint)
