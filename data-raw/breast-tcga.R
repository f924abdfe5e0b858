# Makes data/breast_tcga.rda from the tables in ../shared/data/tcga_brca_mixomics
# (the breast.TCGA set of the mixOmics package, GPL (>= 2); TCGA open access).
# Run from the package root: Rscript data-raw/breast-tcga.R [folder of the tables]

folder <- c(commandArgs(trailingOnly = TRUE), "../shared/data/tcga_brca_mixomics")[1]

# Four digits are more than the measurements have, and a third of the size.
digits <- 4

read_view <- function(name) {
  table <- read.csv(file.path(folder, paste0(name, ".csv.gz")), row.names = 1, check.names = FALSE)
  signif(as.matrix(table), digits)
}

subtypes <- c("Basal", "Her2", "LumA")
read_subtype <- function(name, samples) {
  table <- read.csv(file.path(folder, paste0(name, ".csv.gz")), stringsAsFactors = FALSE)
  stopifnot(setequal(table$id, samples), table$subtype %in% subtypes)
  factor(table$subtype[match(samples, table$id)], levels = subtypes)
}

train <- lapply(c(mirna = "train_mirna", mrna = "train_mrna", protein = "train_protein"), read_view)
test <- lapply(c(mirna = "test_mirna", mrna = "test_mrna"), read_view)
samples <- rownames(train$mirna)
test_samples <- rownames(test$mirna)

same_columns <- function(view) identical(colnames(train[[view]]), colnames(test[[view]]))
stopifnot(
  vapply(train, function(view) identical(rownames(view), samples), logical(1)),
  vapply(test, function(view) identical(rownames(view), test_samples), logical(1)),
  vapply(names(test), same_columns, logical(1)),
  !anyNA(train, recursive = TRUE), !anyNA(test, recursive = TRUE),
  !anyDuplicated(c(samples, test_samples))
)

breast_tcga <- list(
  train = train,
  test = test,
  subtype_train = read_subtype("train_subtype", samples),
  subtype_test = read_subtype("test_subtype", test_samples)
)
str(breast_tcga, give.attr = FALSE)
save(breast_tcga, file = "data/breast_tcga.rda", compress = "xz", version = 2)
