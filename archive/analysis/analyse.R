# Compute the main table of the report again, from the answers in this archive and without Parley.
#
#   Rscript report/analysis/analyse.R
#
# needs the packages lme4 and lmerTest (Debian: r-cran-lme4 r-cran-lmertest). It writes means.csv and differences.csv
# beside itself, and says how far they are from the tables of the report. Change it for analyses of your own.
#
# Each criterion has a linear mixed model: a fixed mean for each source, and crossed random effects. It is fitted by
# REML, with Satterthwaite's degrees of freedom.
suppressMessages(library(lmerTest))

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
here <- dirname(normalizePath(script))
tables <- file.path(dirname(here), "tables")

# --- the answers ------------------------------------------------------------------------------------
# A table of texts. An empty cell is an empty text, and a source may be called NA.
read_table <- function(path) {
  if (file.size(path) == 0) return(data.frame())
  read.csv(path, colClasses = "character", na.strings = character(), check.names = FALSE, encoding = "UTF-8")
}

# Numbers without those of unsure answers, or 1 for positive answers and 0 for others; NA is missing.
scores <- function(rows, score) {
  missing <- rows$role == "excluding"
  if (score == "mean_score") {
    found <- as.numeric(ifelse(rows$value == "", NA, rows$value))
    missing <- missing | rows$role == "unsure"
  } else {
    found <- as.numeric(rows$role == "positive")
  }
  ifelse(missing, NA, found)
}

# The ratings with a score. The conversation is what makes ratings depend on each other: the scenario, otherwise the
# conversation. The item is the dialogue, to which each source has a response; if a source has several responses to it,
# the response.
ratings_of <- function(rows, score, sources) {
  rows$score <- scores(rows, score)
  rows <- rows[!is.na(rows$score) & rows$source %in% sources, ]
  conversation <- ifelse(rows$conversation == "", paste("item", rows$item_token), paste("conversation", rows$conversation))
  response <- paste(rows$dialogue, rows$item)
  has_several <- length(unique(response)) > nrow(unique(rows[c("dialogue", "source")]))
  data.frame(
    source = factor(rows$source, levels = sources),
    annotator = factor(rows$annotator),
    conversation = factor(ifelse(rows$scenario == "", conversation, paste("scenario", rows$scenario))),
    item = factor(if (has_several) response else rows$dialogue),
    value = rows$score
  )
}

# --- the mixed model --------------------------------------------------------------------------------
# The groups of each random effect.
groups <- c(
  annotator = "annotator", annotator_source = "annotator:source", conversation = "conversation",
  conversation_source = "conversation:source", item = "conversation:item", item_source = "conversation:item:source"
)
# The search for the variances ends when nothing is left to gain: the usual limits leave the fourth digit open.
control <- lmerControl(
  optimizer = "nloptwrap", calc.derivs = FALSE, check.conv.singular = "ignore",
  check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore",
  optCtrl = list(algorithm = "NLOPT_LN_BOBYQA", xtol_abs = 1e-12, xtol_rel = 1e-12, ftol_abs = 0, ftol_rel = 0, maxeval = 1e5)
)

fit_once <- function(ratings, effects) {
  fixed <- if (nlevels(ratings$source) > 1) "value ~ 0 + source" else "value ~ 1"
  random <- sprintf("(1 | %s)", groups[effects])
  if (length(random) == 0) return(lm(as.formula(fixed), ratings))
  lmer(as.formula(paste(c(fixed, random), collapse = " + ")), ratings, REML = TRUE, control = control)
}

# The model. An effect whose variance cannot be told from 0 is dropped: a search only comes near 0, and degrees of freedom
# would depend on where it ends.
fitted_model <- function(ratings, effects) {
  model <- fit_once(ratings, effects)
  for (effect in effects) {
    if (getME(model, "theta")[paste0(groups[effect], ".(Intercept)")] > 0.1) next
    without <- fit_once(ratings, setdiff(effects, effect))
    if (deviance_of(without) - deviance_of(model) > 1e-6) next
    model <- without
    effects <- setdiff(effects, effect)
    if (length(effects) == 0) break
  }
  model
}

deviance_of <- function(model) -2 * as.numeric(logLik(model, REML = TRUE))

# Estimate, standard error and degrees of freedom of a sum of means with these weights.
contrast <- function(model, weights) {
  if (inherits(model, "lm")) {
    error <- sqrt(drop(weights %*% vcov(model) %*% weights))
    return(c(estimate = sum(weights * coef(model)), error = error, df = model$df.residual))
  }
  found <- contest1D(model, weights, ddf = "Satterthwaite")
  c(estimate = found$Estimate, error = found$`Std. Error`, df = found$df)
}

# --- the tables of the report -----------------------------------------------------------------------
# The 95 % interval, which ends at the ends of the scale; none with less than one degree of freedom.
interval <- function(found, low, high) {
  if (found["df"] < 1 || found["error"] < 1e-12) return(c(NA, NA))
  half <- qt(0.975, found["df"]) * found["error"]
  c(max(min(low, found["estimate"]), found["estimate"] - half), min(max(high, found["estimate"]), found["estimate"] + half))
}

# The mean of a source. One that the model places beyond the scale is put at its end, and marked, unless all ratings are at
# that end; a ten-thousandth of the scale is noise. `plain` is the mean of the ratings.
mean_row <- function(found, plain, low, high) {
  ends <- interval(found, low, high)
  inside <- pmin(pmax(c(found["estimate"], ends), low), high)
  noise <- 1e-4 * (high - low)
  is_beyond <- (found["estimate"] < low - noise && plain > low) || (found["estimate"] > high + noise && plain < high)
  data.frame(mean = inside[1], low = inside[2], high = inside[3], note = if (is_beyond) "beyond_scale" else "")
}

# The mean of one source less that of another, with its two-sided p value.
difference_row <- function(found, width) {
  ends <- interval(found, -width, width)
  df <- if (is.na(ends[1])) NA else found["df"]
  p <- 2 * pt(-abs(found["estimate"]) / found["error"], df)
  data.frame(difference = found["estimate"], low = ends[1], high = ends[2], df = df, p = p)
}

# What a mean or a difference is without a model: a plain number with no interval.
plain <- function(ratings, weights) {
  means <- tapply(ratings$value, ratings$source, mean)
  c(estimate = sum(weights * means), error = 0, df = NA_real_)
}

# Means and differences of a criterion. `once`: annotators always agree, and each item counts once.
criterion_tables <- function(used, sources, ratings, effects, once) {
  low <- as.numeric(used$scale_low)
  high <- as.numeric(used$scale_high)
  is_model <- used$weighting == "model"
  each <- if (once) ratings[!duplicated(ratings[c("conversation", "item", "source")]), ] else ratings
  model <- if (is_model) fitted_model(each, effects)
  found_of <- function(weights) {
    if (!is_model) return(plain(ratings, weights))
    found <- contrast(model, weights)
    found["df"] <- min(found["df"], nrow(ratings) - length(sources))
    found
  }
  unit <- diag(length(sources))
  at <- seq_along(sources)
  pairs <- if (length(at) > 1) combn(at, 2, simplify = FALSE)
  means <- do.call(rbind, lapply(at, function(i) {
    mean_row(found_of(unit[i, ]), mean(ratings$value[ratings$source == sources[i]]), low, high)
  }))
  means <- cbind(criterion = used$criterion, source = sources, means[1:3], n = as.vector(table(ratings$source)), means["note"])
  differences <- do.call(rbind, lapply(pairs, function(pair) {
    row <- difference_row(found_of(unit[pair[1], ] - unit[pair[2], ]), high - low)
    cbind(criterion = used$criterion, source_a = sources[pair[1]], source_b = sources[pair[2]], row)
  }))
  if (!is.null(differences)) differences$p_holm <- p.adjust(differences$p, "holm")
  list(means = means, differences = differences)
}

answers <- read_table(file.path(dirname(dirname(here)), "ratings.csv"))
# Answers of main batches that count, with an option that was chosen.
answers <- answers[answers$is_counted == "true" & answers$batch_kind == "main" & answers$option != "", ]
variances <- read_table(file.path(tables, "variances.csv"))
reported_means <- read_table(file.path(tables, "means.csv"))
all_used <- read_table(file.path(tables, "ratings_used.csv"))
all_used <- all_used[all_used$score != "", ]
if (NROW(all_used) == 0) {
  message("Nothing was computed: no criterion of this study has scores, so the report has no means of sources.")
  quit(status = 1)
}

found <- lapply(seq_len(nrow(all_used)), function(i) {
  used <- all_used[i, ]
  sources <- reported_means$source[reported_means$criterion == used$criterion]
  of_model <- variances[variances$criterion == used$criterion, ]
  effects <- setdiff(of_model$effect[of_model$left_out == ""], "residual")
  ratings <- ratings_of(answers[answers$criterion == used$criterion, ], used$score, sources)
  criterion_tables(used, sources, ratings, effects, "always_agree" %in% of_model$left_out)
})
means <- do.call(rbind, lapply(found, `[[`, "means"))
differences <- do.call(rbind, lapply(found, `[[`, "differences"))
write.csv(means, file.path(here, "means.csv"), row.names = FALSE, na = "")
write.csv(differences, file.path(here, "differences.csv"), row.names = FALSE, na = "")

# The largest distance from the numbers of the report.
farthest <- function(found, reported, columns) {
  if (is.null(found) || nrow(found) == 0) return(0)
  theirs <- sapply(reported[columns], function(texts) as.numeric(ifelse(texts == "", NA, texts)))
  max(0, abs(as.matrix(found[columns]) - theirs), na.rm = TRUE)
}
print(means, row.names = FALSE)
print(differences, row.names = FALSE)
off <- max(
  farthest(means, reported_means, c("mean", "low", "high")),
  farthest(differences, read_table(file.path(tables, "comparisons.csv")), c("difference", "low", "high", "p", "p_holm"))
)
cat(sprintf("Largest distance from the report: %.0e\n", off))
