# A worker may load the package after it was forked by a parent whose threads another package has
# started: the core can't see that.
.onLoad <- function(libname, pkgname) {
  if (!isNamespaceLoaded("parallel")) return(invisible())
  is_child <- get0("isChild", asNamespace("parallel"), mode = "function")
  if (!is.null(is_child) && isTRUE(is_child())) .Call(C_mk_stay_alone)
}

.onUnload <- function(libpath) {
  library.dynam.unload("manykernels", libpath)
}
