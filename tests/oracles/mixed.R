# Reference values of the mixed model, by lme4 and lmerTest:  Rscript tests/oracles/mixed.R > tests/measures/data/mixed/reference.json
# Run it in the root of the project. Debian: r-cran-lme4 r-cran-lmertest r-cran-jsonlite.
suppressMessages({library(lmerTest); library(jsonlite)})

terms <- c(annotator = "annotator", annotator_source = "annotator:source", conversation = "conversation",
           conversation_source = "conversation:source", item = "conversation:item", item_source = "conversation:item:source")
studies <- list(
  ordinal = c("annotator", "annotator_source", "conversation", "conversation_source", "item"),
  binary_unequal_loads = c("annotator", "annotator_source", "conversation", "conversation_source", "item"),
  independent = c("annotator", "annotator_source", "conversation"),
  few_annotators = c("annotator", "annotator_source", "conversation", "conversation_source", "item"),
  no_interactions = c("annotator", "annotator_source", "conversation", "conversation_source", "item"),
  gaps = c("annotator", "annotator_source", "conversation", "conversation_source", "item", "item_source"),
  one_vote = c("annotator", "annotator_source", "conversation", "conversation_source"),
  chats_fun = c("annotator", "annotator_source"),
  protocol_appropriateness = c("annotator", "annotator_source", "conversation", "conversation_source"),
  swbd_coh = c("annotator", "annotator_source", "conversation", "conversation_source"))

read <- function(name) {
  if (name == "swbd_coh") {
    data <- read.csv(gzfile("tests/data/ratings/swbd_coh.csv.gz"))
    data <- data.frame(conversation = data$dialogue, item = 0, source = data$source, annotator = data$rater, value = data$value)
  } else {
    data <- read.csv(gzfile(sprintf("tests/measures/data/mixed/%s.csv.gz", name)))
  }
  for (column in c("conversation", "item", "source", "annotator")) data[[column]] <- factor(data[[column]])
  data
}

contrast <- function(model, L) {
  found <- contest1D(model, L, confint = TRUE)
  c(estimate = found[["Estimate"]], error = found[["Std. Error"]], df = found[["df"]], p = found[["Pr(>|t|)"]],
    low = found[["lower"]], high = found[["upper"]])
}

results <- list()
for (name in names(studies)) {
  data <- read(name)
  random <- paste(sprintf("(1|%s)", terms[studies[[name]]]), collapse = " + ")
  strict <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5), calc.derivs = FALSE,
                        check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nobs.vs.rankZ = "ignore")
  model <- lmer(as.formula(paste("value ~ 0 + source +", random)), data, REML = TRUE, control = strict)
  S <- nlevels(data$source)
  unit <- diag(S)
  means <- t(sapply(seq_len(S), function(s) contrast(model, unit[s, ])))
  pairs <- combn(S, 2)
  differences <- t(apply(pairs, 2, function(p) contrast(model, unit[p[1], ] - unit[p[2], ])))
  parts <- as.data.frame(VarCorr(model))
  sds <- setNames(parts$sdcor[match(c(terms[studies[[name]]], "Residual"), parts$grp)], c(studies[[name]], "residual"))
  results[[name]] <- list(n = nrow(data), effects = studies[[name]], sources = levels(data$source), sds = as.list(sds),
                          means = means, pairs = t(pairs) - 1, differences = differences,
                          columns = colnames(means), deviance = REMLcrit(model))
  message(name, " ", nrow(data))
}
results$made_by <- list(R = R.version.string, lme4 = as.character(packageVersion("lme4")), lmerTest = as.character(packageVersion("lmerTest")))
cat(toJSON(results, digits = 12, auto_unbox = TRUE, pretty = FALSE), "\n")
