"""Agreement results derived from ratings. The command `rebuild_agreement` computes them again; nobody edits them."""

from django.db import models
from django.db.models import Q

from annotation.models.material import Source
from annotation.models.study import Participant, Study
from annotation.models.work import Batch


class AgreementSnapshot(models.Model):
    """The results of a batch as of `version` of its ratings; without a batch, the sums of the study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="snapshots")
    batch = models.OneToOneField(Batch, models.CASCADE, null=True, related_name="snapshot")
    version = models.BigIntegerField(default=0)
    n_ratings = models.PositiveIntegerField(default=0, help_text="Counted answers.")
    n_wanted = models.PositiveIntegerField(default=0, help_text="Items x seats x questions.")
    hours = models.JSONField(default=dict, help_text='{"hours since 1970": counted answers given in that hour}')
    computed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study"], condition=Q(batch__isnull=True), name="one_study_snapshot")
        ]

    def __str__(self) -> str:
        return f"{self.batch or self.study} ({self.version})"


class AgreementCell(models.Model):
    """A criterion and source of a snapshot. Histograms hold integers: the study's is the sum of its batches'."""

    snapshot = models.ForeignKey(AgreementSnapshot, models.CASCADE, related_name="cells")
    criterion = models.ForeignKey("protocols.Criterion", models.CASCADE, related_name="+")
    source = models.ForeignKey(Source, models.CASCADE, null=True, related_name="+")
    histogram = models.JSONField(help_text='{"votes per option, by position": items}, for example {"5,2,0": 11}')
    pairs = models.JSONField(default=dict, help_text="Answer tables of annotator pairs; of batches only.")
    sure_pairs = models.JSONField(
        default=dict,
        db_default={},
        help_text="For items that nobody answered with an unsure option; empty if there is no such option.",
    )
    annotators = models.JSONField(default=dict, help_text="{participant id: their contribution}; of batches only.")
    reasons = models.JSONField(default=dict, help_text="{explanation id: votes}")
    pairings = models.JSONField(
        default=dict, db_default={}, help_text="Of comparisons: votes by pair of sources, option and sides."
    )
    estimates = models.JSONField(default=dict, help_text="Coefficients read out of the histogram and pairs.")
    sums = models.JSONField(default=dict, help_text="Of the study only: what the mean over batches is made of.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot", "criterion", "source"],
                name="one_cell_per_criterion_and_source",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.snapshot}: {self.criterion}"


class AnnotatorCell(models.Model):
    """An annotator's contribution to a criterion over all sources, summed over the study's main batches."""

    snapshot = models.ForeignKey(AgreementSnapshot, models.CASCADE, related_name="annotators")
    criterion = models.ForeignKey("protocols.Criterion", models.CASCADE, related_name="+")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="+")
    contribution = models.JSONField(help_text="Integers that add: see measures/contributions.py.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot", "criterion", "participant"], name="one_cell_per_criterion_and_annotator"
            )
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.criterion}"
