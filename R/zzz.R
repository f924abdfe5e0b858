.onUnload <- function(libpath) {
  library.dynam.unload("manykernels", libpath)
}
