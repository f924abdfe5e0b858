# What README, bench/README.md and the vignettes show of bench/results: blocks between two marks, and
# whole files. `make stale` compares them with what is made here. Nothing is measured here.
# usage: Rscript bench/generated.R   (writes them)

source("bench/read-results.R")
source("bench/report.R")

# ---- numbers that several texts show -------------------------------------------------------------

# Of the mkl() defaults p = 2 and C = 1 beside all cells; kind: classes or regressions.
default_cell <- function(kind) {
  regret <- results_table("defaults", paste("Regret,", kind))
  largest <- results_table("defaults", paste("Largest regret,", kind))
  sets <- results_table("defaults", "By set")
  sets <- sets[is.na(sets$classes) == (kind == "regressions"), ]
  own <- regret[regret$p == "2", "C = 1"]
  list(sets = nrow(sets), cells = prod(dim(regret) - 0:1), regret = own,
       largest = largest[largest$p == "2", "C = 1"], rank = 1 + sum(regret[-1] < own),
       chosen = round(mean(sets$tuned - sets$best), 1))
}

# Mean test errors (%) on the sets with classes: of the search, of a fixed grid by two rules, of others; and how
# often the search is better or worse than the grid, on all sets.
choice_errors <- function() {
  all <- results_table("selection-accuracy", "What choosing is worth")
  sets <- all[!is.na(all[["e1071, tuned"]]), ]
  errors <- 100 * colMeans(sets[c("chosen", "fixed grid", "by best mean", "mkl() as it is", "e1071, tuned")])
  c(list(sets = nrow(sets), all = nrow(all), better = sum(all$verdict == "better"),
         worse = sum(all$verdict == "worse")),
    stats::setNames(as.list(round(errors, 1)), c("chosen", "margin", "accuracy", "default", "e1071")))
}

# Exponents of time between neighbouring numbers of rows.
growth_exponents <- function(heading = "Growth with rows") {
  cells <- results_table("growth", heading)
  size <- as.numeric(gsub(",", "", sub(".*= ", "", cells$cell)))
  data.frame(from = size[-length(size)], to = size[-1],
             exponent = diff(log(cells$time)) / diff(log(size)))
}

# Seconds of the level method's Table 1: sets by optimisers.
level_seconds <- function() {
  table <- results_table("level-table", "The level method's Table 1")
  set <- sub(",.*", "", table$set)
  seconds <- tapply(table[["time, s"]], list(set, table$optimizer), mean)
  seconds[unique(set), unique(table$optimizer)]
}

times_text <- function(ratio) sprintf(if (ratio < 0.995) "%.2f" else "%.1f", ratio)

and <- function(words) {
  if (length(words) < 2) return(paste(words))
  paste(paste(words[-length(words)], collapse = ", "), "and", words[length(words)])
}

big <- function(x) format(x, big.mark = ",", scientific = FALSE, trim = TRUE)

table_lines <- function(table) utils::capture.output(markdown_table(table))

# ---- README.md -----------------------------------------------------------------------------------

facts_lines <- function() {
  table <- results_table("facts", "Many kernels beside one")
  section <- results_section("facts", "Many kernels beside one")[-(1:2)]
  own <- startsWith(table$program, "manykernels")
  errors <- table[["test error"]]
  others <- paste(sprintf("%.2f %%", unique(errors[!own])), collapse = " and ")
  word <- if (all(errors[own] > errors[!own])) "more" else
    if (all(errors[own] < errors[!own])) "fewer" else "neither more nor fewer"
  c(section[nzchar(section)][!startsWith(section[nzchar(section)], "|")], "",
    section[startsWith(section, "|")], "",
    strwrap(sprintf(paste(
      "On these digits the fit of 50 widths makes %s errors (%.2f %%) than one width that suits them",
      "(%s). If you know that width, you need no others."), word, errors[own], others), 100))
}

# How the choices of cv_mkl() compare with other methods, in three sentences.
evidence_lines <- function() {
  sets <- results_table("evidence", "Every set")
  peers <- results_table("evidence", "Every peer")
  peers <- peers[peers$peer != "mkl() as it is", ]
  splits <- unique(range(sets$splits))
  clear <- function(word) {
    names <- sets$data[sets$verdict == word]
    paste0(length(names), if (length(names)) sprintf(" (%s)", paste(names, collapse = ", ")))
  }
  lower <- sprintf("%d of %d beside %s", peers[["lower mean loss of cv_mkl()"]], peers$sets, peers$peer)
  sentences <- c(
    sprintf("`cv_mkl()` as it is was compared with %d other methods on %d public data sets, over %s splits of at most %s samples.",
            nrow(peers), nrow(sets), paste(splits, collapse = " to "), big(max(sets$n))),
    sprintf("Beside the best of these on each set it is clearly worse on %s and clearly better on %s, by two corrected standard errors.",
            clear("worse"), clear("better")),
    sprintf("Its mean loss is the lower one on %s.", and(lower))
  )
  lines <- unlist(lapply(sentences, function(sentence) strwrap(sentence, 100, prefix = "  ", initial = "* ")))
  several <- sets[grepl("views", sets$columns), ]
  if (!nrow(several)) return(lines)
  c(lines, "", "On the sets with several views, beside the best of the other methods on each:", "",
    table_lines(several[c("data", "measure", "n", "columns", "cv_mkl()", "best peer", "its loss", "verdict")]))
}

# ---- bench/README.md -----------------------------------------------------------------------------

bars_of <- function(name) {
  lines <- readLines(results_file(name))
  failed <- grep("^\\*\\*`.*(failed|gave up) after", lines, value = TRUE)
  bars <- do.call(rbind, lapply(grep("^### Bars", lines), function(at) {
    rows <- lines[seq.int(at + 4, length(lines))]
    rows <- rows[seq_len(which(!startsWith(c(rows, ""), "|"))[1] - 1)]
    as.data.frame(do.call(rbind, lapply(strsplit(rows, "|", fixed = TRUE), function(cells) {
      trimws(c(cells, "")[2:7])
    })))
  }))
  if (length(failed)) {
    bars <- rbind(bars, data.frame(V1 = gsub("*", "", failed[1], fixed = TRUE), V2 = "-", V3 = "-",
                                   V4 = "-", V5 = "none", V6 = ""))
  }
  if (is.null(bars)) return(NULL)
  names(bars) <- c("work", "measured", "bar", "stretch", "verdict", "note")
  cbind(bars, results = sprintf("[%s](results/%s.md)", name, name),
        date = results_head(name)$date)
}

all_bars <- function() do.call(rbind, lapply(results_names(), bars_of))

# What the tables show, in sentences.
summary_lines <- function() {
  bars <- all_bars()
  measured <- function(name, start) {
    rows <- results_table(name, "Bars")
    text <- row_of(rows, "work", start)$measured
    as.numeric(sub("[^-0-9.e].*", "", text))
  }
  plain <- results_table("speed-e1071", "Against one SVM of e1071")
  beside_e1071 <- function(start) max(plain$ratio[startsWith(plain$cell, start)])
  exponents <- growth_exponents()
  level <- level_seconds()
  quickest <- table(colnames(level)[apply(level, 1, which.min)])
  choice <- choice_errors()
  cell <- default_cell("classes")
  of_bars <- table(factor(bars$verdict, c("stretch", "bar", "missed")))
  speed <- results_table("speed", "All cells")
  speed <- speed[speed$verdict %in% c("ok", "slower"), ]
  sentences <- c(
    sprintf("A certified fit of 50 Gaussians on %s and %s digits takes at most %s and %s of the processor time of one plain SVM of e1071 ([speed-e1071](results/speed-e1071.md)). On 5 to 40 features its slowest cell takes %s of it ([low-dimensional](results/low-dimensional.md)).",
            "4,000", "8,000", times_text(beside_e1071("digits 4000")), times_text(beside_e1071("digits 8000")),
            times_text(measured("low-dimensional", "50 Gaussians"))),
    sprintf("Time grows with rows to the power %.1f from %s to %s rows and %.1f from %s to %s; %s kernels take %s times as long as 50 ([growth](results/growth.md)).",
            exponents$exponent[2], big(exponents$from[2]), big(exponents$to[2]),
            exponents$exponent[nrow(exponents)], big(exponents$from[nrow(exponents)]),
            big(exponents$to[nrow(exponents)]), "10,000",
            times_text(with(list(t = results_table("growth", "Growth with kernels")),
                            row_of(t, "cell", "M = 10,000")$time / t$time[t$cell == "M = 50"]))),
    sprintf("By the level-method papers' protocol the quickest of %d optimisers is %s of %d sets ([level-table](results/level-table.md)).",
            ncol(level), and(sprintf("`\"%s\"` on %d", names(quickest), quickest)), nrow(level)),
    sprintf("Models chosen by `cv_mkl()` make errors on %.1f %% of new rows in the mean of %d sets, tuned SVMs of e1071 on %.1f %%, `mkl()` as it is on %.1f %%; its search is better than a fixed grid on standardised columns on %d of %d sets and worse on %d, by more than two standard errors ([selection-accuracy](results/selection-accuracy.md)). The error of `p = 2`, `C = 1` is %.1f points above that of the best of %d cells ([defaults](results/defaults.md)).",
            choice$chosen, choice$sets, choice$e1071, choice$default, choice$better, choice$all, choice$worse,
            cell$regret, cell$cells),
    sprintf("Beside an earlier build (%s) %d of %d cells of work are slower; in the geometric mean this one takes %.2f of its time, from %.2f to %.2f ([speed](results/speed.md)).",
            readLines("bench/speed-base"), sum(speed$verdict == "slower"), nrow(speed),
            exp(mean(log(speed$ratio))), min(speed$ratio), max(speed$ratio)),
    sprintf("Of %d bars %d are met, %d of them with the further goal; %d %s missed: %s.",
            sum(of_bars), sum(of_bars[1:2]), of_bars[["stretch"]], of_bars[["missed"]],
            if (of_bars[["missed"]] == 1) "is" else "are",
            and(unique(bars$results[bars$verdict == "missed"]))))
  unlist(lapply(sentences, function(sentence) {
    strwrap(sentence, 100, prefix = "  ", initial = "* ")
  }))
}

# ---- vignettes -----------------------------------------------------------------------------------

# The tables are rounded, so the vignette's means are, too.
level_csv <- function() {
  table <- results_table("level-table", "The level method's Table 1")
  numbers <- function(text, what) as.numeric(sub(sprintf(".*?([0-9]+)%s.*", what), "\\1", text))
  data.frame(
    set = sub(",.*", "", table$set), rows = numbers(sub("^[^,]*, n = ", "", table$set), ","),
    kernels = numbers(sub(".*, ([0-9]+ kernels)", "\\1", table$set), " kernels"),
    optimizer = table$optimizer, seconds = table[["time, s"]], solves = table[["SVM solves"]],
    active = table[["kernels used"]], accuracy = table[["accuracy, %"]], stopped = table$stopped,
    date = results_head("level-table")$date
  )
}

sequential_csv <- function() {
  table <- results_table("sequential", "Gaussians on random sets of columns")
  data.frame(kernels = table$kernels, passes = table$passes, active = table[["kernels in use"]],
             gap = table$gap, processor = table[["processor time"]], megabytes = table$peak,
             date = results_head("sequential")$date)
}

million_csv <- function() {
  table <- results_table("million-rows", "Noisy classes")
  number <- function(text) as.numeric(sub(" .*", "", text))
  data.frame(rows = table$n, optimizer = table$optimizer, processor = number(table[["processor time"]]),
             pass = number(table[["a pass"]]), passes = table$passes, megabytes = number(table$memory),
             support = table[["support vectors"]], gap = table$gap, date = results_head("million-rows")$date)
}

million_steps_csv <- function() {
  table <- results_table("million-rows", "Steps of the weights")
  data.frame(step = table$step, share = as.numeric(sub(" .*", "", table[["share of time"]])), gap = table$gap)
}

# A round of chunks over several nodes.
nodes_lines <- function() {
  table <- results_table("nodes", "A round of chunks over several nodes")
  table_lines(table[c("rows", "nodes", "MB to each", "MB back", "workers (s)", "network (s)", "session (s)", "limit")])
}

jobs_lines <- function() table_lines(results_table("jobs", "Sizes and times of jobs"))

choice_lines <- function() {
  choice <- choice_errors()
  strwrap(sprintf(paste(
    "On %d data sets, with at most 300 training rows, its choices from one grid make errors on %.1f %% of new",
    "rows on average, and those by the best accuracy alone on %.1f %% (`bench/selection-accuracy.R` in the",
    "sources)."), choice$sets, choice$margin, choice$accuracy), 100)
}

default_lines <- function() {
  cell <- default_cell("classes")
  strwrap(sprintf(paste(
    "We measured these on %d data sets with default kernels (`bench/defaults.R` in the sources). On",
    "the %d sets with classes, %s of the %d cells of `p` and `C` does better on average. Its error",
    "rate is %.1f percentage points above that of the best cell of each set; a cell chosen by its",
    "accuracy on other folds is %.1f above."), cell$sets + default_cell("regressions")$sets,
    cell$sets, if (cell$rank == 1) "none" else sprintf("%d", cell$rank - 1), cell$cells,
    cell$regret, cell$chosen), 100)
}

# The cells of a column as they stand, with their standard errors.
raw_cells <- function(name, heading, column) {
  rows <- grep("^\\|", results_section(name, heading), value = TRUE)
  cells <- lapply(strsplit(gsub("^\\| *| *\\|$", "", rows), " *\\| ?"), trimws)
  at <- match(column, cells[[1]])
  values <- sub(" best$", "", vapply(cells[-(1:2)], `[`, "", at))
  stats::setNames(values, vapply(cells[-(1:2)], `[`, "", 1))
}

splice_lines <- function() {
  heading <- "Full size: C. elegans acceptor sites, "
  shown <- c("weighted degree", "spectrum", "composition", "plain sum", "mixture, p = 1.33")
  draws <- lapply(c("one in eleven", "3.3 %"), function(share) {
    raw_cells("splice", paste0(heading, share), "auPRC")[shown]
  })
  labels <- c("weighted degree alone", "spectrum alone", "composition alone", "plain sum",
              "mixture, p = 4/3")
  means <- vapply(draws, function(draw) as.numeric(sub(" .*", "", draw)), numeric(5))
  gain <- means[5, ] - apply(means[1:3, ], 2, max)
  loss <- apply(means[1:3, ], 2, max) - means[4, ]
  side <- function(x) sprintf("%.3f %s", abs(x), ifelse(x >= 0, "above", "below"))
  c(table_lines(data.frame(` ` = labels, `one in eleven` = draws[[1]], `3.3 %` = draws[[2]],
                           check.names = FALSE)),
    strwrap(sprintf(paste(
      "The area of the mixture of all three is %s the best kernel alone's at one site in eleven, and %s it at the",
      "real share of 3.3 %%. That of the plain sum is %s and %s it."), side(gain[1]), side(gain[2]),
      side(-loss[1]), side(-loss[2])), 100))
}

tss_lines <- function() {
  sizes <- "n = 1000"
  shown <- c("signal alone", "promoter alone", "exon alone", "angles alone", "energies alone",
             "p = Inf", "p = 2", "p = 1")
  cells <- lapply(c(mouse = "mouse", arabidopsis = "arabidopsis"), function(species) {
    raw_cells("tss", paste("Starts of transcripts,", species), sizes)
  })
  paper <- results_table("tss", "Single kernels beside the paper's")$paper
  labels <- c("weighted degree with shifts", "spectrum of the promoter", "spectrum of the first exon",
              "angles of neighbouring letters", "stacking energies", "plain sum", "mixture, p = 2",
              "mixture, p = 1")
  value <- function(x) as.numeric(sub(" .*", "", x))
  sentence <- function(species) {
    values <- value(cells[[species]])
    names(values) <- names(cells[[species]])
    norms <- values[startsWith(names(values), "p = ")]
    mixtures <- norms[names(norms) != "p = Inf"]
    alone <- max(values[endsWith(names(values), " alone")])
    lead <- round(max(norms) - alone, 1)
    sprintf("%s: %d of %d mixtures rank above the plain sum, `%s` first, %s the best kernel alone.",
            if (species == "mouse") "Mouse" else "Arabidopsis", sum(mixtures > norms[["p = Inf"]]),
            length(mixtures), names(which.max(norms)), if (lead == 0) "level with" else
              sprintf("%.1f points %s", abs(lead), if (lead > 0) "above" else "below"))
  }
  c(table_lines(data.frame(` ` = labels, `paper, human` = c(paper, "", "", ""),
                           mouse = cells$mouse[shown], Arabidopsis = cells$arabidopsis[shown],
                           check.names = FALSE)),
    unlist(lapply(names(cells), function(species) {
      strwrap(sentence(species), 100, prefix = "  ", initial = "* ")
    })))
}

# The price of a grid on wide views.
wide_lines <- function() {
  heading <- "Wide views, scale = TRUE"
  turns <- results_table("selection", heading)
  strwrap(sprintf(paste(
    "On 600 rows and views of 20,000, 25,000 and 800 columns 225 models take %.1f times as long as a",
    "single fit (`bench/selection.R` in the sources)."),
    turns$median[2] / row_of(turns, "program", "one mkl()")$median), 100)
}

# ---- help pages: inline code of roxygen comments -------------------------------------------------

solves_text <- function(optimizer) {
  table <- results_table("optimizers", "Optimisers")
  own <- table[table$optimizer == optimizer, ]
  p <- ifelse(own$p == 1.33, "4/3", format(own$p, trim = TRUE, drop0trailing = TRUE))
  first <- sprintf("%g SVMs for p = %s", own[["SVM solves"]][1], p[1])
  and(c(first, sprintf("%g for p = %s", own[["SVM solves"]], p)[-1]))
}

level_solves_text <- function(optimizer) {
  table <- results_table("level-table", "The level method's Table 1")
  solves <- range(table[["SVM solves"]][table$optimizer == optimizer])
  kernels <- range(as.numeric(sub(".* ([0-9]+) kernels", "\\1", table$set)))
  sprintf("%g to %g SVMs for %g to %g kernels", solves[1], solves[2], kernels[1], kernels[2])
}

defaults_text <- function() {
  own <- default_cell("classes")
  other <- default_cell("regressions")
  rank <- function(cell) if (cell$rank == 1) "none" else sprintf("%d", cell$rank - 1)
  sprintf(paste(
    "For the %d sets with classes %s of the %d cells does better on average. The error rate of the",
    "default is %.1f percentage points above that of the best cell of each set, and at most %.1f. A",
    "cell chosen on other folds by its mean, as by `rule = \"best\"` of [cv_mkl()], is %.1f above. For",
    "the %d regressions %s of the cells do better: the RMSE of the default is %.1f %% of the standard",
    "deviation above that of the best cell, and that of a chosen cell %.1f %%."),
    own$sets, rank(own), own$cells, own$regret, own$largest, own$chosen, other$sets, rank(other),
    other$regret, other$chosen)
}

recovery_text <- function() {
  cases <- results_table("gomp-recovery", "Coherence below 1, no noise")
  sprintf("%g of %g", sum(cases[["took a bad kernel"]]), sum(cases$cases))
}

cut_off_text <- function() {
  table <- results_table("gomp-recovery", "Gaussians and the cut-off")
  ends <- table[c(1, nrow(table)), ]
  and(sprintf("%s at a cut-off of %s", vapply(ends$coherence, big, ""),
              vapply(ends[["cut-off"]], format, "")))
}

locally_linear_text <- function() {
  table <- results_table("locally-linear", "Locally linear models: a9a")
  of <- function(start) row_of(table, "program", start)
  sprintf("%s s by `mllkm()`, %s s by a Gaussian `mkl()` and %s s by e1071, with errors of %s %%",
          format(of("mkl, mllkm")$median), format(of("mkl, Gaussian")$median),
          format(of("e1071")$median), and(unique(sprintf("%.1f", range(table$error)))))
}

sequential_text <- function() {
  table <- results_table("sequential", "Gaussians on random sets of columns")
  sprintf("%.0f seconds", table[["processor time"]][table$kernels == 1e6])
}

widths_text <- function() {
  table <- results_table("growth", "Growth with kernels")
  time <- function(M) table$time[table$cell == paste("M =", M)]
  sprintf("50 widths take %.1f times as long as 3", time(50) / time(3))
}

# ---- all of them ---------------------------------------------------------------------------------

# file, and for a block the mark around it; make: the lines, or the rows of a csv.
generated <- list(
  list(file = "README.md", mark = "evidence", make = evidence_lines),
  list(file = "README.md", mark = "facts", make = facts_lines),
  list(file = "bench/README.md", mark = "summary", make = summary_lines),
  list(file = "bench/README.md", mark = "bars", make = function() table_lines(all_bars())),
  list(file = "vignettes/articles/choosing.Rmd", mark = "wide", make = wide_lines),
  list(file = "vignettes/articles/choosing.Rmd", mark = "choice", make = choice_lines),
  list(file = "vignettes/articles/choosing.Rmd", mark = "defaults", make = default_lines),
  list(file = "vignettes/articles/sequences.Rmd", mark = "splice", make = splice_lines),
  list(file = "vignettes/articles/sequences.Rmd", mark = "tss", make = tss_lines),
  list(file = "vignettes/articles/on-a-cluster.Rmd", mark = "jobs", make = jobs_lines),
  list(file = "vignettes/articles/on-a-cluster.Rmd", mark = "nodes", make = nodes_lines),
  list(file = "vignettes/articles/level-table.csv", make = level_csv),
  list(file = "vignettes/articles/sequential.csv", make = sequential_csv),
  list(file = "vignettes/articles/million-rows.csv", make = million_csv),
  list(file = "vignettes/articles/million-steps.csv", make = million_steps_csv)
)

# The lines of the whole file as they should be.
generated_file <- function(part) {
  if (is.null(part$mark)) {
    connection <- textConnection("lines", "w", local = TRUE)
    utils::write.csv(part$make(), connection, row.names = FALSE)
    close(connection)
    return(lines)
  }
  old <- readLines(part$file)
  begin <- grep(sprintf("^<!-- %s: begin", part$mark), old)
  end <- grep(sprintf("^<!-- %s: end", part$mark), old)
  if (length(begin) != 1 || length(end) != 1 || begin >= end) {
    stop(part$file, " has no block ", part$mark, call. = FALSE)
  }
  made <- part$make()
  while (made[length(made)] == "") made <- made[-length(made)]
  c(old[seq_len(begin)], "", made, "", old[end:length(old)])
}

write_generated <- function() {
  for (part in generated) writeLines(generated_file(part), part$file)
}

if (any(grepl("--file=.*generated[.]R$", commandArgs()))) write_generated()
