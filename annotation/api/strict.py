"""Refuse fields that a body should not have: a misspelt option would otherwise be ignored in silence."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers


class StrictSerializer(serializers.Serializer):
    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            refuse_unknown(data, self.fields)
        return super().to_internal_value(data)


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """Raise ValidationError if a field is not among the known ones, which it names."""
    names = list(known)
    text = _("This field is unknown. The fields are: %(names)s.") % {"names": ", ".join(names)}
    unknown = [name for name in given if name not in names]
    if unknown:
        raise serializers.ValidationError({name: [text] for name in unknown})
