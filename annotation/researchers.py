"""The group of researchers: its name, and what its members may do. Migration 0018 creates it."""

from collections.abc import Iterator

GROUP = "Researchers"
READ = ("view",)
WRITE = ("view", "add", "change")
EVERYTHING = (*WRITE, "delete")
# By app and model. Identities and demographics of annotators are left out.
RIGHTS: dict[str, dict[str, tuple[str, ...]]] = {
    "protocols": {
        **dict.fromkeys(("protocol", "protocolversion"), WRITE),
        **dict.fromkeys(("criterion", "option", "explanation", "example"), EVERYTHING),
    },
    "annotation": {"study": WRITE, "source": ("view", "change")},
    "qualification": dict.fromkeys(
        (
            "acceptanceplan", "adjudicationplan", "attempt", "case", "checkplan", "comparison",
            "comprehensionquestion", "comprehensiontry", "consenttext", "disagreement", "flag", "knownanswer",
            "payentry", "payplan", "qualification", "recruitment", "rerating", "review", "sample", "sampleditem",
        ),
        READ,
    ),
}  # fmt: skip


def permissions() -> Iterator[tuple[str, str, str]]:
    """Yield each permission as (app, model, codename)."""
    for app, models in RIGHTS.items():
        for model, verbs in models.items():
            yield from ((app, model, f"{verb}_{model}") for verb in verbs)
