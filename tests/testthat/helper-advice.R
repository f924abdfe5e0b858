# The advice that messages give, as the code of the package has it, and what tries one.

# Texts of the package's functions and lists, each with all that paste() and sprintf() put together.
package_texts <- function() {
  namespace <- asNamespace("manykernels")
  joins <- c("paste", "paste0", "sprintf")
  is_join <- function(code) is.call(code) && is.name(code[[1]]) && as.character(code[[1]]) %in% joins
  parts <- function(code) Filter(function(part) !identical(part, quote(expr = )), as.list(code))
  joined <- function(code) {
    arguments <- parts(code)[-1]
    if (!is.null(names(arguments))) arguments <- arguments[!names(arguments) %in% c("collapse", "sep")]
    paste(unlist(lapply(arguments, function(one) {
      if (is.character(one)) one else if (is_join(one)) joined(one)
    })), collapse = " ")
  }
  texts <- function(code, inside = FALSE) {
    if (is.character(code)) return(if (!inside) code)
    if (is.function(code)) return(c(texts(as.list(formals(code))), texts(body(code))))
    if (is.list(code)) return(unlist(lapply(parts(code), texts)))
    if (!is.call(code)) return(NULL)
    join <- is_join(code)
    c(if (join && !inside) joined(code), unlist(lapply(parts(code)[-1], function(one) {
      texts(one, inside = join && (is.character(one) || is_join(one)))
    })))
  }
  found <- lapply(ls(namespace, all.names = TRUE), function(name) {
    value <- get(name, namespace)
    # hints have a test of their own
    if (is.function(value)) texts(value) else if (is.character(value)) value
  })
  unique(gsub("[[:space:]]+", " ", unlist(found)))
}

# Those that say what to do: by a verb at the start of a clause, or by code to write.
advice_texts <- function() {
  verbs <- paste("give", "use", "leave", "make", "take", "fit", "set", "remove", "install", "try", "see", "choose",
                 "rescale", "check", "cut", "say", "write", "keep", "call", "subtract", "name", "train", "start",
                 "delete", "impute", "put", "don't", "is it", sep = "|")
  pattern <- sprintf(paste0("(^|[.:;,] |, or |, and |, best )(%s)\\b|as by|as in `|",
                            "`[^`%%]*\\w\\(|`[^`%%]* = [^`]*`|[a-z]_[a-z]+\\(\\)"), verbs)
  texts <- package_texts()
  a_class <- grepl("^(made by )?[a-z_]+\\(\\)$", texts) # what an argument must be
  texts[nchar(texts) > 10 & !a_class & grepl(pattern, texts, ignore.case = TRUE, perl = TRUE)]
}

# What the cases of a file say, those in tests that are skipped, too.
advice_cases <- function(file) {
  says <- function(code) {
    if (!is.call(code) && !is.expression(code)) return(NULL)
    own <- if (identical(code[[1]], as.name("try_advice"))) code[[2]]
    c(own, unlist(lapply(Filter(function(part) !identical(part, quote(expr = )), as.list(code)), says)))
  }
  says(parse(file, keep.source = FALSE))
}

# `wrong` signals a condition of the package, or prints something, that says `says`; `right` does what it says, and leads to a
# value, a fit that is certified where it is one, without being told so again.
try_advice <- function(says, wrong, right, needs = NULL) {
  if (!all(vapply(needs, requireNamespace, NA, quietly = TRUE))) return(invisible())
  here <- parent.frame()
  heard <- conditions_of(eval(substitute(wrong), new.env(parent = here)))$messages
  testthat::expect(any(grepl(says, heard, fixed = TRUE)),
                   sprintf("Nothing says \"%s\", but: %s", says, paste(heard, collapse = " / ")))
  after <- conditions_of(eval(substitute(right), new.env(parent = here)))
  testthat::expect(!any(grepl(says, after$messages, fixed = TRUE)), sprintf("\"%s\" is said again.", says))
  testthat::expect(is.null(after$error) && !is.null(after$value),
                   sprintf("\"%s\" leads to: %s", says, after$error))
  if (inherits(after$value, "mkl") && !inherits(after$value, "mkl_gomp")) testthat::expect_true(after$value$converged)
}

# The value of code or its error, and what it said on the way: the messages of all conditions of the package,
# and what it printed.
conditions_of <- function(code) {
  messages <- character()
  value <- error <- NULL
  note <- function(condition) {
    if (any(grepl("^manykernels_", class(condition)))) {
      messages <<- c(messages, gsub("[[:space:]]+", " ", conditionMessage(condition)))
    }
    if (inherits(condition, "message")) invokeRestart("muffleMessage")
    if (inherits(condition, "warning")) invokeRestart("muffleWarning")
  }
  printed <- utils::capture.output(tryCatch(value <- withCallingHandlers(code, condition = note),
                                            error = function(e) error <<- conditionMessage(e)))
  printed <- gsub("[[:space:]]+", " ", paste(printed, collapse = " "))
  list(value = value, error = error, messages = c(messages, printed))
}
