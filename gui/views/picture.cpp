// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/picture.hpp"

#include <QBuffer>
#include <QSaveFile>
#include <QSvgGenerator>

#include <cmath>

namespace iwarp::gui {

QImage picture_of(const Paint& paint, QSize size, double scale, Work* work) {
  QImage image((QSizeF(size) * scale).toSize(), QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.setDotsPerMeterX(static_cast<int>(std::lround(96 * scale / 0.0254)));
  image.setDotsPerMeterY(image.dotsPerMeterX());
  image.fill(Qt::white);
  QPainter painter(&image);
  const Work done = paint(painter, size);
  if (work != nullptr) *work = done;
  return image;
}

bool write_picture(const Paint& paint, QSize size, double scale, const QString& path, QString& error) {
  QByteArray octets;
  QBuffer buffer(&octets);
  buffer.open(QIODevice::WriteOnly);
  if (path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setResolution(96);
    QPainter painter(&generator);
    paint(painter, size);
  } else {
    picture_of(paint, size, scale).save(&buffer, "PNG");
  }
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(octets) == octets.size() && file.commit()) return true;
  error = path + QStringLiteral(": could not be written: ") + file.errorString();
  return false;
}

}  // namespace iwarp::gui
