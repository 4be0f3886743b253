// Source: where a value of a traced program comes from, as a Python expression over its inputs.
//
// Mirrors torch._guards.Source and torch/_dynamo/source.py, as far as symbols need it. A symbol is
// named after its source, and guards are printed with it: the size behind `s77` is
// `L['x'].size()[0]`. Two sources are one if they have one name. An ephemeral source stands for
// something that exists only while a view is remade; guards should not speak of it.
//
//   Source x = Source::local("x");
//   x.size(0).name();              // "L['x'].size()[0]"
//   x.attribute("_base").name();   // "L['x']._base"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faketensor {

class Source {
 public:
  // LocalSource: an input of the traced function, L['x'].
  static Source local(std::string_view name);
  // ConstantSource: any Python expression, such as the name of a tensor nobody gave a source.
  static Source constant(std::string_view expression);
  // EphemeralSource.
  static Source ephemeral(std::string_view description);

  // AttrSource: `base.name`.
  Source attribute(std::string_view name) const;
  // TensorPropertySource: `base.size()[0]`, `base.stride()[1]`, `base.storage_offset()`.
  Source size(size_t dim) const;
  Source stride(size_t dim) const;
  Source storage_offset() const;
  // CallMethodItemSource: `base.item()`.
  Source item() const;

  const std::string& name() const { return name_; }
  bool is_ephemeral() const { return is_ephemeral_; }
  // The dimension whose size or stride this is.
  std::optional<size_t> dim() const { return dim_; }
  friend bool operator==(const Source& a, const Source& b) { return a.name_ == b.name_; }

 private:
  Source with_suffix(std::string suffix) const;

  std::string name_;
  std::optional<size_t> dim_;
  bool is_ephemeral_ = false;
};

}  // namespace faketensor
