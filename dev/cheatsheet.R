# Builds the cheat sheet, inst/doc/cheatsheet.pdf, from vignettes/articles/cheatsheet.Rnw. Its R code runs
# with the package in the library, so a call that fails stops the build. "check" only runs the code.
# The PDF keeps the checksum of its source, by which dev/stale.R finds that it is older.
# usage: Rscript dev/cheatsheet.R [library] [check]   (`make cheatsheet`)

arguments <- commandArgs(trailingOnly = TRUE)
library_folder <- if (length(arguments) > 0) arguments[1] else ".build/lib"
.libPaths(c(normalizePath(library_folder, mustWork = TRUE), .libPaths()))
needed <- c("DBI", "RSQLite", "SummarizedExperiment", "dbplyr", "dplyr", "future", "generics", "ggplot2", "jsonlite",
            "knitr", "mlr3", "parsnip", "caret", "rmarkdown", "survival")
lacking <- Filter(function(name) !requireNamespace(name, quietly = TRUE), needed)
if (length(lacking)) {
  cat("cheatsheet: its code was not run without", lacking, "\n")
  quit(status = !"check" %in% arguments)
}
source_file <- normalizePath("vignettes/articles/cheatsheet.Rnw")
pdf_file <- file.path(normalizePath("inst"), "doc", "cheatsheet.pdf")
most_bytes <- 50000
folder <- file.path(tempdir(), "cheatsheet")
dir.create(folder)
root <- setwd(folder)

# Runs the chunks, and gives back the LaTeX file. Results are hidden unless a chunk shows them.
run_sheet <- function() {
  knitr::render_latex()
  knitr::set_header(highlight = "", framed = "")
  listing <- function(x, options) sprintf("\\begin{lstlisting}\n%s\n\\end{lstlisting}\n", paste(x, collapse = "\n"))
  knitr::knit_hooks$set(source = listing, output = function(x, options) listing(trimws(x, "right")), plot = function(x, options) sprintf("\\includegraphics[width = \\linewidth]{%s}\n", x),
  chunk = function(x, options) x)
  knitr::opts_knit$set(root.dir = folder)
  knitr::opts_chunk$set(results = "hide", message = FALSE, warning = FALSE, error = FALSE, comment = "#>",
                        dev.args = list(pdf = list(useDingbats = FALSE, pointsize = 9)))
  knitr::knit(source_file, quiet = TRUE, envir = new.env(parent = globalenv()))
}

build_sheet <- function(tex) {
  # An uncompressed dictionary of information can be read without tools; no dates: the same file each time.
  information <- sprintf(paste0("\\pdfobjcompresslevel=0\\pdfsuppressptexinfo=-1\\pdftrailerid{}",
                                "\\pdfinfoomitdate=1\\pdfinfo{/Title (manykernels: cheat sheet) /Keywords (%s)}"),
                         tools::md5sum(source_file))
  lines <- readLines(tex)
  begin <- grep("\\begin{document}", lines, fixed = TRUE)
  writeLines(append(lines, information, begin - 1), tex)
  log <- suppressWarnings(system2("pdflatex", c("-interaction=nonstopmode", "-halt-on-error", tex), stdout = TRUE))
  pages <- grep("^Output written", log, value = TRUE)
  built <- sub("tex$", "pdf", tex)
  if (!length(pages)) stop(paste(utils::tail(log, 20), collapse = "\n"))
  stopifnot("the sheet must have two pages" = grepl("(2 pages", pages, fixed = TRUE),
            "the sheet is too large a file" = file.size(built) < most_bytes)
  wide <- grep("^Overfull", log, value = TRUE)
  if (length(wide)) stop(paste(c("The sheet has lines that are too long:", wide), collapse = "\n"))
  dir.create(dirname(pdf_file), FALSE)
  stopifnot(file.copy(built, pdf_file, overwrite = TRUE))
  cat(sprintf("cheatsheet: %s, %d bytes\n", pdf_file, file.size(pdf_file)))
}

tex <- run_sheet()
if ("check" %in% arguments) cat("cheatsheet: its code runs\n") else build_sheet(tex)
