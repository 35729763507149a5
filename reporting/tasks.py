"""Celery tasks, each of which calls one service. Arguments are ids."""

import logging

from celery import shared_task
from django.utils import timezone

from reporting.exports import jobs
from reporting.report import kept

logger = logging.getLogger(__name__)


@shared_task
def run_export(job_id: int) -> None:
    jobs.run_export_job(job_id, now=timezone.now())


@shared_task
def make_report(report_id: int) -> None:
    kept.make_report(report_id, now=timezone.now())


@shared_task
def forget_reports() -> None:
    logger.info("deleted %s reports that nobody reads", kept.forget_reports(now=timezone.now()))


@shared_task
def tend_exports() -> None:
    logger.info("queued %s lost exports again, deleted %s old ones", *jobs.tend_exports(now=timezone.now()))
