# Reference values of intraclass correlations, by lme4:  Rscript tests/oracles/icc.R > tests/measures/data/icc.json
# Run it in the root of the project. Debian: r-cran-lme4 r-cran-jsonlite.
suppressMessages({library(lme4); library(jsonlite)})

results <- list()
for (name in c("ordinal", "gaps", "few_annotators", "no_interactions", "binary_unequal_loads", "protocol_appropriateness")) {
  data <- read.csv(gzfile(sprintf("tests/measures/data/mixed/%s.csv.gz", name)))
  data$rated <- factor(paste(data$conversation, data$item, data$source))
  data$annotator <- factor(data$annotator)
  strict <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5), calc.derivs = FALSE)
  found <- as.data.frame(VarCorr(lmer(value ~ 1 + (1 | rated) + (1 | annotator), data, control = strict)))
  parts <- setNames(found$vcov, found$grp)
  results[[name]] <- list(icc_a1 = parts[["rated"]] / sum(parts), icc_c1 = parts[["rated"]] / (parts[["rated"]] + parts[["Residual"]]))
}
cat(toJSON(results, auto_unbox = TRUE, digits = 10, pretty = TRUE), "\n")
