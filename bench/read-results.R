# Reads the files of bench/results: heads and tables. README, help pages, articles, bench/generated.R
# and dev/claims.R take their numbers from here. Plain R; works from any folder of the sources.

results_folder <- function() {
  folder <- getwd()
  while (!dir.exists(file.path(folder, "bench", "results"))) {
    if (dirname(folder) == folder) stop("no bench/results above ", getwd(), call. = FALSE)
    folder <- dirname(folder)
  }
  file.path(folder, "bench", "results")
}

results_file <- function(name) file.path(results_folder(), paste0(name, ".md"))

# The names of all files of results. A .csv or .png there belongs to the .md of the same name.
results_names <- function() sub("[.]md$", "", list.files(results_folder(), "[.]md$"))

# ---- heads ---------------------------------------------------------------------------------------

# The fields that result_head() of bench/report.R writes: call, commit, date, machine, and the paths
# whose change makes the results stale. A field that is not there is "".
results_head <- function(name) {
  lines <- readLines(results_file(name))
  field <- function(label) {
    start <- sprintf("- %s: ", label)
    found <- lines[startsWith(lines, start)]
    if (length(found)) substring(found[1], nchar(start) + 1) else ""
  }
  paths <- strsplit(field("stale after changes of"), " ")[[1]]
  list(call = gsub("`", "", field("call")), commit = field("commit"), date = field("date"),
       machine = field("machine"), paths = paths)
}

# ---- tables --------------------------------------------------------------------------------------

# The lines from a heading to the next one of its level or above.
results_section <- function(name, heading) {
  lines <- readLines(results_file(name))
  lines <- lines[!grepl("^There were [0-9]+ warnings", lines)] # R's note at the end of a script
  at <- which(grepl("^#+ ", lines) & grepl(heading, lines, fixed = TRUE))[1]
  if (is.na(at)) stop("no section \"", heading, "\" in results of ", name, call. = FALSE)
  level <- nchar(sub(" .*", "", lines[at]))
  later <- grep(sprintf("^#{1,%d} ", level), lines)
  end <- min(later[later > at], length(lines) + 1)
  lines[seq.int(at, end - 1)]
}

# The first table of a section (or of the file, or that number of it). Columns of numbers are numeric:
# "0.363 s", "5.15x", "97 %", "6.54 ± 1.38", "0.95 +- 0.01" and "-0.01 (0.004)" are their first number,
# and "", "-", "NA" and "failed" are NA. Other columns are text.
results_table <- function(name, heading = NULL, number = 1) {
  lines <- if (is.null(heading)) readLines(results_file(name)) else results_section(name, heading)
  inside <- startsWith(lines, "|")
  block <- cumsum(inside & !c(FALSE, inside[-length(inside)]))
  rows <- lines[inside & block == number]
  if (length(rows) < 3) stop("no table in results of ", name, " ", heading, call. = FALSE)
  cells <- lapply(strsplit(gsub("^\\| *| *\\|$", "", rows), " *\\| ?"), trimws)
  width <- length(cells[[1]])
  cells <- do.call(rbind, lapply(cells[-2], function(row) c(row, character(width))[seq_len(width)]))
  table <- as.data.frame(cells[-1, , drop = FALSE], stringsAsFactors = FALSE)
  names(table) <- cells[1, ]
  table[] <- lapply(table, parse_cells)
  table
}

parse_cells <- function(cells) {
  lacking <- cells %in% c("", "-", "NA", "failed")
  number <- "[-+]?[0-9][0-9,]*[.]?[0-9]*(?:e[-+]?[0-9]+)?"
  pattern <- sprintf("^(%s) ?(s|x|%%|MB|GB|points)?(?: (?:±|[+]-) ?[0-9.]+| [(][0-9.]+[)])?$", number)
  matched <- regmatches(cells, regexec(pattern, cells, perl = TRUE))
  known <- lengths(matched) > 0
  units <- unique(vapply(matched[known & !lacking], `[`, "", 3))
  if (!any(known) || !all(known | lacking) || length(units) > 1) return(cells)
  values <- rep(NA_real_, length(cells))
  values[known] <- as.numeric(gsub(",", "", vapply(matched[known], `[`, "", 2)))
  values
}

# The rows of a table whose column starts with a text, as in `row_of(t, "cell", "n = 2,000")`; one.
row_of <- function(table, column, start) {
  found <- table[startsWith(table[[column]], start), , drop = FALSE]
  if (nrow(found) != 1) stop(nrow(found), " rows of ", column, " ", start, call. = FALSE)
  found
}
