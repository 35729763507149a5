"""Send files to the import page as a browser does."""

import json

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.models import ImportJob
from annotation.services.uploads import run_import_job

TURNS = [{"speaker": "A", "text": "How was the exam?"}]
GOOD = {"dialogue_id": "d1", "history": TURNS, "candidates": [{"source": "model_a", "text": "What is <b>an exam</b>?"}]}
RATINGS = "rater,model,dialogue_id,criterion,answer\nr1,Model A,d1,appropriateness,Appropriate\n"


def lines(*records) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def page(route="study_import", *args):
    return reverse(route, args=["wellbeing", *args])


def send(client, content: bytes, name="dialogues.jsonl", route="study_import", **form):
    upload = SimpleUploadedFile(name, content)
    return client.post(page(route), {"kind": "dialogues", "file": upload} | form)


def text_after_import(client) -> str:
    """Import what was sent, and return the page of the job."""
    job = ImportJob.objects.latest("pk")
    run_import_job(job.pk, timezone.now())
    return client.get(page("study_import_job", job.token)).content.decode()
