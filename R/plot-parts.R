# Parts that all plots share: colours, figures, axes, and names that fit.

ink <- list(text = "grey15", soft = "grey45", line = "grey70", grid = "grey90")

# Colours safe for colour-blind readers (Okabe and Ito, without yellow and black). Beyond seven they repeat,
# and lines, symbols or shades differ.
palette_colours <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7F7F7F")
view_colours <- function(k) rep_len(palette_colours, k)
cycled <- function(values, k) rep_len(rep(values, each = length(palette_colours)), k)
line_types <- function(k) cycled(c(1, 5, 3, 6), k)
point_types <- function(k) cycled(c(16, 17, 15, 18), k)
area_colours <- function(k) mapply(lighten, view_colours(k), cycled(c(0.8, 0.5, 0.65), k), USE.NAMES = FALSE)

# A colour mixed with white.
lighten <- function(colour, share) {
  rgb <- grDevices::col2rgb(colour) / 255
  grDevices::rgb(t(rgb + (1 - rgb) * share))
}

# Opens a figure with margins that fit, runs `draw`, and leaves par() as it was. Titles that are too wide have
# further lines, which move the panel down.
with_figure <- function(margins, xlim, ylim, draw, main = NULL, main_line = 1) {
  check_figure_size(margins)
  title <- fit_title(main, margins)
  margins[3] <- margins[3] + title$inches
  old <- graphics::par(mai = margins, mgp = c(2.1, 0.5, 0), tcl = -0.25, las = 1, xpd = FALSE)
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(xlim, ylim, xaxs = "i", yaxs = "i")
  draw()
  if (!is.null(main)) {
    graphics::title(main = title$text, col.main = ink$text, cex.main = title$cex, line = main_line)
  }
}

# A title in as few lines as the figure has room for, at most three, smaller before any words are left out; and
# inches of the lines after the first.
fit_title <- function(main, margins) {
  size <- graphics::par("fin")
  room <- 0.98 * centred_room(1, c(margins[2], size[1] - margins[4]) / size[1])
  wide <- function(text, cex) width_inches(text, cex = cex, font = 2) > room
  if (!is.character(main)) {
    return(list(text = main, cex = 1.1 * min(room / width_inches(main, cex = 1.1, font = 2), 1), inches = 0))
  }
  spare <- size[2] - sum(margins[c(1, 3)]) - 0.8
  most <- min(max(floor(spare / line_inches(1.1)), 0), 2) + 1
  for (cex in c(1.1, 0.95, 0.8)) {
    lines <- strsplit(main, "\n", fixed = TRUE)[[1L]]
    width <- max(nchar(lines), 8L)
    while (wide(lines, cex) && width > 8L) {
      width <- width - 1L
      lines <- unlist(strsplit(wrap_names(strsplit(main, "\n", fixed = TRUE)[[1L]], width), "\n", fixed = TRUE))
    }
    if (length(lines) <= most) break
  }
  if (length(lines) > most) lines <- c(utils::head(lines, most - 1L), paste0(lines[most], "..."))
  list(text = paste(lines, collapse = "\n"), cex = cex, inches = line_inches(cex * max(length(lines) - 1L, 0L)))
}

# A ggplot in the colours of the base figures: a white ground, axes without a frame.
figure <- function(...) {
  ggplot2::ggplot(...) +
    ggplot2::theme_minimal() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank(),
                   panel.grid.major = ggplot2::element_line(colour = ink$grid, linewidth = 0.4),
                   strip.text = ggplot2::element_text(face = "bold", hjust = 0),
                   strip.text.y = ggplot2::element_text(angle = 0, hjust = 0, inherit.blank = TRUE),
                   strip.clip = "off", strip.placement = "outside",
                   plot.margin = ggplot2::margin(6, 14, 6, 6), # half a number
                 plot.title = ggplot2::element_text(size = 12), plot.title.position = "plot",
                 plot.caption.position = "plot",
                   text = ggplot2::element_text(colour = ink$text))
}

check_figure_size <- function(margins) {
  size <- graphics::par("fin")
  needed <- c(sum(margins[c(2, 4)]), sum(margins[c(1, 3)])) + 0.4
  if (all(size >= needed)) return(invisible())
  mk_abort(sprintf(
    "The figure must be at least %.1f x %.1f inches for this plot, not %.1f x %.1f.",
    ceiling(10 * needed[1]) / 10, ceiling(10 * needed[2]) / 10, size[1], size[2]
  ), "figure_size", "figure", size)
}

# Inches of a line of text, and of the widest of some labels. par("csi") takes par(cex = ) into account only
# after plot.new().
line_inches <- function(lines = 1) lines * graphics::par("cin")[2] * cex_here()
width_inches <- function(labels, ...) max(graphics::strwidth(labels, units = "inches", ...), 0)

within_limits <- function(at, limits) at[at >= limits[1] & at <= limits[2]]

# Round numbers for a logarithmic axis from 10^limits[1] to 10^limits[2]; some may be beyond its ends.
log_ticks <- function(limits) {
  span <- diff(limits)
  if (span > 3) return(10^unique(round(pretty(limits, 6))))
  if (span > 1) return(c(outer(c(1, 2, 5), 10^(floor(limits[1]):ceiling(limits[2])))))
  ticks <- pretty(10^limits)
  ticks[ticks > 0]
}

# Numbers as digits as long as these are not many more than those of 1e+08.
tick_text <- function(at) format(at, trim = TRUE, scientific = 3)

quiet_axis <- function(side, at, labels = tick_text(at), ...) {
  graphics::axis(side, at = at, labels = labels, lwd = 0, lwd.ticks = 0.8, col = ink$line,
                 col.axis = ink$text, cex.axis = 0.85, ...)
}

# Shrinks where `room` (inches) is too small for it, a little more than by its width, as devices round sizes of
# letters.
axis_title <- function(text, side, line, at = NA, room = centred_room(if (side %in% c(1, 3)) 1 else 2), ...) {
  graphics::mtext(text, side = side, line = line, at = at, col = ink$text,
                  cex = 0.9 * min(0.92 * room / width_inches(text, cex = 0.9), 1) * cex_here(), ...)
}

# Inches of the figure for a text centred on the panel: 1 across, 2 up.
centred_room <- function(along, plt = graphics::par("plt")) {
  middle <- mean(plt[2 * along - 1:0])
  2 * min(middle, 1 - middle) * graphics::par("fin")[along]
}

# mtext() ignores the cex that par(mfrow = ) sets.
cex_here <- function() graphics::par("cex")

# Long names lose their middle; what tells them apart is most often at the end.
shorten <- function(names, most = 45L) {
  long <- nchar(names) > most
  head <- (most - 3L) %/% 3L
  tail <- most - 3L - head
  size <- nchar(names)
  names[long] <- paste0(substr(names[long], 1, head), "...",
                        substr(names[long], size[long] - tail + 1, size[long]))
  names
}

# Names that are shortened and stay different: where two would become one, what they begin with in common is
# cut as far as they differ. Numbers tell apart what is still alike.
shorten_apart <- function(names, most = 45L) {
  short <- apart_by(shorten(names, most), names, from_difference, most)
  first <- !duplicated(names)
  make.unique(short[first], " ")[match(names, names[first])]
}

# Replaces what is alike in `short`, but not in `names`, by cut(names, most).
apart_by <- function(short, names, cut, most) {
  for (key in unique(short[duplicated(short)])) {
    same <- which(short == key)
    if (length(unique(names[same])) > 1L) short[same] <- cut(names[same], most)
  }
  short
}

from_difference <- function(names, most) {
  context <- if (most > 20L) 2L else 0L
  rest <- substring(names, max(common_length(names) + 1L - context, 1L))
  short <- paste0("...", shorten(rest, most - 3L))
  if (length(unique(short)) == length(unique(names))) return(short)
  # their middles differ: what follows the difference is cut
  long <- nchar(rest) > most - 3L
  short <- paste0("...", substr(rest, 1L, ifelse(long, most - 6L, most)), ifelse(long, "...", ""))
  apart_by(short, names, from_difference, most)
}

# Short names in lines of some 14 letters, or up to 18 where a word has them, for headings beside panels and legends; of many names in one line.
strip_titles <- function(names) {
  names <- as.character(names)
  if (length(names) > MOST_WRAPPED) return(shorten_apart(names, 16L))
  short <- shorten_apart(names, 42L)
  wrap_names(short, min(max(14L, nchar(unlist(strsplit(short, " ", fixed = TRUE)))), 18L))
}

# Names in lines of at most `width` letters; longer words are divided.
wrap_names <- function(names, width) {
  words <- gsub(sprintf("([^ ]{%d})(?=[^ ])", width), "\\1 ", names, perl = TRUE)
  vapply(strwrap(words, width + 1L, simplify = FALSE), paste, "", collapse = "\n")
}

MOST_WRAPPED <- 7L

# Names in a legend, in one line each where they are several.
legend_names <- function(names) {
  if (length(names) > 3L) shorten_apart(as.character(names), 20L) else strip_titles(names)
}

# A panel for each model up to this many, then a heat map.
most_panels <- 6L

# Panels beside each other: the last number of one and the first of the next need room, and so do the names of many.
panel_theme <- function(models) {
  many <- length(unique(models)) > 3L
  ggplot2::theme(panel.spacing.x = ggplot2::unit(1.5, "lines"),
                 strip.text.x = if (many) ggplot2::element_text(size = 7),
                 legend.position = if (length(unique(models)) > 4L) "bottom")
}

# Models of a ggplot, with names that fit above panels where these are few.
panel_factor <- function(models) {
  first <- unique(models)
  if (length(first) > most_panels) return(factor(models, first, shorten_apart(first, 12L)))
  width <- max(9L, (if (length(first) > 3L) 48L else 36L) %/% length(first)) # letters of many are small
  factor(models, first, wrap_names(gsub(":", ": ", shorten_apart(first, 36L), fixed = TRUE), width))
}

# Number of characters that strings have in common at their beginning.
common_length <- function(x) {
  letters <- strsplit(unique(x), "")
  first <- seq_len(min(lengths(letters)))
  differ <- Reduce(`|`, lapply(letters, function(own) own[first] != letters[[1L]][first]))
  c(which(differ), length(first) + 1L)[1L] - 1L
}

# Names short enough to leave half of the figure to the drawing.
fit_names <- function(names, ..., room = 0.5 * graphics::par("fin")[1]) {
  fit_labels(data.frame(set = names, rest = rep("", length(names))), ..., room = room)
}

# Labels out of what tells kernels apart: sets, which may be shortened, and the rest, which is not.
fit_labels <- function(parts, ..., room = 0.5 * graphics::par("fin")[1]) {
  for (most in c(45L, 38L, 32L, 26L, 20L, 15L)) {
    short <- short_labels(parts, most)
    if (width_inches(short, ...) <= room) break
  }
  short
}

short_labels <- function(parts, most) {
  sets <- unique(parts$set)
  left <- max(most - max(nchar(parts$rest), 0L), 12L)
  paste0(shorten_apart(sets, left)[match(parts$set, sets)], parts$rest)
}

# Letters of labels beside a ggplot, whose size is not known.
MOST_LETTERS <- 24L

# The kernel, the columns that it reads, and its number among those of one name.
name_parts_pattern <- "^(.+?)\\[(.+)\\]((?:[#@][0-9]+)*)$"

# Names of kernels without what all have in common. `set`: the columns they read, or the name where
# it says none; `rest`: the kernel, where these differ; `common`: what is left out, or NULL.
name_parts <- function(names) {
  pattern <- name_parts_pattern
  on_columns <- grepl(pattern, names, perl = TRUE)
  base <- ifelse(on_columns, sub(pattern, "\\1", names, perl = TRUE), names)
  set <- ifelse(on_columns, sub(pattern, "\\2\\3", names, perl = TRUE), names)
  if (!all(on_columns) || !length(names)) {
    return(list(set = set, rest = ifelse(on_columns, paste0(", ", base), ""), common = NULL))
  }
  if (length(unique(base)) == 1L) {
    return(list(set = set, rest = rep("", length(set)), common = base[1L]))
  }
  type <- sub("[(].*", "", base)
  alike <- length(unique(type)) == 1L && all(grepl("^[^(]+[(].*[)]$", base))
  if (alike) base <- sub("^[^(]+[(](.*)[)]$", "\\1", base)
  list(set = set, rest = paste0(", ", base), common = if (alike) type[1L])
}

row_inches <- function(rows) graphics::par("pin")[2] / (rows$bottom - 0.3)

# Heights of rows that are in order of their groups, with a heading for each group unless all are empty.
stack_rows <- function(group, text, head) {
  headed <- any(nzchar(text))
  above <- match(group, unique(group)) # groups that have begun at or above this row
  y <- seq_along(group) + headed * (head * above - 0.4)
  heads <- if (headed) y[!duplicated(group)] - head / 2 - 0.3
  list(
    y = y, view = as.character(group), colour = view_colours(nlevels(group))[as.integer(group)],
    heads = data.frame(y = heads %||% numeric(),
                       view = as.character(unique(group))[seq_along(heads)],
                       label = text[seq_along(heads)]),
    bottom = max(y) + 0.7
  )
}

# A note on what a plot leaves out, below its axis.
draw_left_out <- function(text, line = 2.8) {
  if (!length(text)) return(invisible())
  room <- graphics::par("fin")[1] * graphics::par("plt")[2] / width_inches(text, cex = 0.75)
  graphics::mtext(text, 1, line, adj = 1, cex = 0.75 * min(room, 1) * cex_here(), col = ink$soft)
}

# Accepts what title() takes as one title.
check_main <- function(main) {
  fine <- is.null(main) || ((is.character(main) || is.expression(main)) && length(main) == 1L) ||
    is.call(main) || is.symbol(main)
  if (!fine) abort_argument(main, "main", "NULL, one string or one expression")
}

# Draws each of `drawn`; between plots it waits for the user if `ask` is TRUE.
draw_each <- function(drawn, ask, draw) {
  if (check_flag(ask, "ask")) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  for (one in drawn) draw(one)
}
