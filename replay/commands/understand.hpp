// From words to options. Once `error` is set, that is what there is to say.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "commands/options.hpp"
#include "commands/words.hpp"

namespace iwarp::replay {

void understand_run(const Words& words, Options& options, std::string& error);
void understand_campaign(const Words& words, Options& options, std::string& error);
void understand_shrink(const Words& words, Options& options, std::string& error);

}  // namespace iwarp::replay
