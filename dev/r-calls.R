# Who uses whom among the definitions of R/, read from the sources alone: writes "user definer name" by
# line, where both are files. A use is a call, a function that is passed on or a constant. Calls of a
# method by its generic are none, as no file says which method it will be.
# usage: Rscript dev/r-calls.R R [tests/testthat]
# With the folder of tests their uses, too. What a test or a helper file defines itself is none; the package's
# whole namespace, from which anything can be taken, is one of the name asNamespace.

folders <- commandArgs(trailingOnly = TRUE)

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
  if (is_call_of(e, ":::")) return(as.character(e[[3]]))
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

# A list by file of its definitions.
read_folder <- function(folder) {
  files <- list.files(folder, pattern = "[.]R$", full.names = TRUE)
  lapply(stats::setNames(nm = files), function(file) {
    lapply(parse(file, keep.source = FALSE), read_definition)
  })
}
names_of <- function(definitions) vapply(definitions, `[[`, "", "name")

sources <- read_folder(folders[1])
definer <- stats::setNames(rep(names(sources), lengths(sources)), unlist(lapply(sources, names_of)))
definer <- definer[nzchar(names(definer))]

# own: names that are not the package's.
tell_uses <- function(files, own = character()) {
  for (user in names(files)) {
    used <- intersect(unlist(lapply(files[[user]], `[[`, "uses")), names(definer))
    if (length(own)) used <- setdiff(used, c(names_of(files[[user]]), own))
    used <- used[definer[used] != user]
    if (length(used)) writeLines(paste(user, definer[used], used))
  }
}
tell_uses(sources)
if (length(folders) > 1) {
  tests <- read_folder(folders[2])
  tell_uses(tests, unlist(lapply(tests[startsWith(basename(names(tests)), "helper")], names_of)))
  whole <- vapply(names(tests), function(file) {
    any(grepl("(as|get)Namespace\\([\"']manykernels|getFromNamespace", readLines(file)))
  }, NA)
  if (any(whole)) writeLines(paste(names(tests)[whole], "NAMESPACE", "asNamespace"))
}
