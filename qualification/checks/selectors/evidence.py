"""Put the evidence of a flag into sentences. Each is a reason to look at somebody's work, never a proof."""

import math
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from qualification.models import Flag

Evidence = dict[str, Any]
Kind = Flag.Kind


def sentences(flag: Flag) -> list[str]:
    return SAID[flag.kind](flag.evidence)


def share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _gold(found: Evidence) -> list[str]:
    known = {
        "right": found["n_right"], "n": found["n"], "items": found["n_items"], "value": share(found["value"]),
        "low": share(found["low"]), "high": share(found["high"]), "threshold": share(found["threshold"]),
    }  # fmt: skip
    return [
        _("%(right)s of %(n)s answers to items with a known answer are correct (%(value)s; %(items)s items).") % known,
        _("The accuracy is between %(low)s and %(high)s, clearly below the required %(threshold)s.") % known,
    ]


def _attention(found: Evidence) -> list[str]:
    missed, most = found["value"], found["threshold"]
    text = ngettext(
        "%(missed)s of %(n)s attention checks was missed.", "%(missed)s of %(n)s attention checks were missed.", missed
    )
    allowed = ngettext("%(most)s miss is allowed.", "%(most)s misses are allowed.", most)
    return [text % {"missed": missed, "n": found["n"]}, allowed % {"most": most}]


def _speed(found: Evidence) -> list[str]:
    known = {
        "share": share(math.exp(found["value"])), "n": found["n"], "others": found["n_others"],
        "z": f"{found['z']:.1f}", "p": _p(found["p"]),
    }  # fmt: skip
    return [
        _("Takes %(share)s of the usual time on the same items (%(n)s items).") % known,
        _("Robust z %(z)s compared with %(others)s other annotators, p %(p)s, corrected across all annotators.")
        % known,
        _("Times are measured by the server's clock, from one answer to the next."),
    ]


def _lines(found: Evidence) -> list[str]:
    known = {"n": found["n"], "p": _p(found["p"])}
    if found["what"] == "run":
        text = _("%(run)s identical answers in a row among the latest %(n)s.")
        why = _("With the same answers in random order, such a long run is rare: p %(p)s.")
        return [text % (known | {"run": found["value"]}), why % known]
    known |= {"own": share(found["value"]), "others": share(found["others"])}
    return [
        _("%(own)s of the latest %(n)s answers are the same option.") % known,
        _(
            "On the same items, %(others)s of the other annotators' answers are that option. This rarely "
            "happens by chance: p %(p)s."
        )
        % known,
    ]


def _drift(found: Evidence) -> list[str]:
    known = {
        "first": share(found["threshold"]), "latest": share(found["value"]), "n": found["n_latest"],
        "low": share(found["low"]), "high": share(found["high"]), "answer": found["answer"],
    }  # fmt: skip
    return [
        _("Agreed with the majority of the others on %(first)s of the first 50 answers, and on %(latest)s of the "
          "latest %(n)s (between %(low)s and %(high)s).") % known,
        _("The control chart raised its alarm at answer %(answer)s.") % known,
    ]  # fmt: skip


def _kappa(found: Evidence) -> list[str]:
    known = {name: two(found[name]) for name in ("value", "low", "high", "threshold")} | {"n": found["n"]}
    return [
        _("Kappa with the majority of the others is %(value)s (between %(low)s and %(high)s) over %(n)s answers.")
        % known,
        _("The whole interval is below the study's minimum of %(threshold)s.") % known,
    ]


SAID: dict[str, Callable[[Evidence], list[str]]] = {
    Kind.GOLD: _gold,
    Kind.ATTENTION: _attention,
    Kind.SPEED: _speed,
    Kind.LINES: _lines,
    Kind.DRIFT: _drift,
    Kind.KAPPA: _kappa,
}
