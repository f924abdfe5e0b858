# Writes NAMESPACE and man/ from the roxygen comments; their inline code takes numbers from
# bench/results by the functions of bench/generated.R. The R code is only read: no compiler, and no
# NAMESPACE that works already, is needed. Imported packages are not attached: Matrix would hide
# print() and the like behind S4 generics, and their methods would not be seen as S3 methods.

read_package <- function(path) {
  env <- new.env(parent = globalenv())
  methods::setPackageName("manykernels", env)
  for (file in list.files(file.path(path, "R"), pattern = "[.]R$", full.names = TRUE)) {
    sys.source(file, envir = env)
  }
  for (file in list.files(file.path(path, "data"), pattern = "[.]rda$", full.names = TRUE)) {
    load(file, envir = env)
  }
  env
}

source("bench/generated.R")
roxygen2::roxygenise(".", load_code = read_package)
