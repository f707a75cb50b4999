// FlowSource: the flow of the stream that is selected, else of the one that stands foremost; one for all
// views of a workspace. Brings it up to date while the capture is read, each time it has grown by a part.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QObject>

#include "models/flow.hpp"
#include "models/workspace.hpp"

namespace iwarp::gui {

class FlowSource : public QObject {
  Q_OBJECT
 public:
  // Made when it is first asked for; lives as long as the workspace.
  [[nodiscard]] static FlowSource& of(Workspace& workspace);

  // nullptr: nothing was read yet, or there is no stream.
  [[nodiscard]] const std::shared_ptr<const Flow>& flow() const noexcept { return flow_; }
  // It has all that there is.
  [[nodiscard]] bool settled() const;

 signals:
  void changed();

 private:
  struct Wanted {
    std::optional<ConnectionId> stream;
    std::string filter;
    std::size_t rows = 0;
    bool complete = false;
    bool operator==(const Wanted&) const = default;
  };

  explicit FlowSource(Workspace& workspace);
  [[nodiscard]] Wanted wanted() const;
  void refresh();

  Workspace& workspace_;
  std::shared_ptr<const Flow> flow_;
  Wanted have_;
  bool asking_ = false;
};

}  // namespace iwarp::gui
