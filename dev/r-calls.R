# Who uses whom among the definitions of R/, read from the sources alone: writes "user definer name" by
# line, where both are files. A use is a call, a function that is passed on or a constant. Calls of a
# method by its generic are none, as no file says which method it will be.
# usage: Rscript dev/r-calls.R folder

folder <- commandArgs(trailingOnly = TRUE)

is_call_of <- function(e, name) is.call(e) && identical(e[[1]], as.name(name))

# Arguments and local functions, which hide functions of the package in calls.
own_functions <- function(e) {
  if (!is.recursive(e)) return(character())
  own <- if (is_call_of(e, "function")) names(e[[2]]) else
    if (is_call_of(e, "<-") && is_call_of(e[[3]], "function")) as.character(e[[2]])
  c(own, unlist(lapply(as.list(e), own_functions)))
}

# Functions by the names that calls give them. R looks for a function there even if a local variable has
# the same name, where codetools sees the variable.
called <- function(e) {
  if (!is.recursive(e) || is_call_of(e, "quote") || is_call_of(e, "~")) return(character())
  c(if (is.call(e) && is.name(e[[1]])) as.character(e[[1]]), unlist(lapply(as.list(e), called)))
}

# One top-level expression: what it defines, and the names that it uses.
read_definition <- function(e) {
  is_definition <- is_call_of(e, "<-") && is.name(e[[2]])
  value <- if (is_definition) e[[3]] else e
  f <- if (is_call_of(value, "function")) eval(value, baseenv()) else
    as.function(list(value), envir = baseenv())
  list(name = if (is_definition) as.character(e[[2]]) else "",
       uses = c(suppressWarnings(codetools::findGlobals(f)),
                setdiff(called(value), own_functions(value))))
}

files <- list.files(folder, pattern = "[.]R$", full.names = TRUE)
definitions <- lapply(files, function(file) lapply(parse(file, keep.source = FALSE), read_definition))
user <- rep(files, lengths(definitions))
definitions <- unlist(definitions, recursive = FALSE)
names <- vapply(definitions, `[[`, "", "name")
definer <- stats::setNames(user, names)[nzchar(names)]
for (k in seq_along(definitions)) {
  used <- intersect(definitions[[k]]$uses, names(definer))
  other <- definer[used] != user[k]
  if (any(other)) writeLines(paste(user[k], definer[used], used)[other])
}
