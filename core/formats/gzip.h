// Writing gzip: what `gunzip` and PyTorch's gzip.open read. (Reading it: text.h.)
//
//   io.write_file("timeline.json.gz", gzip(text));
#pragma once

#include <string>
#include <string_view>

namespace faketensor {

// One member, without a file's name or time: equal texts are equal bytes.
std::string gzip(std::string_view text);

}  // namespace faketensor
