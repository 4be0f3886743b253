// Tracks for the horizontal parts of legs in the channels between layers.
#pragma once

#include <cstdint>
#include <vector>

namespace faketensor::layout {

// One passage through the channel below `layer`. Passages of one net through one channel share a
// track, so that a value with several readers is drawn as one line with branches.
struct Jump {
  int32_t layer, net;
  int32_t above, below;  // x at the channel's upper and lower edge
  int32_t track;         // result; meaningless where above == below
};

// Sets `track` (0 is the uppermost) so that lines of different nets do not lie on each other;
// returns the number of tracks per channel.
std::vector<int32_t> assign_channel_tracks(std::vector<Jump>& jumps, int32_t channels,
                                           int32_t nets);

}  // namespace faketensor::layout
