"""Convert an operating curve to coordinates of an SVG picture."""

from typing import Any

from measures.acceptance_curves import Curve

WIDTH, HEIGHT = 460.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 448.0, 14.0, 206.0
PER_CENT = 100


def curve_picture(curve: Curve | None, observed: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Return what `_curve.html` draws. `observed`: an accuracy with its `low` and `high`, marked in the picture."""
    if curve is None:
        return None
    low = curve.accuracies[0]
    step = 0.05 if 1 - low <= 0.4 else 0.1
    ticks = [round(1 - at * step, 2) for at in range(int((1 - low) / step + 1e-9), -1, -1)]
    rows = zip(curve.accuracies, curve.acceptance, curve.overall_alone or curve.acceptance, strict=True)
    return {
        "width": WIDTH, "height": HEIGHT, "left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM,
        "plot_height": BOTTOM - TOP, "tick_y": BOTTOM + 16, "axis_y": BOTTOM + 36, "label_x": LEFT - 6,
        "points": _points(curve.accuracies, curve.acceptance, low),
        "alone": _points(curve.accuracies, curve.overall_alone, low) if curve.overall_alone else "",
        "x_ticks": [{"x": _x(each, low), "text": round(PER_CENT * each)} for each in ticks],
        "y_ticks": [{"y": _y(each / 4), "text": 25 * each} for each in range(5)],
        "observed": _observed(observed, low),
        "rows": [
            {"accuracy": accuracy, "accepted": accepted, "alone": alone, "mean": mean}
            for (accuracy, accepted, alone), mean in zip(rows, curve.mean_sampled or [None] * len(curve.accuracies),
                                                         strict=True)
        ][::-1],
        "has_alone": curve.overall_alone is not None, "has_mean": curve.mean_sampled is not None,
    }  # fmt: skip


def _observed(found: dict[str, Any] | None, low: float) -> dict[str, float] | None:
    if not found or found["share"] is None:
        return None
    start, end = _x(found["low"], low), _x(found["high"], low)
    return {"x": _x(found["share"], low), "start": start, "width": round(end - start, 1)}


def _points(accuracies: tuple[float, ...], shares: tuple[float, ...], low: float) -> str:
    return " ".join(f"{_x(x, low)},{_y(y)}" for x, y in zip(accuracies, shares, strict=True))


def _x(accuracy: float, low: float) -> float:
    return round(LEFT + (max(accuracy, low) - low) / (1 - low) * (RIGHT - LEFT), 1)


def _y(share: float) -> float:
    return round(BOTTOM - share * (BOTTOM - TOP), 1)
