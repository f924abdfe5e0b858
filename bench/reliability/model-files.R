# Files of write_model() for fits of every class with each value (of 250, or of PLACES) in them replaced,
# shortened, removed or made infinite: read_model() refuses the file, or the model predicts, or says by
# a classed error what new rows lack. Prints lines for bench/reliability.md, and to the error stream
# what failed.
# usage: Rscript bench/reliability/model-files.R [fits, such as mkl,gomp [PLACES]]

suppressMessages(library(manykernels))
source("tests/testthat/helper-objects.R")
only <- strsplit(commandArgs(trailingOnly = TRUE)[1], ",")[[1]]

made <- suppressMessages(fits_of_every_class())
new <- made$x[1:3, ]

# What each damaged file ends in: "refused", "predicts", "told" what rows lack, or the text of a failure.
outcome <- function(content) {
  writeLines(jsonlite::toJSON(content, auto_unbox = TRUE, digits = NA, null = "null"), path)
  model <- tryCatch(read_model(path), error = identity)
  if (inherits(model, "manykernels_model_file")) return("refused")
  if (!inherits(model, "mkl_model")) return(conditionMessage(model))
  problem <- problem_of(function(model) {
    print(model)
    kernel_weights(model)
    stats::predict(model, if (is.null(model$fit$terms)) new else data.frame(new), type = "decision")
  }, model)
  if (is.null(problem)) return("predicts")
  told <- inherits(problem, "manykernels_error") && !inherits(problem, "manykernels_core")
  if (told) "told" else paste("after reading:", conditionMessage(problem))
}

most_places <- as.integer(commandArgs(trailingOnly = TRUE)[2]) # models of several classes repeat those of one
if (is.na(most_places)) most_places <- 250L
path <- tempfile(fileext = ".json")
failed_total <- 0L
for (name in if (anyNA(only)) setdiff(names(made$fits), "path") else only) {
  content <- jsonlite::parse_json(paste(readLines(write_model(made$fits[[name]], path)), collapse = "\n"))
  places <- tree_places(content$object)
  set.seed(1)
  places <- places[sort(sample.int(length(places), min(length(places), most_places)))]
  ends <- character()
  for (place in places) {
    for (damage in damaged_values(value_at(content$object, place))) {
      own <- content
      own$object <- replace_at(own$object, place, damage)
      end <- outcome(own)
      if (!end %in% c("refused", "predicts")) {
        message(sprintf("%s, %s, %s: %s", name, paste(unlist(place), collapse = " "),
                        substr(jsonlite::toJSON(damage, auto_unbox = TRUE, null = "null"), 1, 80), end))
      }
      ends <- c(ends, end)
    }
  }
  failed <- sum(!ends %in% c("refused", "predicts", "told"))
  cat(sprintf("| damaged model files of %s: %d refused, %d predict as well, %d tell what rows lack | %d | %d |\n",
              name, sum(ends == "refused"), sum(ends == "predicts"), sum(ends == "told"), length(ends), failed))
  failed_total <- failed_total + failed
}
quit(status = as.integer(failed_total > 0L))
