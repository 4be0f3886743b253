// PickleWriter: appends a pickle of protocol 2 to a text, piece by piece: dictionaries, lists, tuples,
// texts and numbers, nothing that runs code when it is read.
//
//   PickleWriter pickle(text);
//   {
//     const auto snapshot = pickle.dict();
//     pickle.field("device", 0);
//     const auto blocks = pickle.list("blocks");
//     pickle.value("active_allocated");
//   }
//   pickle.finish();
//
// A text that comes again is the same object when it is read. A dict or list ends with the scope that
// began it. Nothing is read here: pickles are written for other programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace faketensor {

class PickleWriter {
 public:
  explicit PickleWriter(std::string& out);

  // Ends a dict, list or tuple.
  class [[nodiscard]] Scope {
   public:
    Scope(PickleWriter& pickle, char close) : pickle_(pickle), close_(close) {}
    ~Scope() { pickle_.out_ += close_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PickleWriter& pickle_;
    char close_;
  };
  Scope dict();
  Scope list();
  Scope tuple();
  // As a member of the dict that is open.
  Scope dict(std::string_view name) { return key(name).dict(); }
  Scope list(std::string_view name) { return key(name).list(); }
  Scope tuple(std::string_view name) { return key(name).tuple(); }

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool flag);
  void value(int number) { value(int64_t{number}); }
  void value(int64_t number);
  void value(uint64_t number);
  void value(uint32_t number) { value(uint64_t{number}); }
  template <typename T>
  void field(std::string_view name, const T& value) {
    key(name).value(value);
  }
  PickleWriter& key(std::string_view name) {
    value(name);
    return *this;
  }

  // After the one value.
  void finish();

 private:
  Scope begin(std::string_view open, char close);
  void little_endian(uint64_t number, int bytes);

  std::string& out_;
  std::unordered_map<std::string, uint32_t> memo_;
};

}  // namespace faketensor
