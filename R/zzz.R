# A worker may load the package after it was forked by a parent in which another package has started threads.
# The core can't detect this, so package parallel is asked.
.onLoad <- function(libname, pkgname) {
  register_earlier_fits()
  when_loaded("parsnip", register_parsnip)
  when_loaded("mlr3", register_mlr3)
  when_loaded("vip", register_vip)
  if (!isNamespaceLoaded("parallel")) return(invisible())
  is_child <- get0("isChild", asNamespace("parallel"), mode = "function")
  if (!is.null(is_child) && isTRUE(is_child())) .Call(C_mk_stay_alone)
}

# Calls `action` now, if the package is loaded, and whenever it is. Errors, as after changes of that package,
# must not keep this one from loading.
when_loaded <- function(package, action) {
  attempt <- function(...) {
    tryCatch(action(), error = function(e) {
      warning(sprintf("manykernels could not register with %s: %s", package, conditionMessage(e)),
              call. = FALSE)
    })
  }
  if (isNamespaceLoaded(package)) attempt()
  setHook(packageEvent(package, "onLoad"), attempt)
}

.onUnload <- function(libpath) {
  library.dynam.unload("manykernels", libpath)
}

# ---- objects without their parent classes --------------------------------------------------------

# Registers methods of parent classes for the classes of objects that earlier versions saved, too.
register_earlier_fits <- function() {
  here <- asNamespace("manykernels")
  for (class in names(parent_classes)) for (parent in rev(parent_classes[[class]])) {
    for (name in ls(here, pattern = sprintf("[.]%s$", parent))) {
      generic <- substr(name, 1L, nchar(name) - nchar(parent) - 1L)
      own <- exists(paste0(generic, ".", class), here, inherits = FALSE)
      if (!own) register_earlier(generic, class, get(name, here))
    }
  }
}

# Generics of packages that may not be there.
suggested_generics <- c(tidy = "generics", glance = "generics", augment = "generics",
                        autoplot = "ggplot2", yhat = "DALEX", model_info = "DALEX")

register_earlier <- function(generic, class, method) {
  # registering may be put off until a package is loaded
  force(generic)
  force(class)
  force(method)
  register <- function(package) registerS3method(generic, class, method, asNamespace(package))
  if (generic %in% names(suggested_generics)) {
    package <- suggested_generics[[generic]]
    return(when_loaded(package, function() register(package)))
  }
  register(if (exists(generic, asNamespace("manykernels"), inherits = FALSE)) "manykernels" else "stats")
}
