// Raster: a picture of which each pixel is set by itself, all transparent at first.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QImage>
#include <QPainter>

#include <algorithm>

namespace iwarp::gui {

class Raster {
 public:
  explicit Raster(QSize size) : image_(size, QImage::Format_ARGB32_Premultiplied) {
    image_.fill(Qt::transparent);
    if (image_.isNull()) return;
    pixels_ = reinterpret_cast<QRgb*>(image_.bits());
    stride_ = image_.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
  }
  // `pixels_` are those of `image_`.
  Raster(const Raster&) = delete;
  Raster& operator=(const Raster&) = delete;

  [[nodiscard]] int width() const noexcept { return image_.width(); }
  [[nodiscard]] int height() const noexcept { return image_.height(); }

  // Colours are premultiplied. What lies outside is left out.
  void set(int x, int y, QRgb color) noexcept { fill(x, y, y + 1, color); }
  // Rows [from, upto) of a column.
  void fill(int x, int from, int upto, QRgb color) noexcept {
    if (x < 0 || x >= width()) return;
    from = std::max(from, 0);
    QRgb* pixel = pixels_ + from * stride_ + x;
    for (int y = from; y < std::min(upto, height()); ++y, pixel += stride_) *pixel = color;
  }

  void paint(QPainter& painter, QPoint at) const { painter.drawImage(at, image_); }

 private:
  QImage image_;
  QRgb* pixels_ = nullptr;
  qsizetype stride_ = 0;
};

}  // namespace iwarp::gui
