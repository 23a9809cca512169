"""What lets cairo-lang, which is written for an older Python, be imported."""

import dataclasses

_get_field = dataclasses._get_field


def _with_hash(cls, a_name, a_type, default_kw_only):
    default = getattr(cls, a_name, None)
    if isinstance(default, dataclasses.Field):
        default = default.default
    kind = type(default)
    # Python 3.11 takes what has no hash for mutable, and refuses it as a default.
    if kind.__hash__ is None and kind not in (list, dict, set):
        kind.__hash__ = object.__hash__
    return _get_field(cls, a_name, a_type, default_kw_only)


dataclasses._get_field = _with_hash
