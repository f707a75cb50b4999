// What the window says where an interface cannot be captured from. Traffic is in tests/live.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QTest>

#include <gtest/gtest.h>

#include "app/main_window.hpp"
#include "models/live_source.hpp"

namespace iwarp::gui {
namespace {

// The calling thread's right to capture, of which each thread has its own.
bool drop_right_to_capture() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[2]{};
  if (::syscall(SYS_capget, &header, sets) != 0) return false;
  for (auto* const set : {&sets[0].effective, &sets[0].permitted, &sets[0].inheritable}) {
    *set &= ~(1U << static_cast<unsigned>(CAP_NET_RAW));
  }
  return ::syscall(SYS_capset, &header, sets) == 0;
}

class Interface : public testing::Test {
 protected:
  // As nobody with rights would: the document's thread, which opens the source, gives them up before.
  PageText page_of(const std::string& name) {
    MainWindow window(workspace_, light_theme(), MainWindow::Memory::none);
    window.show();
    workspace_.document().open(
        QString::fromStdString(name),
        [name](std::string& error, std::function<bool()> cancelled) -> std::unique_ptr<RecordSource> {
          if (!drop_right_to_capture()) {
            error = "the right could not be dropped";
            return nullptr;
          }
          return live_source(name, {})(error, std::move(cancelled));
        },
        {}, CaptureDocument::Origin::interface);
    EXPECT_TRUE(QTest::qWaitFor([&] { return !workspace_.document().loading(); }, 10'000));
    EXPECT_EQ(workspace_.document().result().end, LoadEnd::unreadable);
    const auto* const page = window.findChild<Page*>();
    EXPECT_TRUE(page->isVisible());
    return page->shown();
  }

  Workspace workspace_;
};

TEST_F(Interface, WithoutTheRightTheCommandThatGivesItIsTold) {
  const PageText page = page_of("lo");
  EXPECT_TRUE(page.title.contains(QLatin1String("no right to capture"))) << page.title.toStdString();
  const QString command =
      QStringLiteral("sudo setcap cap_net_raw=ep ") + QCoreApplication::applicationFilePath();
  EXPECT_TRUE(page.text.contains(command)) << page.text.toStdString();
  EXPECT_TRUE(workspace_.document().file().isEmpty());
}

TEST_F(Interface, ThatDoesNotExistIsNamedAndThoseThatDo) {
  const PageText page = page_of("iwarp-none0");
  EXPECT_TRUE(page.title.contains(QLatin1String("cannot be captured from"))) << page.title.toStdString();
  EXPECT_TRUE(page.text.contains(QLatin1String("there are "))) << page.text.toStdString();
}

}  // namespace
}  // namespace iwarp::gui
