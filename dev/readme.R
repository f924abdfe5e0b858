# Runs the example, puts its output into README.md between the two marks, and its plots into
# man/figures. usage: Rscript dev/readme.R   (`make readme`)

folder <- file.path(tempdir(), "example-plots")
lines <- system2("Rscript", c("inst/example/breast-tcga.R", folder), stdout = TRUE)
stopifnot(is.null(attr(lines, "status")))
plots <- list.files(folder, pattern = "[.]png$")
stopifnot(length(plots) > 0, file.copy(file.path(folder, plots), "man/figures", overwrite = TRUE))
# The folder differs from run to run.
lines <- head(lines, grep("^Plots ", lines) - 1)
while (lines[1] == "") lines <- lines[-1]
while (lines[length(lines)] == "") lines <- lines[-length(lines)]

readme <- readLines("README.md")
begin <- grep("^<!-- example: begin", readme)
end <- grep("^<!-- example: end", readme)
stopifnot(length(begin) == 1, length(end) == 1, begin < end)
shown <- c("weights.png" = "Kernel weights by view", "margins.png" = "Margins of the training samples")
pictures <- sprintf("![%s](man/figures/%s)\n", shown, names(shown))
writeLines(c(readme[seq_len(begin)], "```text", lines, "```", "", pictures,
             readme[end:length(readme)]), "README.md")
