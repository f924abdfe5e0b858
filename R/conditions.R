# Conditions with classes, and the checks that signal them. A message names
# the argument in backticks, says what was expected and what was found.

mk_condition <- function(message, class, kind, argument = NULL, value = NULL, call = NULL,
                         parent = NULL) {
  structure(
    class = c(class, paste0("manykernels_", kind), kind, "condition"),
    list(message = message, call = call, argument = argument, value = value, parent = parent)
  )
}

# parent: the condition that was the reason
mk_abort <- function(message, class, argument = NULL, value = NULL, call = NULL, parent = NULL) {
  stop(mk_condition(message, paste0("manykernels_", class), "error", argument, value, call, parent))
}

mk_warn <- function(message, class, argument = NULL, value = NULL, call = NULL) {
  class <- paste0("manykernels_warning_", class)
  warning(mk_condition(message, class, "warning", argument, value, call))
}

# Warns of a class once for each subject, what the message says up to a colon: the folds of a call meet the
# same kernel.
warn_once <- function(class, code) {
  told <- character()
  withCallingHandlers(code, warning = function(w) {
    if (!inherits(w, paste0("manykernels_warning_", class))) return(invisible())
    subject <- sub(":.*", "", conditionMessage(w))
    if (subject %in% told) invokeRestart("muffleWarning")
    told <<- c(told, subject)
  })
}

mk_inform <- function(message, class, argument = NULL, value = NULL, call = NULL) {
  class <- paste0("manykernels_message_", class)
  message(mk_condition(paste0(message, "\n"), class, "message", argument, value, call))
}

# The value of a user's function. Its errors become parents of errors of the package; all other
# conditions pass. what: words for the message, such as "The function of kernel `f`"
call_user <- function(value, what, class, argument) {
  withCallingHandlers(value, error = function(e) {
    mk_abort(sprintf("%s failed: %s", what, conditionMessage(e)), class, argument, parent = e)
  })
}

# "`C` must be a positive finite number, not -1."
abort_argument <- function(x, argument, expected) {
  mk_abort(
    sprintf("`%s` must be %s, not %s.", argument, expected, describe(x)),
    "invalid_argument", argument, x
  )
}

# A few words for any R object.
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (typeof(x) == "externalptr") return("an external pointer")
  if (is.factor(x)) return(sprintf("a factor of length %d", length(x)))
  if (is.environment(x)) return("an environment")
  if (is.language(x)) return(if (is.symbol(x)) "a name" else "a call or an expression")
  kind <- if (is.double(x)) "numeric" else typeof(x)
  if (length(dim(x)) > 1L && is.atomic(x)) {
    size <- paste(dim(x), collapse = " x ")
    return(sprintf("a %s %s %s", size, kind, if (is.matrix(x)) "matrix" else "array"))
  }
  if (inherits(x, "censored_times")) return("censored times")
  if (is.object(x)) return(sprintf("an object of class \"%s\"", class(x)[1L]))
  if (is.atomic(x) && length(x) == 1L) return(format_scalar(x))
  kind <- if (is.list(x)) "list" else paste(kind, "vector")
  sprintf("%s %s of length %s", if (grepl("^[aeiou]", kind)) "an" else "a", kind,
          format(length(x), big.mark = ","))
}

format_scalar <- function(x) if (is.character(x) && !is.na(x)) dQuote(x, FALSE) else format(x)

# "1 kernel", "3 kernels"
count_of <- function(n, noun, plural = paste0(noun, "s")) {
  paste(format(n, big.mark = ",", trim = TRUE, scientific = FALSE), if (n == 1) noun else plural)
}

# "`a`, `b`, `c` and 5 more"
enumerate <- function(x, most = 3L) {
  shown <- paste0("`", utils::head(x, most), "`", collapse = ", ")
  if (length(x) > most) sprintf("%s and %d more", shown, length(x) - most) else shown
}

# A row by its name if it has one, else by its number.
row_text <- function(row, names) {
  if (length(names) && nzchar(names[[row]])) sprintf("`%s`", names[[row]]) else format(row)
}

# "a, b, c, and 5 more"
listed <- function(parts, most = 10L) {
  more <- length(parts) - most
  paste(c(utils::head(parts, most), if (more > 0) sprintf("and %d more", more)), collapse = ", ")
}

# "a positive finite number", "numbers in [1, Inf]"
range_text <- function(lower, upper, lower_open, upper_open, allow_inf, several = FALSE) {
  number <- if (several) "numbers" else "number"
  finite <- if (allow_inf) "" else "finite "
  text <- if (upper == Inf && lower == 0) {
    paste0(if (lower_open) "positive " else "non-negative ", finite, number)
  } else if (upper == Inf && lower == -Inf) {
    paste0(finite, number)
  } else {
    open_end <- upper_open || (upper == Inf && !allow_inf)
    sprintf("%s in %s%s, %s%s", number, if (lower_open) "(" else "[", format(lower),
            format(upper), if (open_end) ")" else "]")
  }
  if (several) text else paste("a", text)
}

# missing: whether arguments without a default were left out, named by argument.
check_given <- function(missing) {
  if (!any(missing)) return(invisible())
  name <- names(missing)[missing][1L]
  mk_abort(sprintf("`%s` must be given.", name), "invalid_argument", name)
}

# A vector of numbers, every one in the range; the message shows the first that isn't.
check_numbers <- function(x, argument, lower = -Inf, upper = Inf, lower_open = FALSE,
                          upper_open = FALSE, allow_inf = FALSE, several = TRUE) {
  refuse <- function(found) {
    expected <- range_text(lower, upper, lower_open, upper_open, allow_inf, several)
    abort_argument(found, argument, expected)
  }
  if (!is.numeric(x) || is.object(x) || length(x) == 0L || (!several && length(x) != 1L)) refuse(x)
  inside <- !is.na(x) & (allow_inf | is.finite(x)) &
    (if (lower_open) x > lower else x >= lower) & (if (upper_open) x < upper else x <= upper)
  if (!all(inside)) refuse(x[!inside][1L])
  as.double(x)
}

check_number <- function(x, argument, ...) check_numbers(x, argument, ..., several = FALSE)

# Whole numbers, as integers, or as doubles where they may be larger.
# Numbers in rising order, none of them twice.
check_distinct <- function(x, argument, ...) {
  x <- check_numbers(x, argument, ...)
  if (anyDuplicated(x)) {
    mk_abort(sprintf("`%s` must have different values, but has %s twice.", argument,
                     format(x[duplicated(x)][1])), "invalid_argument", argument, x)
  }
  sort(x)
}

check_counts <- function(x, argument, lower = 1L, upper = .Machine$integer.max, several = TRUE) {
  number <- if (several) "whole numbers" else "a whole number"
  expected <- if (upper < .Machine$integer.max) {
    sprintf("%s from %d to %d", number, lower, upper)
  } else if (lower == 1L) {
    if (several) "positive whole numbers" else "a positive whole number"
  } else {
    sprintf("%s >= %d", number, lower)
  }
  if (!is.numeric(x) || is.object(x) || length(x) == 0L || (!several && length(x) != 1L)) {
    abort_argument(x, argument, expected)
  }
  inside <- is.finite(x) & x == round(x) & x >= lower & x <= upper
  if (!all(inside)) abort_argument(x[!inside][1L], argument, expected)
  if (upper > .Machine$integer.max) as.double(x) else as.integer(x)
}

check_count <- function(x, argument, ...) check_counts(x, argument, ..., several = FALSE)

# R prints at most 22 digits.
check_digits <- function(digits) check_count(digits, "digits", upper = 22L)

check_flag <- function(x, argument) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) abort_argument(x, argument, "TRUE or FALSE")
  as.vector(x)
}

check_string <- function(x, argument) {
  if (!is.character(x) || length(x) != 1L || is.na(x) || !nzchar(x)) {
    abort_argument(x, argument, "one non-empty string")
  }
  as.vector(x)
}

# Refuses a file's name that ends in what is not written there. A number is no ending, as in "width_0.5".
check_ending <- function(file, own, why) {
  ending <- file_ending(file)
  if (grepl("^[0-9]*$", ending) || ending == own) return(invisible())
  mk_abort(sprintf("`file` must end in .%s or have no ending, not in .%s: %s.", own, ending, why),
           "invalid_argument", "file", file)
}

# One of the choices; the vector of choices itself (a default) means the first.
check_choice <- function(x, choices, argument) {
  if (identical(x, choices)) return(choices[1L])
  if (!is.character(x) || length(x) != 1L || !x %in% choices) {
    abort_argument(x, argument, choices_text(choices))
  }
  as.vector(x)
}

choices_text <- function(choices) {
  paste0("one of ", paste(dQuote(choices, FALSE), collapse = ", "))
}

# Whether a function can be called with two values.
takes_two <- function(f) is.primitive(f) || length(formals(f)) >= 2L || "..." %in% names(formals(f))

# expected: words for the message, such as "a kernel set made by the constructors"
check_class <- function(x, class, argument, expected) {
  if (!inherits(x, class)) abort_argument(x, argument, expected)
  x
}

# The function of a user's call, for code in messages: mkl() unless another one that fits began it.
called_function <- function() {
  fits <- c("cv_mkl", "mkl_path", "mkl_gomp", "mllkm", "mkl_sequential", "mkl")
  for (frame in seq_len(sys.nframe())) for (name in fits) {
    if (identical(sys.function(frame), get(name, topenv()))) return(name)
  }
  "mkl"
}

# Arguments that no method takes are most often misspelt, or those of other packages.
check_dots_empty <- function(..., .hints = NULL) {
  if (...length() == 0L) return(invisible())
  given <- ...names()
  argument <- if (is.null(given) || !nzchar(given[1L])) "..." else given[1L]
  # a hint may look at the value, but what it was may not exist
  value <- tryCatch(...elt(1L), error = function(e) NULL)
  mk_abort(
    sprintf("`%s` is not an argument here%s.", argument,
            if (argument == "...") " (an unnamed value was given)" else
              hint_text(.hints, argument, value)),
    "invalid_argument", argument, value
  )
}

# ": the weight of the loss is `C`", or "".
hint_text <- function(hints, argument, value) {
  hint <- if (nzchar(argument)) hints[[argument, exact = TRUE]]
  if (is.null(hint)) return("")
  paste0(": ", if (is.function(hint)) hint(value) else hint)
}

abort_unsupported <- function(argument, message, value = NULL) {
  mk_abort(message, "unsupported", argument, value)
}
