"""Read logs of Inspect: `.json`, and `.eval`, a zip file with an entry for the header and one for each sample."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.fields import LONGEST_SOURCE_KEY, Record, clean_key
from annotation.importing.outcome import BadField, ErrorLog, Progress, no_progress, rejected
from annotation.importing.transcripts.logs import LONGEST_LOG_KEY, Log
from annotation.importing.transcripts.messages import read_messages
from annotation.importing.transcripts.places import Found, dotted
from annotation.importing.transcripts.records import read_entries

HEADERS = ("header.json", "_journal/start.json")
KEPT = ("epoch", "target", "scores", "metadata")


def is_inspect(record: Record) -> bool:
    return type(record.get("eval")) is dict and ("samples" in record or "plan" in record or "status" in record)


def read_inspect(records: Iterable[Found], log: ErrorLog) -> Iterator[Log]:
    for (line, place), record in records:
        dot = dotted(place)
        samples = record.get("samples")
        if not samples or not isinstance(samples, (list, Iterator)):  # an iterator of a large document
            log.add(line, f"{dot}samples", _("is missing: the log has only its header, so export it with its samples"))
            continue
        for at, sample in enumerate(samples):
            with log.catching(line):
                yield _log(line, f"{dot}samples[{at}]", sample, record["eval"])


def read_eval(path: Path, log: ErrorLog, progress: Progress) -> Iterator[Log]:
    """Yield the logs of a zip file. Its samples come before its header, which is looked for first."""
    header = next((entry for _name, entry in read_entries(path, lambda name: name in HEADERS, no_progress)), None)
    facts = header.get("eval") if type(header) is dict else None
    if type(facts) is not dict:
        raise rejected(_("is a zip file without a header.json of an Inspect log"))
    for name, sample in read_entries(path, lambda name: name.startswith("samples/"), progress):
        with log.catching(0):
            yield _log(0, name, sample, facts)


def _log(line: int, place: str, sample: Any, facts: Record) -> Log:
    if type(sample) is not dict or sample.get("id") is None:
        raise BadField(f"{place}.id", _("is missing: each sample of an Inspect log has its id"))
    key = clean_key(sample["id"], f"{place}.id", LONGEST_LOG_KEY)
    epoch, task = sample.get("epoch", 1), clean_key(facts.get("task"), "eval.task", LONGEST_LOG_KEY)
    run = clean_key(facts.get("run_id") or facts.get("eval_id"), "eval.run_id", LONGEST_LOG_KEY)
    own = clean_key(sample.get("uuid"), f"{place}.uuid", LONGEST_LOG_KEY)
    output = sample.get("output")
    model = (output.get("model") if type(output) is dict else "") or facts.get("model")
    metadata = {name: sample[name] for name in KEPT if sample.get(name) not in (None, "", {})}
    return Log(
        line=line,
        place=place,
        key=clean_key(own or f"{run}/{key}/{epoch}", f"{place}.id", LONGEST_LOG_KEY),
        model=clean_key(model, f"{place}.output.model", LONGEST_SOURCE_KEY),
        messages=read_messages(sample.get("messages"), f"{place}.messages"),
        metadata=metadata | {"sample_id": sample["id"], "task": task, "run_id": run},
        # The same sample of the same task, answered by several models, is one scenario.
        scenario=f"{task}/{key}"[:200],
    )
