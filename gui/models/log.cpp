// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/log.hpp"

namespace iwarp::gui {

bool Log::frame(FrameNumber number, capture::Record& record, std::string& error) const {
  if (source == nullptr) {
    error = "there is no capture to read frames from";
    return false;
  }
  return source->frame(number, record, error);
}

}  // namespace iwarp::gui
