# Reference values of the cumulative-link mixed model, by ordinal and, for two answers, lme4:
#   Rscript tests/oracles/cumulative.R > tests/measures/data/cumulative.json
# Run it in the root of the project. Debian: r-cran-ordinal r-cran-lme4 r-cran-jsonlite.
suppressMessages({library(ordinal); library(lme4); library(jsonlite)})

terms <- c(annotator = "annotator", annotator_source = "annotator:source", conversation = "conversation",
           conversation_source = "conversation:source", item = "conversation:item")
studies <- list(
  few_annotators = c("annotator", "conversation", "conversation_source"),
  one_vote = c("annotator", "conversation_source"),
  ordinal = c("annotator", "conversation"),
  binary_unequal_loads = c("annotator", "conversation"))

results <- list()
for (name in names(studies)) {
  data <- read.csv(gzfile(sprintf("tests/measures/data/mixed/%s.csv.gz", name)))
  for (column in c("conversation", "item", "source", "annotator")) data[[column]] <- factor(data[[column]])
  data$answer <- factor(data$value, ordered = TRUE)
  formula <- as.formula(paste("answer ~ source +", paste(sprintf("(1|%s)", terms[studies[[name]]]), collapse = " + ")))
  if (nlevels(data$answer) == 2) {
    model <- glmer(formula, data, family = binomial, control = glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-8, maxfun = 1e5)))
    sds <- sqrt(sapply(VarCorr(model), function(x) x[1]))
    found <- coef(summary(model))[-1, , drop = FALSE]
    loglik <- as.numeric(logLik(model))
  } else {
    model <- clmm(formula, data)
    sds <- sqrt(sapply(VarCorr(model), function(x) x[1]))
    found <- coef(summary(model))[-seq_along(model$alpha), , drop = FALSE]
    loglik <- as.numeric(logLik(model))
  }
  results[[name]] <- list(effects = studies[[name]], sds = unname(sds[terms[studies[[name]]]]),
    sources = unname(found[, "Estimate"]), errors = unname(found[, "Std. Error"]), log_likelihood = loglik)
}
cat(toJSON(results, auto_unbox = TRUE, digits = 10, pretty = TRUE), "\n")
