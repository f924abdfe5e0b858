# Makes data/promoters.rda from the table in ../shared/data/uci_promoter (UCI Machine Learning
# Repository, CC BY 4.0). Run from the package root: Rscript data-raw/promoters.R [folder of the table]

folder <- c(commandArgs(trailingOnly = TRUE), "../shared/data/uci_promoter")[1]
table <- read.delim(file.path(folder, "promoter.tsv"))
stopifnot(nrow(table) == 106, table$class %in% c("+", "-"), nchar(table$seq) == 57)
promoters <- data.frame(
  sequence = toupper(table$seq),
  class = factor(ifelse(table$class == "+", "promoter", "other"), levels = c("other", "promoter"))
)
save(promoters, file = "data/promoters.rda", compress = "xz", version = 2)
