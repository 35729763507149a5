"""Write out the scales that the criteria of a document share by name. Everything after this sees plain options."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.translation import gettext as _

from protocols.documents import MAX_BYTES
from protocols.schema import BundleError, InvalidBundle, as_typed, one_of

Bundle = dict[str, Any]
OPTIONS_OF = re.compile(r"criteria\[(\d+)\]\.options\b(.*)", re.DOTALL)


def with_scales(doc: Bundle) -> Bundle:
    """Return a document of valid form with the options of every criterion in it. Raises InvalidBundle."""
    scales = doc.get("scales", {})
    named = {number: each["options"] for number, each in enumerate(doc["criteria"]) if _names_scale(each)}
    if unknown := [_unknown(number, name, scales) for number, name in named.items() if name not in scales]:
        raise InvalidBundle(unknown)
    # Short references could make a document that is too large to be stored, and to be read again after an export.
    written = (doc, *(scales[name] for name in named.values()))
    if named and sum(len(json.dumps(part, ensure_ascii=False)) for part in written) > MAX_BYTES:
        message = _("make the document too large: each is written out for every criterion that names it")
        raise InvalidBundle([BundleError("scales", message, _("at most %(n)s characters") % {"n": f"{MAX_BYTES:,}"})])
    criteria = [
        each | {"options": scales[named[number]]} if number in named else each
        for number, each in enumerate(doc["criteria"])
    ]
    return {name: value for name, value in doc.items() if name != "scales"} | {"criteria": criteria}


def once_for_each_scale(doc: Bundle, errors: Iterable[BundleError]) -> Iterator[BundleError]:
    """Yield the faults of the document with its scales written out, without repeating those of a shared scale."""
    seen: set[tuple[str, str, str]] = set()
    for error in errors:
        found = OPTIONS_OF.fullmatch(error.path)
        if found and _names_scale(criterion := doc["criteria"][int(found[1])]):
            fault = (criterion["options"], found[2], error.message)
            if fault in seen:
                continue
            seen.add(fault)
        yield error


def _names_scale(criterion: Bundle) -> bool:
    return isinstance(criterion.get("options"), str)


def _unknown(number: int, name: str, scales: Bundle) -> BundleError:
    message = _("is %(scale)s, which is not one of the scales of the document") % {"scale": as_typed(name)}
    wanted = one_of(scales) if scales else _("a list of options, or a scale with this name in `scales`")
    return BundleError(f"criteria[{number}].options", message, wanted)
