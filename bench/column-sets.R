# Shared data that have columns, some of packages MASS and ISLR2 and of R: what claims about defaults are
# measured on. Scripts leave out those whose package is not installed.

read_raw_mfeat <- function() {
  data <- read_mfeat()
  data$x <- lapply(data$x, function(z) {
    sweep(sweep(z, 2, attr(z, "scaled:scale"), `*`), 2, attr(z, "scaled:center"), `+`)
  })
  list(x = data$x, y = factor(rep(0:9, each = 200)))
}

read_tumours <- function() {
  read <- function(name) {
    file <- xzfile(file.path(shared_data, "tcga_brca_tkde", paste0(name, ".txt.xz")))
    utils::read.delim(file, row.names = 1, check.names = FALSE)
  }
  views <- c(mrna = "mrna_rank", mirna = "mirna_subset", protein = "protein_subset",
             cnv = "cnv_subset")
  x <- lapply(views, function(name) t(data.matrix(read(name))))
  x$mirna <- log2(x$mirna + 1)
  type <- read("pam50_subset")[rownames(x$mrna), "PAM50"]
  kept <- type != "Normal"
  list(x = lapply(x, function(view) view[kept, ]), y = factor(type[kept]))
}

read_mice <- function() {
  folder <- file.path(shared_data, "nutrimouse")
  x <- lapply(c(gene = "gene", lipid = "lipid"), function(name) {
    as.matrix(utils::read.csv(file.path(folder, paste0(name, ".csv.gz")), row.names = 1))
  })
  list(x = x, y = factor(utils::read.csv(file.path(folder, "labels.csv.gz"))$diet))
}

# Expression and phylogeny of yeast genes; the most frequent function but one against the others.
read_yeast <- function() {
  lines <- strsplit(readLines(file.path(shared_data, "yeast_elisseeff", "yeast_train.svm.gz")), " ")
  x <- t(vapply(lines, function(line) {
    parts <- do.call(rbind, strsplit(line[grepl(":", line, fixed = TRUE)], ":", fixed = TRUE))
    replace(numeric(103), as.integer(parts[, 1]), as.numeric(parts[, 2]))
  }, numeric(103)))
  member <- vapply(lines, function(line) "3" %in% strsplit(line[1], ",")[[1]], NA)
  list(x = list(expression = x[, 1:79], phylogeny = x[, 80:103]), y = factor(member))
}

# A table without incomplete rows, columns that are left out, and the column y.
frame_set <- function(data, y, without = NULL) {
  data <- stats::na.omit(as.data.frame(data)[setdiff(names(data), without)])
  list(x = data[setdiff(names(data), y)], y = data[[y]])
}

# All of them, as functions without arguments that return lists of x and y.
column_sets <- c(
  sapply(c("ionosphere", "sonar", "wdbc", "wpbc", "pima", "heart", "vote", "breast"),
         function(name) function() read_level_set(name)),
  list(
    liver = function() {
      table <- utils::read.csv(file.path(shared_data, "uci_level", "liver.csv"))
      list(x = table[1:6], y = factor(table$selector))
    },
    iris = function() list(x = iris[1:4], y = iris$Species),
    crabs = function() list(x = MASS::crabs[4:8], y = factor(paste(MASS::crabs$sp, MASS::crabs$sex))),
    birthwt = function() {
      data <- MASS::birthwt
      list(x = transform(data[2:9], race = factor(race)), y = factor(data$low))
    },
    mfeat = read_raw_mfeat, digits = function() read_digits(1400), yeast = read_yeast,
    `TCGA, four views` = read_tumours,
    `TCGA, breast_tcga` = function() {
      list(x = breast_tcga$train, y = breast_tcga$subtype_train)
    },
    nutrimouse = read_mice,
    Boston = function() frame_set(MASS::Boston, "medv"),
    cpus = function() frame_set(MASS::cpus[-c(1, 9)], "perf"),
    Cars93 = function() {
      frame_set(stats::na.omit(MASS::Cars93[c("Price", "Type", "MPG.city", "AirBags", "Cylinders",
                                              "EngineSize", "Horsepower", "RPM", "Rev.per.mile",
                                              "Fuel.tank.capacity", "Length", "Width", "Weight",
                                              "Origin")]), "Price")
    },
    mtcars = function() frame_set(mtcars, "mpg"),
    Hitters = function() {
      players <- stats::na.omit(ISLR2::Hitters)
      frame_set(transform(players, Salary = log(Salary)), "Salary")
    },
    Auto = function() frame_set(ISLR2::Auto[names(ISLR2::Auto) != "name"], "mpg")
  )
)

# Further ones, of packages.
more_column_sets <- list(
  Glass = function() frame_set(package_data("Glass", "mlbench"), "Type"),
  Vehicle = function() frame_set(package_data("Vehicle", "mlbench"), "Class"),
  Vowel = function() frame_set(package_data("Vowel", "mlbench"), "Class", "V1"),
  Satellite = function() frame_set(package_data("Satellite", "mlbench"), "classes"),
  DNA = function() frame_set(package_data("DNA", "mlbench"), "Class"),
  spam = function() frame_set(package_data("spam", "kernlab"), "type"),
  musk = function() frame_set(package_data("musk", "kernlab"), "Class"),
  GlaucomaM = function() frame_set(package_data("GlaucomaM", "TH.data"), "Class"),
  cells = function() frame_set(package_data("cells", "modeldata"), "class", "case"),
  ad_data = function() frame_set(package_data("ad_data", "modeldata"), "Class"),
  bodyfat = function() frame_set(package_data("bodyfat", "TH.data"), "DEXfat"),
  concrete = function() frame_set(package_data("concrete", "modeldata"), "compressive_strength"),
  biomass = function() frame_set(package_data("biomass", "modeldata"), "HHV", c("sample", "dataset")),
  meats = function() frame_set(package_data("meats", "modeldata"), "protein", c("water", "fat")),
  Ozone = function() {
    frame_set(transform(package_data("Ozone", "mlbench"), V1 = as.integer(V1)), "V4", c("V2", "V3"))
  },
  UScrime = function() frame_set(MASS::UScrime, "y")
)

# ---- censored times: list(x = views, time, status) ------------------------------------------------

complete <- function(x, time, status) {
  known <- Reduce(`&`, lapply(x, stats::complete.cases)) & !is.na(time)
  list(x = lapply(x, function(view) data.matrix(view[known, , drop = FALSE])), time = time[known],
       status = status[known])
}

# Of package survival: signs that a physician sees, and what the laboratory says.
read_pbc <- function() {
  pbc <- survival::pbc
  pbc$sex <- as.numeric(pbc$sex == "f")
  complete(list(clinical = pbc[c("age", "sex", "ascites", "hepato", "spiders", "edema", "stage")],
                laboratory = log(pbc[c("bili", "albumin", "alk.phos", "ast", "protime", "platelet",
                                       "copper")])),
           pbc$time, as.numeric(pbc$status == 2))
}

# Of package penalized: tumours of the breast (van de Vijver et al. 2002), metastasis-free survival;
# 5 clinical variables and the expression of 70 genes.
read_nki70 <- function() {
  found <- new.env()
  utils::data("nki70", package = "penalized", envir = found)
  nki <- found$nki70
  complete(list(clinical = stats::model.matrix(~ Diam + N + ER + Grade + Age, nki)[, -1],
                expression = nki[8:77]), nki$time, nki$event)
}

# Of package survival: one view of eight columns.
read_veteran <- function() {
  veteran <- survival::veteran
  complete(list(clinical = stats::model.matrix(~ . - time - status, veteran)[, -1]),
           veteran$time, veteran$status)
}

# One table of a package.
read_censored <- function(data, time, status, without = NULL) {
  data <- stats::na.omit(data[setdiff(names(data), without)])
  columns <- stats::model.matrix(~ ., data[setdiff(names(data), c(time, status))])[, -1]
  complete(list(clinical = columns), data[[time]], as.numeric(data[[status]] == max(data[[status]])))
}

censored_sets <- list(
  nki70 = read_nki70, pbc = read_pbc, veteran = read_veteran,
  lung = function() read_censored(survival::lung, "time", "status", c("inst", "meal.cal")),
  GBSG2 = function() read_censored(package_data("GBSG2", "TH.data"), "time", "cens"),
  colon = function() {
    read_censored(survival::colon[survival::colon$etype == 2, ], "time", "status",
                  c("id", "study", "etype", "node4"))
  }
)

# Rows of a table or of a list of views.
pick <- function(x, rows) {
  if (length(dim(x)) == 2) x[rows, , drop = FALSE] else lapply(x, pick, rows)
}

# e1071 takes one table; views are put side by side.
one_table <- function(x) if (is.data.frame(x) || is.matrix(x)) x else do.call(cbind, unname(x))
