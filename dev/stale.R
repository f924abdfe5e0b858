# Lists what is older than the code it speaks of: results whose paths have changed since they were
# measured, with the places that use them; generated text that differs from what the results give now;
# claims (dev/claims.R) that are false or whose words are gone; comparative sentences that no claim
# covers. Exit status 1 if there is any. Needs git with its history, not the package.
# usage: Rscript dev/stale.R [texts|selftest]   (`make stale`)
# texts: all but the age of the results, without git, as a stage of `make test`; writes
# "passed failed skipped" to $MK_RESULT.

options(warn = 1)
arguments <- commandArgs(trailingOnly = TRUE)

# ---- git -----------------------------------------------------------------------------------------

git <- function(...) {
  output <- suppressWarnings(system2("git", shQuote(c("-c", "core.quotepath=off", ...)),
                                     stdout = TRUE, stderr = FALSE))
  if (is.null(attr(output, "status"))) output else character()
}

git_works <- function(...) {
  suppressWarnings(system2("git", shQuote(c(...)), stdout = FALSE, stderr = FALSE)) == 0
}

texts_alone <- identical(arguments, "texts")
if (!texts_alone && (!nzchar(Sys.which("git")) || !identical(git("rev-parse", "--is-shallow-repository"), "false"))) {
  message("make stale needs a git clone with its whole history (git fetch --unshallow).")
  quit(status = 2)
}

# ---- results that are older than a change --------------------------------------------------------

# What a file does, without its comments and layout.
code_of <- function(lines, file) {
  text <- paste(lines, collapse = "\n")
  if (grepl("[.]R$", file)) {
    code <- tryCatch(parse(text = text, keep.source = FALSE), error = function(e) NULL)
    if (!is.null(code)) return(paste(unlist(lapply(code, deparse)), collapse = "\n"))
  }
  if (grepl("[.][ch]$", file)) text <- gsub("(?s)/\\*.*?\\*/|//[^\n]*", "", text, perl = TRUE)
  gsub("\\s+", " ", text)
}

at_commit <- function(commit, file) git("show", paste0(commit, ":", file))

# Whether one of the files does something else after a commit than before; comments don't count.
changes_code <- function(commit, paths) {
  parent <- paste0(commit, "^")
  for (file in git("diff", "--name-only", parent, commit, "--", paths)) {
    if (code_of(at_commit(parent, file), file) != code_of(at_commit(commit, file), file)) return(TRUE)
  }
  FALSE
}

tree_changes <- function(paths) {
  changed <- Filter(function(file) {
    now <- if (file.exists(file)) readLines(file, warn = FALSE) else character()
    code_of(at_commit("HEAD", file), file) != code_of(now, file)
  }, git("diff", "--name-only", "HEAD", "--", paths))
  c(changed, git("ls-files", "--others", "--exclude-standard", "--", paths))
}

# Commits of the ranges in bench/same-fits: those after which all fits are bitwise the same (dev/same-fits.R), and
# those after which the machine code of src is, too (dev/same-code.sh).
commits_that_keep <- function(what) {
  lines <- grep(sprintf(" %s, ", what), readLines("bench/same-fits"), value = TRUE)
  ranges <- sub(" .*", "", lines[!startsWith(lines, "#")])
  as.character(unlist(lapply(ranges, function(range) git("rev-list", range))))
}
same_fits <- if (!texts_alone) commits_that_keep("fits")
same_code <- if (!texts_alone) commits_that_keep("same code")

# The paths whose changes by a commit count. What results say of fits stands where fits are the same; what they say
# of time stands where the machine code is. Results of time depend on the optimisers.
counted_paths <- function(commit, paths) {
  if (any(startsWith(same_code, commit))) paths <- paths[!startsWith(paths, "src/")]
  if (!any(startsWith(same_fits, commit))) return(paths)
  paths[!startsWith(paths, "R/") & (!startsWith(paths, "src/") | "src/optimizer" %in% paths)]
}

# Why results are stale: "" if they are not. Of several commits the oldest counts.
stale_reason <- function(head) {
  if (any(!nzchar(unlist(head[c("call", "commit", "date", "machine")]))) || !length(head$paths)) {
    return("its head lacks call, commit, date, machine or paths")
  }
  gone <- head$paths[!file.exists(head$paths)]
  if (length(gone)) return(paste(gone[1], "is gone"))
  commits <- strsplit(head$commit, ", *")[[1]]
  for (commit in commits) {
    if (commit == "unknown") return("the commit is unknown")
    if (grepl("-dirty$", commit)) return(sprintf("measured on changed files (%s)", commit))
    if (!git_works("merge-base", "--is-ancestor", commit, "HEAD")) {
      return(sprintf("commit %s is not in this history", commit))
    }
  }
  days <- vapply(commits, function(commit) git("show", "-s", "--format=%ct", commit), "")
  oldest <- commits[which.min(as.numeric(days))]
  later <- git("log", "--reverse", "--format=%h", paste0(oldest, "..HEAD"), "--", head$paths)
  differs <- git("diff", "--name-only", oldest, "HEAD", "--", head$paths) # what was changed back counts no more
  for (commit in later) {
    counted <- counted_paths(commit, head$paths)
    counted <- differs[vapply(differs, function(file) any(startsWith(paste0(file, "/"), paste0(counted, "/"))), NA)]
    if (length(counted) && changes_code(commit, counted)) {
      return(sprintf("since %s", git("show", "-s", "--format=%h %ad %s", "--date=short", commit)))
    }
  }
  changed <- tree_changes(head$paths)
  if (length(changed)) sprintf("%s is changed", changed[1]) else ""
}

# The head of a file of results; paths that its script has got since count, too.
whole_head <- function(name) {
  head <- results_head(name)
  script <- file.path("bench", paste0(name, ".R"))
  if (file.exists(script)) head$paths <- union(head$paths, stale_paths(script))
  head
}

# The output of the example in README.md is a result, too (dev/readme.R).
example_head <- function() {
  commit <- grep("^<!-- commit: .* -->$", readLines("README.md"), value = TRUE)
  list(call = "make readme", commit = gsub("<!-- commit: | -->", "", c(commit, "")[1]), date = "-",
       machine = "-", paths = stale_paths("dev/readme.R"))
}

# ---- what is said --------------------------------------------------------------------------------

read_texts <- function() {
  files <- c("README.md", "DESCRIPTION", "NEWS.md", list.files("R", "[.]R$", full.names = TRUE),
             list.files("vignettes", "[.]Rmd$", full.names = TRUE, recursive = TRUE))
  sapply(files[file.exists(files)], blocks_of, simplify = FALSE)
}

# The paragraphs, list items and table rows of a file's prose, on one line each: no code chunks, no
# generated blocks; of NEWS the first version, of R code the help, without the examples' code.
blocks_of <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  if (grepl("[.]R$", file)) {
    lines <- ifelse(startsWith(lines, "#'"), sub("^#' ?", "", lines), "")
    tags <- cumsum(grepl("^@[A-Za-z]", lines) | lines == "")
    example <- tags %in% tags[grepl("^@examples", lines)]
    lines[example] <- ifelse(startsWith(lines[example], "# "), lines[example], "")
    lines <- sub("^@[A-Za-z]+ ?", "\n", lines)
  }
  if (file == "NEWS.md") {
    versions <- grep("^# ", lines)
    lines <- lines[seq_len(c(versions, length(lines) + 1, length(lines) + 1)[2] - 1)]
  }
  inside <- function(begin, end) {
    cumsum(grepl(begin, lines)) > cumsum(c(0, grepl(end, lines)))[seq_along(lines)]
  }
  fence <- grepl("^\\s*```", lines)
  lines[fence | cumsum(fence) %% 2 == 1] <- ""
  lines[inside("^<!-- [a-z]+: begin", "^<!-- [a-z]+: end")] <- ""
  starts <- grepl("^\\s*([*|-]|[0-9]+[.]) ?", lines)
  text <- paste(ifelse(starts, paste0("\n\n", lines), lines), collapse = "\n")
  blocks <- gsub("\\s+", " ", strsplit(text, "\n\\s*\n")[[1]])
  trimws(blocks[nzchar(trimws(blocks))])
}

without <- function(text, phrases) {
  for (phrase in phrases) text <- gsub(phrase, " ", text, fixed = TRUE)
  text
}

# Words that compare or weigh. Of "best" and "often" only what asserts, as in "is best", not what defines,
# as in "the best cell" or "how often".
comparative <- paste0("\\b(", paste(c(
  "(?<!how )(fast|slow|cheap)(er|est)?|quick(er|est|ly)?|times as (long|fast)",
  "(all|them|it|fits?|takes?) in (a few )?(seconds|minutes)",
  "rarely|seldom|(is|are) rare|usually|(?<!how )often|mostly|hardly|(nearly|almost) always",
  "most (data|sets|fits|problems|cases|users)",
  "(is|are|was|does|do|works?|performs?|ranks?) best|best (choice|optimi[sz]er|method|norm|p)|good( second)? choice",
  "(is|are|does|do|much|far|still|often) (better|worse)|(better|worse) than|superior|outperform\\w*|beats?",
  "as (good|accurate) as|(more|less) (accurate|robust)|far (behind|ahead)",
  "few(er|est)? (SVMs|solves|iterations|errors|steps)|the fewest|needs? (few|little)",
  "square of the|at no cost|costs? little|little (time|accuracy)"), collapse = "|"), ")\\b")

# Sentences with comparative words that no claim and no allowed phrase covers. Computed sentences
# (inline code) and what is said of a paper need none.
not_covered <- function(blocks, phrases) {
  blocks <- without(blocks[!grepl("^\\*\\*The papers?\\.\\*\\*", blocks)], phrases)
  sentences <- unlist(strsplit(blocks, "(?<=[.!?:])\\s+(?=[A-Z`*\\[(])", perl = TRUE))
  sentences <- sentences[!grepl("`r [^`]+`", sentences)]
  sentences[grepl(comparative, sentences, ignore.case = TRUE, perl = TRUE)]
}

# ---- claims --------------------------------------------------------------------------------------

# Evaluates dev/claims.R, whose lines are claim(place, words, a condition over results) and
# allowed(phrase, reason).
read_claims <- function(file = "dev/claims.R") {
  claims <- phrases <- list()
  scope <- new.env(parent = environment(results_table))
  scope$claim <- function(place, words, holds) {
    claims[[length(claims) + 1]] <<- list(place = place, words = words, holds = substitute(holds))
  }
  scope$allowed <- function(phrase, reason) {
    stopifnot("an allowed phrase needs a reason" = nzchar(reason))
    phrases[[length(phrases) + 1]] <<- list(place = "", words = phrase)
  }
  source(file, local = scope)
  list(claims = claims, phrases = phrases, scope = scope)
}

# What is wrong with a claim; "" if nothing.
claim_fault <- function(claim, texts, scope) {
  if (!any(grepl(claim$words, texts[[claim$place]], fixed = TRUE))) return("the words are gone")
  value <- tryCatch(eval(claim$holds, new.env(parent = scope)), error = conditionMessage)
  if (isTRUE(value)) "" else if (is.character(value)) value else
    paste("not true:", paste(deparse(claim$holds), collapse = " "))
}

# ---- generated text ------------------------------------------------------------------------------

source("bench/generated.R")

# Where each file of results is used: names and places, noted as code reads them.
uses <- new.env()
uses$rows <- data.frame(name = character(), place = character())
uses$now <- character()
results_file <- function(name) {
  uses$now <- c(uses$now, name)
  file.path(results_folder(), paste0(name, ".md"))
}
noting_uses <- function(place, expr) {
  uses$now <- character()
  force(expr)
  for (name in unique(uses$now)) uses$rows <- rbind(uses$rows, data.frame(name = name, place = place))
  expr
}

# Whether each block and file of bench/generated.R is what its code gives now, by place.
check_generated <- function() {
  places <- vapply(generated, function(part) {
    paste0(part$file, if (!is.null(part$mark)) sprintf(" (%s)", part$mark))
  }, "")
  same <- Map(function(part, place) {
    made <- noting_uses(place, tryCatch(generated_file(part), error = conditionMessage))
    identical(made, readLines(part$file))
  }, generated, places)
  stats::setNames(unlist(same), places)
}

# Words without the markup of help pages and of Markdown.
plain_words <- function(text) {
  gsub("\\s+", " ", gsub("\\\\[a-z]+(\\[[^]]*\\])?\\{|[][`{}\\\\]", "", paste(text, collapse = " ")))
}

# Whether the values of inline code in roxygen comments stand in man/, by place.
check_help <- function() {
  pages <- list.files("man", "[.]Rd$", full.names = TRUE)
  man <- plain_words(unlist(lapply(pages, readLines)))
  unlist(lapply(list.files("R", "[.]R$", full.names = TRUE), function(file) {
    text <- paste(blocks_of(file), collapse = "\n")
    codes <- regmatches(text, gregexpr("`r [^`]+`", text))[[1]]
    vapply(stats::setNames(nm = sprintf("%s: %s", file, codes)[seq_along(codes)]), function(place) {
      code <- gsub("^.*?`r |`$", "", place, perl = TRUE)
      value <- noting_uses(place, tryCatch(eval(parse(text = code)), error = conditionMessage))
      grepl(plain_words(value), man, fixed = TRUE)
    }, NA)
  }))
}

# Whether the cheat sheet was built from its source as it is: the PDF has the checksum.
check_sheet <- function() {
  sheet <- "inst/doc/cheatsheet.pdf"
  sum <- tools::md5sum("vignettes/articles/cheatsheet.Rnw")
  bytes <- if (file.exists(sheet)) readBin(sheet, "raw", file.size(sheet)) else raw()
  stats::setNames(length(grepRaw(sum, bytes, fixed = TRUE)) > 0, paste(sheet, "(make cheatsheet)"))
}

# ---- all -----------------------------------------------------------------------------------------

# Lines of texts that name a script, its results or a table made of them.
mentions <- function(name, files) {
  pattern <- paste0(c("bench/(results/)?%s[.](R|md|csv|png)", "results/%s[.]", "\"%s[.]csv\"",
                      "(results_table|results_section|from_results)\\(\"%s\""), collapse = "|")
  pattern <- gsub("%s", name, pattern, fixed = TRUE)
  unlist(lapply(files, function(file) {
    at <- grep(pattern, readLines(file))
    if (length(at)) sprintf("%s:%s", file, paste(at, collapse = ","))
  }))
}

stale_lines <- function(reasons, files) {
  unlist(lapply(names(reasons)[nzchar(reasons)], function(name) {
    # bench/README.md shows all results.
    places <- uses$rows$place[uses$rows$name == name]
    places <- c(places[!startsWith(places, "bench/README.md")], mentions(name, files))
    c(sprintf("stale: %s, %s", name, reasons[[name]]),
      if (length(places)) sprintf("    used by %s", paste(places, collapse = "; ")))
  }))
}

# The words of claims or phrases for one file.
words_for <- function(file, all) {
  vapply(Filter(function(one) one$place %in% c(file, ""), all), `[[`, "", "words")
}

# Scripts whose results depend on a path that is no longer there.
paths_gone <- function() {
  scripts <- Filter(function(script) any(startsWith(readLines(script), "# stale after: ")), Sys.glob("bench/*.R"))
  unlist(lapply(scripts, function(script) {
    tryCatch({
      stale_paths(script)
      NULL
    }, error = conditionMessage)
  }))
}

check_all <- function() {
  texts <- read_texts()
  read <- read_claims()
  same <- c(check_generated(), check_help(), check_sheet())
  claims <- vapply(read$claims, function(claim) {
    place <- sprintf("%s: \"%s\"", claim$place, claim$words)
    fault <- noting_uses(place, claim_fault(claim, texts, read$scope))
    if (nzchar(fault)) sprintf("claim: %s: %s", place, fault) else ""
  }, "")
  open <- unlist(lapply(names(texts), function(file) {
    found <- not_covered(texts[[file]], c(words_for(file, read$claims), words_for(file, read$phrases)))
    sprintf("not covered: %s: %s", file, found)[seq_along(found)]
  }))
  idle <- Filter(function(one) !any(grepl(one$words, unlist(texts), fixed = TRUE)), read$phrases)
  names <- results_names()
  reasons <- if (texts_alone) character() else
    c(vapply(names, function(name) stale_reason(whole_head(name)), ""),
      "README.md's example" = stale_reason(example_head()))
  tables <- list.files(results_folder(), "[.](csv|png)$")
  orphans <- tables[!sub("(-[0-9]+)?[.][a-z]+$", "", tables) %in% names]
  gone <- paths_gone()

  writeLines(c(
    stale_lines(reasons, names(texts)),
    sprintf("no .md of its name says where it is from: %s", orphans)[seq_along(orphans)],
    gone,
    sprintf("differs from the results (Rscript bench/generated.R, make document): %s",
            names(same)[!same])[seq_len(sum(!same))],
    claims[nzchar(claims)], open,
    sprintf("allowed phrase that stands nowhere: \"%s\"", vapply(idle, `[[`, "", "words"))[seq_along(idle)]))
  bad <- c(sum(nzchar(reasons)) + length(orphans) + length(gone), sum(!same), sum(nzchar(claims)), length(open),
           length(idle))
  cat(sprintf(paste("%d of %d results stale; %d of %d generated texts differ; %d of %d claims wrong;",
                    "%d sentences not covered; %d phrases unneeded\n"), bad[1], length(reasons), bad[2],
              length(same), bad[3], length(claims), bad[4], bad[5]))
  if (texts_alone && nzchar(Sys.getenv("MK_RESULT"))) {
    writeLines(paste(length(same) + length(claims) - sum(bad[2:3]), sum(bad), 0), Sys.getenv("MK_RESULT"))
  }
  sum(bad)
}

# ---- a check of the check ------------------------------------------------------------------------

# Each fault, put into a clone, must be named and end in status 1.
selftest <- function() {
  clone <- file.path(tempdir(), "clone")
  root <- getwd()
  on.exit(unlink(clone, recursive = TRUE))
  stopifnot(git_works("clone", "--quiet", root, clone))
  file.copy(c("dev/stale.R", "dev/claims.R"), file.path(clone, "dev"), overwrite = TRUE)
  append_to <- function(file, text) cat(text, file = file.path(clone, file), append = TRUE, sep = "\n")
  append_to("dev/claims.R", c(
    "claim(\"README.md\", \"multiple kernel learning\", 1 > 2)",
    "claim(\"README.md\", \"words that never stood there\", TRUE)"))
  append_to("README.md", c("", "This package is always the fastest."))
  append_to("vignettes/articles/sequential.csv", "1,2,3,4,5,6,\"never\"")
  append_to("vignettes/articles/cheatsheet.Rnw", "% changed")
  fresh <- file.path(clone, "bench/results/optimizers.md")
  old <- readLines(fresh)
  old[startsWith(old, "- commit: ")] <- paste("- commit:", git("rev-parse", "--short=7", "HEAD"))
  writeLines(old, fresh)
  append_to("src/theta/lp.c", "int mk_selftest;")
  setwd(clone)
  output <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), "dev/stale.R", stdout = TRUE,
                                     stderr = TRUE))
  setwd(root)
  wanted <- c("claim: README.md: \"multiple kernel learning\": not true: 1 > 2",
              "\"words that never stood there\": the words are gone",
              "not covered: README.md: This package is always the fastest.",
              "make document): vignettes/articles/sequential.csv",
              "make document): inst/doc/cheatsheet.pdf (make cheatsheet)",
              "stale: optimizers, src/theta/lp.c is changed")
  missed <- wanted[!vapply(wanted, function(one) any(grepl(one, output, fixed = TRUE)), NA)]
  if (!identical(attr(output, "status"), 1L)) missed <- c(missed, "exit status 1")
  if (length(missed)) message(paste(c(output, paste("NOT NAMED:", missed)), collapse = "\n"))
  cat(sprintf("selftest: %d passed, %d failed\n", length(wanted) + 1 - length(missed), length(missed)))
  quit(status = length(missed) > 0)
}

if (identical(arguments, "selftest")) selftest()
quit(status = check_all() > 0)
