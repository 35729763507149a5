"""Show what other apps put on annotation's pages: {% load slots %}."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from annotation.models import Assignment, Study
from annotation.selectors.work import StudyWork
from annotation.slots import Filled, slots

register = template.Library()


@register.simple_tag
def fillings_of(works: StudyWork | Sequence[StudyWork]) -> Filled:
    """Return the fillings for one work, or for all works of a page at once."""
    return Filled([works] if isinstance(works, StudyWork) else works)


@register.simple_tag(takes_context=True)
def slot(context: template.RequestContext, fillings: Filled | str, name: str, work: StudyWork) -> SafeString:
    """Show what is in one slot of one work; nothing on pages that have read no fillings."""
    return _rendered(context, fillings.in_slot(name, work) if isinstance(fillings, Filled) else [])


@register.simple_tag(takes_context=True)
def slot_scripts(context: template.RequestContext, fillings: Filled) -> SafeString:
    """Return the scripts of all works, each once."""
    scripts = dict.fromkeys(_rendered(context, fillings.in_slot("scripts", work)) for work in fillings.works)
    return mark_safe("".join(scripts))  # noqa: S308 - rendered templates


@register.filter
def holds(fillings: Filled, work: StudyWork) -> bool:
    return fillings.holds(work)


@register.simple_tag(takes_context=True)
def study_slot(context: template.RequestContext, name: str, study: Study) -> SafeString:
    shown = [(each.template, each.read(study)) for each in slots().study if each.slot == name]
    return _rendered(context, [(each, {"study": study, **values}) for each, values in shown if values is not None])


@register.simple_tag
def pay_of_batches(batches: Iterable[Assignment]) -> Mapping[int, str]:
    """Return {assignment: its pay in words}; empty if no batch has earned anything."""
    return slots().pay_of_batches(batches)


def _rendered(context: template.RequestContext, shown: list[tuple[str, dict[str, Any]]]) -> SafeString:
    engine = template.Engine.get_default()
    pieces = []
    for name, values in shown:
        with context.push(**values):
            pieces.append(engine.get_template(name).render(context))
    return mark_safe("".join(pieces))  # noqa: S308 - rendered templates
