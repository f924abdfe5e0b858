# Writes NAMESPACE and man/ from the roxygen comments. The R code is only read: no compiler, and no
# NAMESPACE that works already, is needed.

read_package <- function(path) {
  env <- roxygen2::load_source(path)
  for (file in list.files(file.path(path, "data"), pattern = "[.]rda$", full.names = TRUE)) {
    load(file, envir = env)
  }
  env
}

roxygen2::roxygenise(".", load_code = read_package)
