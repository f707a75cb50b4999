// Pictures of views as files: PNG and SVG. What the window shows, painted by the same function.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QImage>
#include <QString>

#include "views/view.hpp"

namespace iwarp::gui {

// Something that paints itself at a size.
using Paint = std::function<Work(QPainter& painter, QSize size)>;

// `size` in units of the view; the image has `scale` times as many pixels each way. REQUIRES: scale > 0.
[[nodiscard]] QImage picture_of(const Paint& paint, QSize size, double scale, Work* work = nullptr);
// By the end of its name, ".png" or ".svg". False: `error` says why in one sentence that names the file.
[[nodiscard]] bool write_picture(const Paint& paint, QSize size, double scale, const QString& path,
                                 QString& error);

}  // namespace iwarp::gui
