# Proteins of TargetP 2 and their kernels, for localization.R and table-1.R: motif kernels on parts of the
# sequence and Gaussians on profiles. Needs data.R.

letters20 <- strsplit("ACDEFGHIKLMNPQRSTVWY", "")[[1]]

# As many rows of the largest class as the paper's data have, about. Proteins of the thylakoid lumen (luTP)
# are counted with the chloroplast's, as in the paper's four classes: they enter by a chloroplast transit
# peptide, and were not told apart in its data.
read_proteins <- function(plant, rows) {
  table <- utils::read.delim(gzfile(file.path(shared_data, "targetp2", "targetp2.tsv.gz")))
  table <- table[table$plant == plant, ]
  table$class[table$class == "luTP"] <- "cTP"
  set.seed(1)
  rest <- which(table$class == "noTP")
  table <- table[c(which(table$class != "noTP"), sample(rest, round(length(rest) / 6))), ]
  table <- table[sample(nrow(table), min(rows, nrow(table))), ]
  table <- table[table$class %in% names(which(table(table$class) >= 15)), ]
  list(x = list(sequence = table$seq, profile = profile_of(table$seq)), y = factor(table$class))
}

# Amino acid composition, hydrophobicity (Kyte and Doolittle) and charge along the first 60 positions.
hydrophobicity <- c(1.8, 2.5, -3.5, -3.5, 2.8, -0.4, -3.2, 4.5, -3.9, 3.8, 1.9, -3.5, -1.6, -3.5, -4.5,
                    -0.8, -0.7, 4.2, -0.9, -1.3)
charge <- stats::setNames(numeric(20), letters20)
charge[c("K", "R", "D", "E")] <- c(1, 1, -1, -1)
profile_of <- function(sequences) {
  words <- strsplit(sequences, "")
  composition <- t(vapply(words, function(w) tabulate(match(w, letters20), 20) / length(w), numeric(20)))
  colnames(composition) <- letters20
  along <- function(scale) {
    t(vapply(words, function(w) {
      values <- scale[match(w[1:60], letters20)]
      values[is.na(values)] <- 0
      colMeans(matrix(values, 6))
    }, numeric(10)))
  }
  water <- along(hydrophobicity)
  charges <- along(charge)
  colnames(water) <- paste0("hydrophobicity", 1:10)
  colnames(charges) <- paste0("charge", 1:10)
  cbind(composition, water, charges)
}

protein_kernels <- c(
  on_view(protein_motif_kernels(), "sequence"),
  on_view(on_features(gaussian_kernel(c(10, 40)), list(
    composition = letters20, hydrophobicity = paste0("hydrophobicity", 1:10),
    charge = paste0("charge", 1:10)
  )), "profile")
)
