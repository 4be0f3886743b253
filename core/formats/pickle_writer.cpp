#include "core/formats/pickle_writer.h"

#include <limits>

namespace faketensor {

namespace {

// Opcodes of Python's pickle module.
constexpr std::string_view kProtocol2 = "\x80\x02";
constexpr char kMark = '(';
constexpr std::string_view kEmptyDict = "}(";
constexpr std::string_view kEmptyList = "](";
constexpr char kSetItems = 'u';
constexpr char kAppends = 'e';
constexpr char kTuple = 't';
constexpr char kText = 'X';     // length in 4 bytes, then UTF-8
constexpr char kPut = 'r';      // keeps the text under a number of 4 bytes
constexpr char kGet = 'j';      // the text of that number
constexpr char kInteger = 'J';  // 4 bytes, signed
constexpr char kLong = '\x8a';  // a byte with the length, then as many bytes, signed
constexpr char kTrue = '\x88';
constexpr char kFalse = '\x89';
constexpr char kStop = '.';

}  // namespace

PickleWriter::PickleWriter(std::string& out) : out_(out) { out_ += kProtocol2; }

PickleWriter::Scope PickleWriter::begin(std::string_view open, char close) {
  out_ += open;
  return Scope(*this, close);
}

PickleWriter::Scope PickleWriter::dict() { return begin(kEmptyDict, kSetItems); }
PickleWriter::Scope PickleWriter::list() { return begin(kEmptyList, kAppends); }
PickleWriter::Scope PickleWriter::tuple() { return begin({&kMark, 1}, kTuple); }

void PickleWriter::little_endian(uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out_ += static_cast<char>(number >> (8 * i) & 0xFF);
}

void PickleWriter::value(std::string_view text) {
  const auto [known, is_new] =
      memo_.emplace(std::string(text), static_cast<uint32_t>(memo_.size()));
  if (is_new) {
    out_ += kText;
    little_endian(text.size(), 4);
    out_ += text;
  }
  out_ += is_new ? kPut : kGet;
  little_endian(known->second, 4);
}

void PickleWriter::value(bool flag) { out_ += flag ? kTrue : kFalse; }

void PickleWriter::value(int64_t number) {
  if (number >= std::numeric_limits<int32_t>::min() &&
      number <= std::numeric_limits<int32_t>::max()) {
    out_ += kInteger;
    return little_endian(static_cast<uint64_t>(number), 4);
  }
  out_ += kLong;
  out_ += '\x08';
  little_endian(static_cast<uint64_t>(number), 8);
}

void PickleWriter::value(uint64_t number) {
  if (number <= uint64_t{std::numeric_limits<int64_t>::max()})
    return value(static_cast<int64_t>(number));
  out_ += kLong;
  out_ += '\x09';  // one more, for the sign
  little_endian(number, 8);
  out_ += '\0';
}

void PickleWriter::finish() { out_ += kStop; }

}  // namespace faketensor
