# Reference values of the ranking by comparisons: Rscript tests/oracles/preferences.R
# Run it in the root of the project. Debian: r-cran-bradleyterry2 r-cran-sandwich r-cran-jsonlite. The baseball data are those of Agresti 1990 in BradleyTerry2.
library(BradleyTerry2)
library(sandwich)

# --- Agresti's baseball games: no ties, each with a team at home (the left side here)
baseball <- BradleyTerry2::baseball
at_home <- BTm(cbind(home.wins, away.wins),
               data.frame(team = baseball$home.team, at.home = 1), data.frame(team = baseball$away.team, at.home = 0),
               ~ team + at.home, id = "team", data = baseball)
games <- with(baseball, data.frame(home = as.integer(home.team) - 1, away = as.integer(away.team) - 1,
                                   home_wins = home.wins, away_wins = away.wins))

# --- Davidson's model as a Poisson model of counts (Fienberg and Larntz 1976): each comparison has three cells
answers <- read.csv("tests/measures/data/preferences.csv")
n_sources <- max(answers$left, answers$right) + 1
cells <- do.call(rbind, lapply(c(1, 0, -1), function(outcome) data.frame(
  row = seq_len(nrow(answers)), outcome = outcome, count = as.integer(answers$outcome == outcome),
  annotator = answers$annotator, conversation = answers$conversation)))
for (source in seq_len(n_sources - 1) - 1)
  cells[[paste0("s", source)]] <- cells$outcome / 2 * ((answers$left == source) - (answers$right == source))
cells$tie <- as.integer(cells$outcome == 0)
cells$side <- cells$outcome / 2
cells$length <- cells$outcome / 2 * answers$length
terms <- c(paste0("s", seq_len(n_sources - 1) - 1), "tie", "side", "length")
davidson <- glm(reformulate(c("factor(row)", terms), "count"), poisson, cells, epsilon = 1e-14, maxit = 100)

# --- the model without ties, with the variances that the sandwich package gives by annotator and by conversation
strict <- subset(answers, outcome != 0)
for (source in seq_len(n_sources - 1) - 1)
  strict[[paste0("s", source)]] <- (strict$left == source) - (strict$right == source)
strict$side <- 1
kept <- c(paste0("s", seq_len(n_sources - 1) - 1), "side", "length")
binary <- glm(reformulate(kept, "outcome > 0", intercept = FALSE), binomial, strict, epsilon = 1e-14, maxit = 100)
two_way <- vcovCL(binary, cluster = ~ annotator + conversation, type = "HC0", cadjust = FALSE)
jackknife <- function(cluster) {  # every cluster left out, one step of Newton
  groups <- unique(cluster)
  X <- model.matrix(binary)
  w <- binary$weights
  scores <- estfun(binary)
  moved <- sapply(groups, function(g) {
    rest <- cluster != g
    solve(crossprod(X[rest, ] * w[rest], X[rest, ]), colSums(scores[!rest, , drop = FALSE]))
  })
  tcrossprod(moved) * (length(groups) - 1) / length(groups)
}

jsonlite::write_json(list(
  baseball = list(teams = levels(baseball$home.team), games = games, coefficients = as.list(coef(at_home)),
                  errors = as.list(sqrt(diag(vcov(at_home))))),
  davidson = list(coefficients = as.list(coef(davidson)[terms]), errors = as.list(sqrt(diag(vcov(davidson)))[terms])),
  strict = list(coefficients = as.list(coef(binary)), names = kept, two_way = unname(two_way),
                by_annotator = unname(jackknife(strict$annotator)),
                by_conversation = unname(jackknife(strict$conversation)))),
  "tests/measures/data/preferences.json", digits = NA, auto_unbox = TRUE, pretty = TRUE)
