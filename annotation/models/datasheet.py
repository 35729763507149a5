"""Answers to datasheet questions that the team writes because the database cannot know them."""

from django.conf import settings
from django.db import models

from annotation.models.study import Study


class DatasheetAnswer(models.Model):
    """An answer in the team's words. Without one, the datasheet says what the database knows."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="datasheet_answers")
    question = models.CharField(max_length=20, help_text="Its number in the datasheet, for example 3.1.1.")
    text = models.TextField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "question"], name="one_answer_per_datasheet_question")]

    def __str__(self) -> str:
        return f"{self.question} of {self.study}"
