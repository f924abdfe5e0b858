# Runs every example of the help pages in a process whose home and working directory are empty and
# watched: what is left there, what asks for the network, and what an example leaves changed in
# options, par, locale and environment. Prints lines of bench/reliability.md.
# usage: Rscript bench/reliability/examples.R    (from the sources, the package on R's library path)

arguments <- commandArgs(trailingOnly = TRUE)
script <- normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1L]]))

# What the coordinates of a plot say, which par() has, too.
of_plot <- c("usr", "xaxp", "yaxp", "xlog", "ylog")

state <- function() {
  par <- graphics::par(no.readonly = TRUE)
  list(options = options(), par = par[setdiff(names(par), of_plot)], locale = Sys.getlocale(),
       folder = getwd(), environment = as.list(Sys.getenv()), kinds = RNGkind(),
       global = ls(globalenv()), sinks = sink.number(), devices = grDevices::dev.list(),
       connections = nrow(showConnections()))
}

# Names of what differs. Packages that are loaded add options and variables of their own.
changed <- function(before, after) {
  unlist(lapply(names(before), function(part) {
    old <- before[[part]]
    new <- after[[part]]
    if (!is.list(old)) return(if (!identical(old, new)) part)
    differs <- !vapply(names(old), function(name) identical(old[[name]], new[[name]]), NA)
    if (any(differs)) paste0(part, "$", names(old)[differs])
  }))
}

refuse_network <- function() {
  asks <- c(url = "base", socketConnection = "base", curlGetHeaders = "base",
            download.file = "utils")
  refuse <- quote(stop("an example asks for the network"))
  for (name in names(asks)) {
    suppressMessages(trace(name, refuse, print = FALSE, where = asNamespace(asks[[name]])))
  }
}

# One line for each page: its name, and what went wrong.
run_examples <- function(pages, place) {
  suppressMessages(library(manykernels))
  refuse_network()
  grDevices::pdf(NULL)
  graphics::plot.new()
  for (page in pages) {
    code <- tempfile(fileext = ".R")
    tools::Rd2ex(page, code, commentDonttest = FALSE)
    if (!file.exists(code)) next # no examples
    before <- state()
    problem <- tryCatch({
      utils::capture.output(suppressMessages(suppressWarnings(
        source(code, local = new.env(parent = globalenv()), echo = FALSE)
      )))
      ""
    }, error = conditionMessage)
    left <- changed(before, state())
    told <- paste(c(problem[nzchar(problem)], left), collapse = "; ")
    cat(basename(page), "\t", told, "\n", sep = "", file = place, append = TRUE)
  }
}

# What files of the installed package are, to see whether an example writes among them.
installed <- function() {
  file.info(list.files(find.package("manykernels"), recursive = TRUE, full.names = TRUE))$mtime
}

drive <- function() {
  folder <- tempfile(c("home", "work", "temporary"))
  for (one in folder) dir.create(one)
  place <- tempfile("place")
  pages <- normalizePath(list.files("man", "[.]Rd$", full.names = TRUE))
  before <- installed()
  libraries <- paste(normalizePath(.libPaths()), collapse = .Platform$path.sep)
  call <- c("cd", shQuote(folder[[2L]]), "&&", paste0("HOME=", shQuote(folder[[1L]])),
            paste0("TMPDIR=", shQuote(folder[[3L]])), paste0("R_LIBS=", shQuote(libraries)), "exec",
            shQuote(c(file.path(R.home("bin"), "Rscript"), script, "child", place, pages)))
  status <- system2("sh", c("-c", shQuote(paste(call, collapse = " "))))
  told <- strsplit(readLines(place), "\t")
  bad <- Filter(function(one) length(one) > 1L, told)
  for (one in bad) message(one[[1L]], ": ", one[[2L]])
  left <- list.files(folder, all.files = TRUE, recursive = TRUE, include.dirs = TRUE)
  if (!identical(before, installed())) left <- c(left, "the installed package")
  if (length(left)) message("left behind: ", paste(left, collapse = ", "))
  cat(sprintf("| examples that fail, ask for the network or leave settings changed | %d | %d |\n",
              length(told), length(bad)),
      sprintf("| examples: files left in the home, working and temporary folders | %d | %d |\n",
              length(told), length(left)), sep = "")
  if (status != 0L || length(bad) || length(left) || !length(told)) quit(status = 1L)
}

if (length(arguments) && arguments[[1L]] == "child") {
  run_examples(arguments[-(1:2)], arguments[[2L]])
} else {
  drive()
}
