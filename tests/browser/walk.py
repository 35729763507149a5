"""A walk of a researcher through a study: from a file, over the pages, to the report and the file of all answers."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from annotation.models import Assignment, ImportJob, Study
from annotation.services.claiming import claim_seat
from annotation.services.uploads import run_import_job
from tests.browser.helpers import Screen
from tests.browser.rating import begin
from tests.factories import HeartbeatFactory, MembershipFactory, make_annotator

Row = dict[str, str]


class Walk:
    """The desk of a study's owner. What the test does itself is what a worker does: it runs the import."""

    def __init__(self, open_screen: Callable[..., Screen], study: Study) -> None:
        HeartbeatFactory()
        self.study = study
        self._open = open_screen
        self.desk = open_screen(MembershipFactory(study=study, role="owner").user)

    def go(self, name: str) -> Page:
        return self.desk.go(reverse(name, args=[self.study.slug]))

    def choose_file(self, page: Page, name: str, content: bytes) -> Locator:
        """Return the preview of the file, once it is there."""
        page.set_input_files("[name=file]", {"name": name, "mimeType": "application/octet-stream", "buffer": content})
        return self.preview(page)

    def preview(self, page: Page) -> Locator:
        expect(page.locator("[data-preview-here]:not([aria-busy])")).not_to_be_empty()
        return page.locator("[data-preview-here]")

    def import_it(self, page: Page) -> None:
        page.get_by_role("button", name="Import", exact=True).click()
        page.wait_for_url("**/import/*/")
        run_import_job(ImportJob.objects.latest("pk").pk, timezone.now())
        expect(page.get_by_text("Imported.")).to_be_visible()

    def make_batch(self, size: int) -> None:
        page = self.go("study_batches")
        page.locator("input[name=by][value=size]").check()
        page.locator("input[name=size]").fill(str(size))
        page.get_by_role("button", name="Make batches").click()
        page.get_by_role("button", name=re.compile("^Open (all|the draft)")).click()

    def begin(self, name: str) -> tuple[Assignment, Page]:
        """Return the work of a new annotator in the first batch, and the screen with its first question."""
        annotator = make_annotator(self.study, name)
        work = claim_seat(annotator, self.study.batches.get(), now=timezone.now())
        return work, begin(self._open(annotator.user), work)

    def exported(self) -> list[Row]:
        """Return the answers that count, as the file of all answers has them."""
        page = self.go("exports")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
        rows = csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8-sig")))
        return [row for row in rows if row["is_counted"] == "true"]

    def reported(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return what the report's page says of the answers: {(criterion, source): answers, options and mean}."""
        page = self.go("report")
        page.get_by_text("Answers by option").click()
        table = page.get_by_role("region", name="Table of distributions")
        expect(table).to_be_visible()
        found = {}
        for row in table.locator("tbody tr").all():
            cells = [cell.inner_text().replace("\xa0", " ").strip() for cell in row.locator("th, td").all()]
            votes = dict(re.findall(r"(?:^|, )(.+?): (\d+)(?: \([\d.]+ %\))?", cells[3]))
            found[cells[0], cells[1]] = {
                "answers": int(cells[2]),
                "votes": {label: int(n) for label, n in votes.items() if n != "0"},
                "mean": cells[4],
            }
        return found


def counted(rows: list[Row], labels: Callable[[Row], list[str]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the same, counted from the rows of the file. `labels` are those that a row chooses."""
    found = {}
    for key in dict.fromkeys((row["criterion"], row["source"]) for row in rows):
        own = [row for row in rows if (row["criterion"], row["source"]) == key]
        values = [float(row["value"]) for row in own if row["value"]]
        found[key] = {
            "answers": len(own),
            "votes": dict(Counter(label for row in own for label in labels(row))),
            "mean": f"{sum(values) / len(values):.2f}" if values else "–",
        }
    return found
