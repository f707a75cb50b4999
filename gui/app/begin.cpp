// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/begin.hpp"

#include "models/follow_source.hpp"
#include "models/live_source.hpp"
#include "models/sought.hpp"
#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

void go(Workspace& workspace, const Options& options) {
  const TimeSpan all = workspace.document().span();
  Place place = workspace.session().place();
  if (options.range) {
    const TimeNs from = panned({all.from, all.from + 16}, options.range->from, all).from;
    const TimeNs upto = options.range->upto && *options.range->upto < static_cast<TimeNs>(all.length())
                            ? all.from + *options.range->upto
                            : all.upto;
    place.range = TimeSpan{from, upto};
  }
  if (options.stream) place.selection.stream = options.stream;
  workspace.session().go(place);
  if (options.frame) go_to_frame(workspace, *options.frame);
}

}  // namespace

QString lacking(Workspace& workspace, const Options& options) {
  const CaptureDocument& document = workspace.document();
  if (options.stream) {
    const StreamTable& streams = document.metrics().streams();
    bool there = false;
    for (std::size_t row = 0; row < streams.size() && !there; ++row)
      there = streams.connection(row) == *options.stream;
    if (!there) return QObject::tr("--stream: no iWARP was found on stream %1").arg(*options.stream);
  }
  const std::uint64_t frames = document.progress().frames;
  if (options.frame && (*options.frame == 0 || *options.frame > frames))
    return QObject::tr("--frame: there is no frame %1, the last one is %2").arg(*options.frame).arg(frames);
  if (options.range && options.range->from >= static_cast<TimeNs>(document.span().length())) {
    return QObject::tr("--range: the capture ends before, %1 behind its first frame")
        .arg(QString::fromStdString(duration_text(static_cast<TimeNs>(document.span().length()))));
  }
  return {};
}

void go_to_frame(Workspace& workspace, FrameNumber frame) {
  workspace.document().ask<Selection>(
      &workspace, "frame",
      [frame](const Log& log) {
        EventBuffer buffer;
        const Events events = log.analysis.events_of(frame, buffer);
        Selection selection;
        if (!events.empty()) selection.stream = events.front().connection;
        const OperationTable& operations = log.metrics.operations();
        const MessageTable& messages = log.metrics.messages();
        if (const auto operation =
                operation_of_frame(operations, RowList::all_of(operations.size()), selection.stream, frame)) {
          selection = select_operation(log.metrics, *operation);
        } else if (const auto message = message_of_frame(messages, RowList::all_of(messages.size()),
                                                         selection.stream, frame)) {
          selection = select_message(log.metrics, *message);
        }
        selection.frame = frame;
        if (frame <= log.analysis.last_frame()) selection.time = log.analysis.time_of(frame);
        return selection;
      },
      [&workspace](const Selection& selection) { workspace.session().select(selection); });
}

void begin(Workspace& workspace, const std::string& capture, const Options& options) {
  QString error;
  workspace.session().set_filter(options.filter, error);
  if (options.range || options.stream || options.frame) {
    QObject::connect(&workspace.document(), &CaptureDocument::ended, &workspace,
                     [&workspace, options] { go(workspace, options); });
  }
  if (!options.interface.empty()) {
    workspace.document().open(QString::fromStdString(options.interface),
                              live_source(options.interface, options.capture_filter), options.load,
                              CaptureDocument::Origin::interface);
    return;
  }
  if (capture == "-") {
    workspace.document().open(QObject::tr("standard input"), file_source(capture), options.load,
                              CaptureDocument::Origin::standard_input);
    return;
  }
  workspace.document().open(QString::fromStdString(capture),
                            options.follow ? follow_source(capture) : file_source(capture), options.load);
}

}  // namespace iwarp::gui
