"""Show quality control in the admin, read-only: rows are made and changed on the pages of a study."""

from django.contrib import admin

from annotation.admin_base import ReadOnly
from qualification import models


class Reading(ReadOnly):
    """List the short name of each row; the row's own page has every column."""

    list_per_page = 50
    list_select_related = True


for model in (
    models.Attempt,
    models.Case,
    models.Review,
    models.CheckPlan,
    models.Comparison,
    models.ComprehensionQuestion,
    models.ComprehensionTry,
    models.AdjudicationPlan,
    models.ConsentText,
    models.AcceptancePlan,
    models.Demographics,
    models.Disagreement,
    models.SampledItem,
    models.Entry,
    models.Flag,
    models.Qualification,
    models.Sample,
    models.KnownAnswer,
    models.PayEntry,
    models.PayPlan,
    models.Recruitment,
    models.ReRating,
):
    admin.site.register(model, Reading)
