// Words that may come next in a filter: fields, a field's values behind an operator, or what joins
// comparisons.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace iwarp::gui {

// In the order of the alphabet; none where anything may come, such as a number. `before`: the expression up
// to the word that is being written, which is a word too where it stands alone.
[[nodiscard]] QStringList filter_words(const QString& before);

// The next word is a value.
[[nodiscard]] bool ends_with_operator(const QString& before);

}  // namespace iwarp::gui
