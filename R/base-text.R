# Words and numbers as they are printed and drawn.

percent <- function(share) sprintf("%5.1f %%", 100 * share)

# A name for every kernel's view, for tables and plots.
view_label <- function(weights) {
  ifelse(is.na(weights$view), "precomputed", weights$view)
}

# A name as code has it, in backticks where it is no word.
code_name <- function(name) deparse1(as.name(name), backtick = TRUE)

# Each number as short as it may be.
format_each <- function(x, digits = 3, ...) vapply(x, format, "", digits = digits, ...)

# What follows the last point of a file's name, in small letters; "" where there is none.
file_ending <- function(file) tolower(sub("^.*?([.]([^./\\\\]*))?$", "\\2", basename(file), perl = TRUE))
