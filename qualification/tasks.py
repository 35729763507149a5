"""Periodic tasks of quality control. Every task calls one service."""

import logging

from celery import shared_task
from django.utils import timezone

from qualification.acceptance.services import sweeping
from qualification.adjudication.services import disagreements
from qualification.checks.services import signals
from qualification.pay.services import ledger
from qualification.qualifying.services import results
from qualification.recruitment.services import consent_texts

logger = logging.getLogger(__name__)


@shared_task(soft_time_limit=50, time_limit=60)
def keep_consents() -> None:
    logger.info("kept %s consent texts", consent_texts.keep_consent_texts(now=timezone.now()))


@shared_task(soft_time_limit=110, time_limit=120)
def sweep_acceptance() -> None:
    logger.info("drew %s samples, counted %s checks", *sweeping.sweep_acceptance(now=timezone.now()))


@shared_task(soft_time_limit=50, time_limit=60)
def sweep_attempts() -> None:
    logger.info("decided %s qualifications", results.sweep_attempts(now=timezone.now()))


@shared_task(soft_time_limit=110, time_limit=120)
def sweep_pay() -> None:
    logger.info("%s batches were earned", ledger.sweep_pay(now=timezone.now()))


@shared_task(soft_time_limit=110, time_limit=120)
def sweep_signals() -> None:
    logger.info("looked at %s batches, raised %s flags", *signals.sweep_signals(now=timezone.now()))


@shared_task(soft_time_limit=110, time_limit=120)
def sweep_disagreements() -> None:
    logger.info("compared %s batches, counted %s re-ratings", *disagreements.sweep_disagreements(now=timezone.now()))
