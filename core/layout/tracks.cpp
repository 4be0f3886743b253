#include "core/layout/tracks.h"

#include <algorithm>
#include <map>

namespace faketensor::layout {
namespace {

// More lines than this side by side can not be told apart; further ones share the last track.
constexpr int32_t kMostTracks = 48;
constexpr int32_t kApart = 6;  // free space between two lines on one track

size_t at(int32_t index) { return static_cast<size_t>(index); }

// The horizontal extent of a net in one channel.
struct Bar {
  int32_t net;
  int32_t low, high;
  int32_t track = 0;
};

class Channel {
 public:
  explicit Channel(int32_t nets) : bar_of_(at(nets), -1) {}

  // `jumps` are those of one channel.
  int32_t assign(std::vector<Jump>& jumps, const int32_t* first, const int32_t* last) {
    bars_.clear();
    for (const int32_t* i = first; i != last; ++i) widen(jumps[at(*i)]);
    if (bars_.empty()) return 0;
    if (bars_.size() > 1) order_bars(jumps, first, last);
    const int32_t tracks = bars_.size() > 1 ? pack() : 1;
    for (const int32_t* i = first; i != last; ++i) {
      Jump& jump = jumps[at(*i)];
      if (bar_of_[at(jump.net)] >= 0) jump.track = bars_[at(bar_of_[at(jump.net)])].track;
    }
    for (const Bar& bar : bars_) bar_of_[at(bar.net)] = -1;
    return tracks;
  }

 private:
  void widen(const Jump& jump) {
    if (jump.above == jump.below) return;
    int32_t& index = bar_of_[at(jump.net)];
    const auto [low, high] = std::minmax(jump.above, jump.below);
    if (index < 0) {
      index = static_cast<int32_t>(bars_.size());
      bars_.push_back({jump.net, low, high});
    }
    Bar& bar = bars_[at(index)];
    bar.low = std::min(bar.low, low);
    bar.high = std::max(bar.high, high);
  }

  // Where one net comes down at the x at which another goes on down, their vertical parts overlap
  // unless the former turns off above: the former's track must be higher. `order_` is a topological
  // order of these constraints; a cycle is broken at its leftmost bar.
  void order_bars(const std::vector<Jump>& jumps, const int32_t* first, const int32_t* last) {
    std::map<int32_t, int32_t> comes_down;  // x to bar
    for (const int32_t* i = first; i != last; ++i) {
      const Jump& jump = jumps[at(*i)];
      if (bar_of_[at(jump.net)] >= 0) comes_down.emplace(jump.above, bar_of_[at(jump.net)]);
    }
    below_.assign(bars_.size(), {});
    waiting_.assign(bars_.size(), 0);
    for (const int32_t* i = first; i != last; ++i) {
      const Jump& jump = jumps[at(*i)];
      const int32_t bar = bar_of_[at(jump.net)];
      const auto other = comes_down.find(jump.below);
      if (bar < 0 || other == comes_down.end() || other->second == bar) continue;
      below_[at(other->second)].push_back(bar);
      ++waiting_[at(bar)];
    }
    std::vector<int32_t> by_left(bars_.size());
    for (size_t i = 0; i < by_left.size(); ++i) by_left[i] = static_cast<int32_t>(i);
    std::stable_sort(by_left.begin(), by_left.end(),
                     [&](int32_t a, int32_t b) { return bars_[at(a)].low < bars_[at(b)].low; });
    order_.clear();
    std::vector<char> done(bars_.size(), 0);
    const auto take_from = [&](int32_t bar) {
      const size_t begin = order_.size();
      done[at(bar)] = 1;
      order_.push_back(bar);
      for (size_t i = begin; i < order_.size(); ++i) {
        for (const int32_t next : below_[at(order_[i])]) {
          if (--waiting_[at(next)] > 0 || done[at(next)]) continue;
          done[at(next)] = 1;
          order_.push_back(next);
        }
      }
    };
    for (const int32_t bar : by_left) {
      if (!done[at(bar)] && waiting_[at(bar)] == 0) take_from(bar);
    }
    for (const int32_t bar : by_left) {
      if (!done[at(bar)]) take_from(bar);
    }
  }

  // Each bar on the highest track that is free and below the bars that must be above it.
  int32_t pack() {
    std::vector<int32_t> lowest_allowed(bars_.size(), 0);
    std::vector<std::map<int32_t, int32_t>> taken;  // per track: high to low of its bars
    for (const int32_t index : order_) {
      Bar& bar = bars_[at(index)];
      int32_t track = std::min(lowest_allowed[at(index)], kMostTracks - 1);
      const auto free = [&](const std::map<int32_t, int32_t>& bars) {
        const auto next = bars.lower_bound(bar.low - kApart);
        return next == bars.end() || next->second > bar.high + kApart;
      };
      while (track < static_cast<int32_t>(taken.size()) && track + 1 < kMostTracks &&
             !free(taken[at(track)]))
        ++track;
      if (track >= static_cast<int32_t>(taken.size())) taken.resize(at(track) + 1);
      taken[at(track)].emplace(bar.high, bar.low);
      bar.track = track;
      for (const int32_t next : below_[at(index)])
        lowest_allowed[at(next)] = std::max(lowest_allowed[at(next)], track + 1);
    }
    return static_cast<int32_t>(taken.size());
  }

  std::vector<int32_t> bar_of_;  // per net: its bar in this channel, or -1
  std::vector<Bar> bars_;
  std::vector<std::vector<int32_t>> below_;
  std::vector<int32_t> waiting_, order_;
};

}  // namespace

std::vector<int32_t> assign_channel_tracks(std::vector<Jump>& jumps, int32_t channels,
                                           int32_t nets) {
  std::vector<int32_t> start(at(channels) + 1, 0), list(jumps.size()), tracks(at(channels), 0);
  for (const Jump& jump : jumps) ++start[at(jump.layer) + 1];
  for (size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  std::vector<int32_t> next(start.begin(), start.end() - 1);
  for (size_t i = 0; i < jumps.size(); ++i)
    list[at(next[at(jumps[i].layer)]++)] = static_cast<int32_t>(i);
  Channel channel(nets);
  for (int32_t i = 0; i < channels; ++i) {
    tracks[at(i)] =
        channel.assign(jumps, list.data() + start[at(i)], list.data() + start[at(i) + 1]);
  }
  return tracks;
}

}  // namespace faketensor::layout
