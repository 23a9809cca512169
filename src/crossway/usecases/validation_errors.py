"""Collect the errors of all fields of a request and raise them as one error."""

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, InvalidInput

P = ParamSpec("P")
T = TypeVar("T")


class ValidationErrors:
    """The errors of the fields of one request so far; each names its field."""

    def __init__(self, errors: Iterable[FieldError] = ()) -> None:
        self._errors: list[FieldError] = list(errors)

    def add(
        self,
        message: str,
        code: ErrorCode = ErrorCode.PARAMETER_INVALID,
        fields: tuple[str, ...] = (),
    ) -> None:
        """Add a field error unless it is present; `fields` names those of a sentence that does not
        begin with a field."""
        self._add(FieldError(message, code, fields))

    def collect(self, parse: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Parse a field with these arguments; add the error and return None if that is invalid."""
        try:
            return parse(*args, **kwargs)
        except InvalidInput as error:
            for one in error.field_errors:
                self._add(one)
            return None

    def raise_if_any(self) -> None:
        """Raise `InvalidInput` with all field errors, if there are any."""
        if self._errors:
            raise InvalidInput.of(self._errors)

    def _add(self, one: FieldError) -> None:
        """A field that is missing is not called wrong as well."""
        missing = {
            name
            for other in self._errors
            if other.code is ErrorCode.PARAMETER_MISSING
            for name in other.names
        }
        if one not in self._errors and not missing.issuperset(one.names):
            self._errors.append(one)
