# Objects that a constructor of the package made: the version of their form, and their making anew,
# since they may have been changed by hand.

# The form of fits that are saved. A change of fields that matters to methods raises it.
model_version <- 1L

# Kernels, norms, losses and settings have it as an attribute; the first ones were made without.
check_form <- function(x, argument) {
  check_version(attr(x, "version", exact = TRUE) %||% 1L, argument, "make it again")
}

check_version <- function(version, argument, remedy = "fit it again") {
  if (is.integer(version) && identical(as.vector(version), model_version)) return(invisible())
  known <- is.integer(version) && length(version) == 1L && !is.na(version)
  later <- known && version > model_version
  problem <- if (is.null(version)) {
    sprintf("`%s` lacks its `version`, so its form isn't known", argument)
  } else if (!known) {
    sprintf("the `version` of `%s` must be an integer such as 1L, not %s", argument, describe(version))
  } else {
    sprintf("`%s` was made by %s version of manykernels (its form is %s, this version's is %d)",
            argument, if (later) "a later" else "an earlier", describe(version), model_version)
  }
  mk_abort(sprintf("%s: %s.", problem, if (later) "install that version" else remedy),
           c("version", "invalid_object", "invalid_argument"), argument, version)
}

# An object of ours may have been made or changed by hand: it is made again from its fields by its
# constructor, whose checks it must pass. Where NULL is the default, `x$field <- NULL` left none.
remade <- function(x, make, argument, by) {
  check_form(x, argument)
  fields <- own_fields(x)
  as_made({
    known <- as.list(formals(make))
    known$... <- NULL
    optional <- lengths(known) == 0L
    check_fields(fields, names(known)[!optional], names(known)[optional])
    do.call(make, fields, quote = TRUE)
  }, argument, by)
}

own_fields <- function(x) if (is.environment(x)) x else unclass(x)

# Signals what the checks of a constructor find as an error about the object as a whole.
as_made <- function(expr, argument, by) {
  withCallingHandlers(expr, manykernels_error = function(e) {
    mk_abort(sprintf("`%s` is not as %s makes it: %s", argument, by, conditionMessage(e)),
             "invalid_argument", argument, e$value)
  })
}

check_fields <- function(fields, needed, optional = character()) {
  refuse <- function(...) mk_abort(sprintf(...), "invalid_argument")
  if (!is.list(fields)) refuse("It must be a list, not %s.", describe(fields))
  given <- names(fields)
  lacking <- needed[!needed %in% given]
  if (length(lacking)) refuse("It lacks %s.", enumerate(lacking))
  unknown <- c(setdiff(given, c(needed, optional)), given[duplicated(given)])
  if (length(unknown)) refuse("It must not have %s.", enumerate(unknown))
}

# TRUE if checks, which may signal any condition, find no fault.
passes <- function(check) {
  tryCatch({
    check
    TRUE
  }, error = function(e) FALSE)
}
