# Sequence data of the benchmarks and measures of rankings, for splice.R, table-1.R, tss.R and strings.R.

# Windows of 141 bases of C. elegans around AG, which are acceptor splice sites (3.3 %) or not:
# `positives` and `negatives` of them, drawn by `seed` in one random order.
read_acceptors <- function(positives, negatives, seed = 1) {
  file <- file.path(shared_data, "celegans_splice", "celegans_acceptor_100000.tsv.bz2")
  table <- utils::read.delim(file)
  set.seed(seed)
  rows <- c(sample(which(table$label == 1), positives), sample(which(table$label == -1), negatives))
  rows <- sample(rows)
  list(x = substr(table$seq[rows], 138, 278),
       y = factor(table$label[rows] == 1, labels = c("decoy", "splice")))
}

# Junctions of exon and intron (EI), of intron and exon (IE), and neither (N); 60 bases.
read_junctions <- function() {
  table <- utils::read.delim(file.path(shared_data, "uci_splice", "splice.tsv"))
  list(x = table$seq, y = factor(table$class))
}

# Promoters of E. coli and other windows, 57 bases.
read_bacterial_promoters <- function() {
  table <- utils::read.delim(file.path(shared_data, "uci_promoter", "promoter.tsv"))
  list(x = table$seq, y = factor(table$class == "+", labels = c("other", "promoter")))
}

fasta_sequences <- function(file) {
  lines <- readLines(file)
  head <- startsWith(lines, ">")
  unname(vapply(split(lines[!head], cumsum(head)[!head]), paste, "", collapse = ""))
}

# Windows from 200 bases before to 50 after a transcription start, and pieces of genes as long.
read_promoters <- function(species) {
  files <- list(mouse = list(c("Mouse_tata", "Mouse_tata_dbtss"), "Mouse_nonprom"),
                arabidopsis = list(c("Arabidopsis_tata", "Arabidopsis_non_tata"),
                                   "Arabidopsis_non_prom_big"))[[species]]
  read <- function(names) {
    paths <- file.path(shared_data, "promoter_umarov", paste0(names, ".fa.gz"))
    x <- unique(toupper(unlist(lapply(paths, fasta_sequences))))
    x[nchar(x) == 251]
  }
  starts <- read(files[[1]])
  genes <- setdiff(read(files[[2]]), starts)
  list(x = c(starts, genes),
       y = factor(rep(c("start", "gene"), c(length(starts), length(genes))), c("gene", "start")))
}

# ---- rankings ------------------------------------------------------------------------------------

# Areas under the curves of a ranking by decision values; the second level is positive.
ranking_measures <- function(decision, y) {
  positive <- (y == levels(y)[2])[order(-decision)]
  rank <- rank(decision)
  n <- c(sum(!positive), sum(positive))
  c(auROC = (sum(rank[y == levels(y)[2]]) - n[2] * (n[2] + 1) / 2) / prod(n),
    auPRC = mean(cumsum(positive)[positive] / which(positive)))
}

# "0.951 +- 0.002" of several runs, "0.951" of one.
mean_text <- function(values, digits = 3) {
  if (length(values) == 1) return(sprintf("%.*f", digits, values))
  sprintf("%.*f +- %.*f", digits, mean(values), digits, stats::sd(values) / sqrt(length(values)))
}
