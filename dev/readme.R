# Runs the example, puts its output into README.md between the two marks, and the plot that README shows
# above it into man/figures. usage: Rscript dev/readme.R   (`make readme`)
# stale after: fit model inst/example data R/cv-methods.R R/print.R R/assess.R R/importance.R R/weights.R R/plot.R R/plot-weights.R R/plot-margins.R

folder <- file.path(tempdir(), "example-plots")
lines <- system2("Rscript", c("inst/example/breast-tcga.R", folder), stdout = TRUE)
stopifnot(is.null(attr(lines, "status")))
stopifnot(file.copy(file.path(folder, "weights.png"), "man/figures", overwrite = TRUE))
# The folder differs from run to run.
lines <- head(lines, grep("^Plots ", lines) - 1)
while (lines[1] == "") lines <- lines[-1]
while (lines[length(lines)] == "") lines <- lines[-length(lines)]

source("bench/report.R")
commit <- current_commit(stale_paths("dev/readme.R"))
readme <- readLines("README.md")
begin <- grep("^<!-- example: begin", readme)
end <- grep("^<!-- example: end", readme)
stopifnot(length(begin) == 1, length(end) == 1, begin < end)
writeLines(c(readme[seq_len(begin)], sprintf("<!-- commit: %s -->", commit), "```text", lines, "```", "",
             readme[end:length(readme)]), "README.md")
