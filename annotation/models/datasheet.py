"""What the people of a study say about it where the database cannot: answers of the datasheet, by question."""

from django.conf import settings
from django.db import models

from annotation.models.study import Study


class DatasheetAnswer(models.Model):
    """The words of the study's people; where there is none, the datasheet says what the database knows."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="datasheet_answers")
    question = models.CharField(max_length=20, help_text="Its number in the datasheet, for example 3.1.1.")
    text = models.TextField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "question"], name="one_answer_per_datasheet_question")]

    def __str__(self) -> str:
        return f"{self.question} of {self.study}"
