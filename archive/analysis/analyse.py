"""Compute the main table of the report again, from the answers in this archive and without Parley.

    python report/analysis/analyse.py

needs numpy, scipy and pandas. It writes means.csv and differences.csv beside itself, and says how far they are from the
tables of the report. Change it for analyses of your own: it is meant to be read.

Each criterion has a linear mixed model: a fixed mean for each source, and crossed random effects. It is fitted by REML,
with Satterthwaite's degrees of freedom. The matrices are dense: 100 MB each for 5,000 ratings in 2,500 groups. With
many more, use analyse.R.
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import linalg, optimize, stats

HERE = Path(__file__).resolve().parent
TABLES, ANSWERS = HERE.parent / "tables", HERE.parent.parent / "ratings.csv"
SMALLEST = 1e-8  # a variance below this share of the residual variance is 0


# --- the answers ------------------------------------------------------------------------------------
def read(path):
    """Return a table of texts. An empty cell is an empty text, and a source may be called NA."""
    return pd.read_csv(path, dtype=str, keep_default_na=False) if path.stat().st_size else pd.DataFrame()


def counted_answers():
    """Return the answers that the report uses: of main batches, counted, and with an option that was chosen."""
    rows = read(ANSWERS)
    return rows[(rows["is_counted"] == "true") & (rows["batch_kind"] == "main") & (rows["option"] != "")]


def scores(rows, score):
    """Return numbers without those of unsure answers, or 1 for positive answers and 0 for others; NaN is missing."""
    excluded = rows["role"] == "excluding"
    if score == "mean_score":
        return pd.to_numeric(rows["value"]).mask(excluded | (rows["role"] == "unsure"))
    return (rows["role"] == "positive").astype(float).mask(excluded)


def ratings_of(rows, score, sources):
    """Return source, annotator, conversation, item and value of each rating with a score.

    The conversation is what makes ratings depend on each other: the scenario, otherwise the conversation. The item is
    the dialogue, to which each source has a response; if a source has several responses to it, the response.
    """
    rows = rows.assign(score=scores(rows, score))
    rows = rows[rows["score"].notna() & rows["source"].isin(sources)]
    conversation = ("conversation " + rows["conversation"]).where(
        rows["conversation"] != "", "item " + rows["item_token"]
    )
    response = rows["dialogue"] + " " + rows["item"]
    has_several = response.nunique() > len(rows[["dialogue", "source"]].drop_duplicates())
    return pd.DataFrame({
        "source": rows["source"],
        "annotator": rows["annotator"],
        "conversation": ("scenario " + rows["scenario"]).where(rows["scenario"] != "", conversation),
        "item": response if has_several else rows["dialogue"],
        "value": rows["score"],
    })  # fmt: skip


# The columns whose combinations are the groups of each random effect.
GROUPS = {
    "annotator": ["annotator"],
    "annotator_source": ["annotator", "source"],
    "conversation": ["conversation"],
    "conversation_source": ["conversation", "source"],
    "item": ["conversation", "item"],
    "item_source": ["conversation", "item", "source"],
}


# --- the mixed model --------------------------------------------------------------------------------
class Model:
    """y = X means + Z u + e, with a column of X for each source and a column of Z for each group of an effect.

    `ratios` are the variances of the effects, divided by the residual variance s. The covariance of y is sV, with
    V = I + Z D Z', where D has the ratio of each group on its diagonal.
    """

    def __init__(self, ratings, sources, effects, most_df):
        self.most_df = most_df
        self.y = ratings["value"].to_numpy(float)
        self.X = (ratings["source"].to_numpy()[:, None] == np.array(sources, object)).astype(float)
        codes = [ratings.groupby(GROUPS[effect]).ngroup().to_numpy() for effect in effects]
        blocks = [np.eye(each.max() + 1)[each] for each in codes]
        self.Z = np.hstack(blocks) if blocks else np.zeros((len(self.y), 0))
        # The effect of each group, as columns of 0 and 1: sums over the groups of an effect are products with it.
        self.effect = np.repeat(np.eye(len(effects)), [each.shape[1] for each in blocks], axis=0)
        self.free = len(self.y) - len(sources)
        self.ratios = self.best_ratios(len(effects))
        self.solve(self.ratios)
        self.s = self.rss / self.free

    def solve(self, ratios):
        """Set the means by generalised least squares and what the deviance needs, for these ratios."""
        U = self.Z * np.sqrt(self.effect @ ratios)
        factor = linalg.cho_factor(np.eye(U.shape[1]) + U.T @ U) if U.shape[1] else None

        def over_V(A):  # the product of the inverse of V with A, by Woodbury's identity
            return A - U @ linalg.cho_solve(factor, U.T @ A) if factor else A

        VX = over_V(self.X)
        self.inverse = linalg.inv(self.X.T @ VX)
        self.means = self.inverse @ (VX.T @ self.y)
        residual = over_V(self.y - self.X @ self.means)
        self.rss = self.y @ residual
        self.log_determinants = 2 * np.log(np.diag(factor[0])).sum() if factor else 0.0
        self.log_determinants -= np.linalg.slogdet(self.inverse)[1]
        # Derivatives of the deviance are made of Z'PZ and Z'Py, with P = V^-1 - V^-1 X (X'V^-1 X)^-1 X'V^-1.
        self.weights = VX @ self.inverse
        self.ZPZ = self.Z.T @ (over_V(self.Z) - self.weights @ (VX.T @ self.Z))
        self.ZPy = self.Z.T @ residual

    def deviance(self, ratios):
        """Return the REML deviance at the best residual variance, and its gradient by the ratios."""
        self.solve(ratios)
        gradient, _ = self.derivatives(self.rss / self.free)
        return self.log_determinants + self.free * np.log(self.rss), gradient[:-1]

    def derivatives(self, s):
        """Return gradient and Hessian of the deviance by the ratios and log s."""
        squares = self.effect.T @ self.ZPy**2 / s
        products = self.ZPy[:, None] * self.ZPZ * self.ZPy
        gradient = np.append(self.effect.T @ np.diag(self.ZPZ) - squares, self.free - self.rss / s)
        inner = self.effect.T @ (2 * products / s - self.ZPZ**2) @ self.effect
        return gradient, np.block([[inner, squares[:, None]], [squares, np.array(self.rss / s)]])

    def best_ratios(self, k):
        """Return the ratios with the least deviance: first roughly, then by Newton's method among those above 0."""
        if not k:
            return np.zeros(0)
        ratios = optimize.minimize(self.deviance, np.full(k, 0.25), jac=True, bounds=[(0, None)] * k, tol=1e-12).x
        for _ in range(10):
            gradient = np.append(self.deviance(ratios)[1], 0.0)
            chosen = np.append((ratios > SMALLEST) | (gradient[:-1] < 0), True)
            _, hessian = self.derivatives(self.rss / self.free)
            step = np.zeros(k + 1)
            step[chosen] = np.linalg.pinv(hessian[np.ix_(chosen, chosen)], hermitian=True) @ gradient[chosen]
            ratios = np.maximum(ratios - step[:-1], 0.0)
        return np.where(ratios > SMALLEST, ratios, 0.0)

    def contrast(self, c):
        """Return estimate, standard error and Satterthwaite's degrees of freedom of c'means.

        They are 2 v^2 / Var(v), for the variance v of the estimate. Var(v) follows from the Hessian of the deviance.
        Variances of 0 are taken as known.
        """
        v = self.s * c @ self.inverse @ c
        slopes = np.append(self.effect.T @ (self.Z.T @ self.weights @ c) ** 2 * self.s, v)
        chosen = np.append(self.ratios > 0, True)
        _, hessian = self.derivatives(self.s)
        spread = 2 * np.linalg.pinv(hessian[np.ix_(chosen, chosen)], hermitian=True)
        df = 2 * v**2 / (slopes[chosen] @ spread @ slopes[chosen])
        return c @ self.means, np.sqrt(v), min(df, self.most_df)


# --- the tables of the report -----------------------------------------------------------------------
def interval(estimate, error, df, low, high):
    """Return the 95 % interval, which ends at the ends of the scale; none with less than one degree of freedom."""
    if df < 1 or error < 1e-12:
        return np.nan, np.nan
    half = stats.t.ppf(0.975, df) * error
    return max(min(low, estimate), estimate - half), min(max(high, estimate), estimate + half)


def mean_row(model, at, values, low, high):
    """Return the mean of a source. One that the model places beyond the scale is put at its end, and marked.

    It is not marked if all values are at that end; a ten-thousandth of the scale is noise.
    """
    estimate, error, df = model.contrast(np.eye(len(model.means))[at])
    numbers = np.array([estimate, *interval(estimate, error, df, low, high)])
    noise = 1e-4 * (high - low)
    is_beyond = (estimate < low - noise and values.max() > low) or (estimate > high + noise and values.min() < high)
    names = ("mean", "low", "high")
    return dict(zip(names, np.clip(numbers, low, high), strict=True)) | {
        "n": len(values),
        "note": "beyond_scale" if is_beyond else "",
    }


def difference_row(model, a, b, width):
    """Return the mean of source a less that of source b, with its two-sided p value."""
    unit = np.eye(len(model.means))
    estimate, error, df = model.contrast(unit[a] - unit[b])
    low, high = interval(estimate, error, df, -width, width)
    if np.isnan(low):
        return {"difference": estimate}
    return {"difference": estimate, "low": low, "high": high, "df": df, "p": 2 * stats.t.sf(abs(estimate) / error, df)}


def plain_tables(ratings, sources):
    """Return plain means and their differences, where the report has no model and so no interval."""
    found = ratings.groupby("source")["value"].agg(["mean", "size"]).reindex(sources)
    means = [{"mean": row["mean"], "n": int(row["size"])} for _, row in found.iterrows()]
    pairs = combinations(found["mean"], 2)
    return means, [{"difference": a - b} for a, b in pairs]


def model_tables(ratings, sources, effects, low, high, once):
    """Return means and differences of the model. `once`: annotators always agree, and each item counts once."""
    values = ratings.groupby("source")["value"]
    fitted = ratings.drop_duplicates(GROUPS["item_source"]) if once else ratings
    model = Model(fitted, sources, effects, len(ratings) - len(sources))
    means = [mean_row(model, at, values.get_group(source), low, high) for at, source in enumerate(sources)]
    pairs = combinations(range(len(sources)), 2)
    return means, [difference_row(model, a, b, high - low) for a, b in pairs]


def holm(p):
    """Return Holm's correction of p values, NaN where there is none."""
    ordered = p.dropna().sort_values()
    steps = np.arange(len(ordered), 0, -1)
    return (ordered * steps).cummax().clip(upper=1.0).reindex(p.index)


def criterion_tables(used, rows, sources, variances):
    """Return the rows of means and differences of a criterion, by the model that the report has for it."""
    ratings = ratings_of(rows, used["score"], sources)
    if used["weighting"] != "model":
        return plain_tables(ratings, sources)
    once = (variances["left_out"] == "always_agree").any()
    effects = [each for each in variances.loc[variances["left_out"] == "", "effect"] if each != "residual"]
    return model_tables(ratings, sources, effects, float(used["scale_low"]), float(used["scale_high"]), once)


def scored():
    """Return the criteria that have scores, and so means of sources."""
    used = read(TABLES / "ratings_used.csv")
    return used[used["score"] != ""] if len(used) else used


def tables():
    """Return the means and the differences of all criteria that have scores."""
    answers, variances, reported = counted_answers(), read(TABLES / "variances.csv"), read(TABLES / "means.csv")
    means, differences = [], []
    for _, used in scored().iterrows():
        name = used["criterion"]
        sources = list(reported.loc[reported["criterion"] == name, "source"])
        mine = answers[answers["criterion"] == name]
        rows, pairs = criterion_tables(used, mine, sources, variances[variances["criterion"] == name])
        means += [{"criterion": name, "source": source} | row for source, row in zip(sources, rows, strict=True)]
        named = zip(combinations(sources, 2), pairs, strict=True)
        differences += [{"criterion": name, "source_a": a, "source_b": b} | row for (a, b), row in named]
    means = pd.DataFrame(means, columns=["criterion", "source", "mean", "low", "high", "n", "note"])
    columns = ["criterion", "source_a", "source_b", "difference", "low", "high", "df", "p"]
    differences = pd.DataFrame(differences, columns=columns)
    differences["p_holm"] = differences.groupby("criterion")["p"].transform(holm)
    return means, differences


def farthest(found, name, columns):
    """Return the largest distance from the numbers of the report's table; `columns` are {here: there}."""
    reported = read(TABLES / name)
    if not len(reported):
        return 0.0
    theirs = reported[list(columns.values())].apply(pd.to_numeric).to_numpy(float)
    return np.nanmax(np.abs(found[list(columns)].to_numpy(float) - theirs), initial=0.0)


def main():
    if not len(scored()):
        sys.exit("Nothing was computed: no criterion of this study has scores, so the report has no means of sources.")
    means, differences = tables()
    means.to_csv(HERE / "means.csv", index=False)
    differences.to_csv(HERE / "differences.csv", index=False)
    same = {name: name for name in ("low", "high")}
    off = [
        farthest(means, "means.csv", {"mean": "mean"} | same),
        farthest(differences, "comparisons.csv", {"difference": "difference", "p": "p", "p_holm": "p_holm"} | same),
    ]
    said = [means.to_string(index=False), differences.to_string(index=False)]
    said.append(f"Largest distance from the report: {max(off):.0e}")
    sys.stdout.write("\n\n".join(said) + "\n")


if __name__ == "__main__":
    main()
