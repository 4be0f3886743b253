// IgnoreFreshSymbols: while it lives, fresh unbacked symbols need not be bound by a result.
//
// Mirrors ShapeEnv.ignore_fresh_unbacked_symbols. Symbols that a branch or a converted tensor makes
// for itself stay inside of it.
//
//   const IgnoreFreshSymbols scope(context.shape_env());   // may be null: nothing happens
#pragma once

#include "core/symbolic/shape_env.h"

namespace faketensor {

class IgnoreFreshSymbols {
 public:
  explicit IgnoreFreshSymbols(ShapeEnv* env)
      : env_(env), before_(env != nullptr && env->ignore_fresh_unbacked_symbols(true)) {}
  ~IgnoreFreshSymbols() {
    if (env_ != nullptr) env_->ignore_fresh_unbacked_symbols(before_);
  }
  IgnoreFreshSymbols(const IgnoreFreshSymbols&) = delete;
  IgnoreFreshSymbols& operator=(const IgnoreFreshSymbols&) = delete;

 private:
  ShapeEnv* env_;
  bool before_;
};

}  // namespace faketensor
