"""Celery tasks. Every task calls one service, and arguments are ids."""

import logging

from celery import shared_task
from django.utils import timezone

from annotation.judges import runs as judging
from annotation.judges import worker as judge_worker
from annotation.services import agreement, uploads

logger = logging.getLogger(__name__)


@shared_task(expires=60, soft_time_limit=120, time_limit=150)
def refresh_agreement(batch_id: int) -> None:
    agreement.refresh_batch(batch_id, now=timezone.now())


@shared_task(soft_time_limit=120, time_limit=150)
def sweep() -> None:
    logger.info("swept %s batches", agreement.sweep(now=timezone.now()))


@shared_task
def beat_heart(queue: str = "live") -> None:
    agreement.beat_heart(queue, now=timezone.now())


@shared_task
def run_import(job_id: int) -> None:
    uploads.run_import_job(job_id, now=timezone.now())


@shared_task
def requeue_imports() -> None:
    logger.info("queued %s lost imports again", uploads.requeue_lost_imports(now=timezone.now()))


@shared_task
def run_judge(run_id: int) -> None:
    judge_worker.run_judge(run_id, now=timezone.now())


@shared_task
def tend_judges() -> None:
    logger.info("queued %s lost judges again", judging.tend_judges(now=timezone.now()))
