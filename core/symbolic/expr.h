// Symbolic expressions: hash-consed nodes in a pool.
//
// Every expression is an immutable ExprNode made by an ExprPool. The pool keeps one node per
// distinct expression, so equality is pointer equality, and it builds canonical forms as it goes:
// sums and products are flattened, equal terms collected with integer coefficients, constants
// folded. The forms are those that sympy gives PyTorch's expressions, because guards, messages and
// files show them. What is rewritten when is in simplify.cpp, one identity per rewrite.
//
// How the kinds store their parts:
//   kInteger, kFloat, kBoolean   `number` is the value
//   kSymbol                      `symbol` is an index into the pool's symbols
//   kAdd                         `number` + the sum of the arguments (none a sum or a number)
//   kMul                         `number` * the product of the arguments (none a product or number)
//   kPow                         argument 0 to the `number`, an integer >= 2
//   everything else              a function of its arguments, in order
// Arguments of commutative kinds are stored in order of creation; the order in which they are
// printed is print.cpp's business.
//
// Bounded: an expression of more than kMaxExprSize nodes (as a tree), or deeper than kMaxExprDepth,
// is replaced by an opaque symbol whose definition is that expression. Opaque symbols still
// evaluate exactly; only reasoning stops there. So walking one expression recursively is safe, and
// costs a bounded time.
//
//   ExprPool pool;
//   const ExprNode* s0 = pool.symbol({.name = "s0", .positive = true});
//   const ExprNode* e = pool.add(pool.mul(pool.integer(2), s0), s0);   // 3*s0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/support/arena.h"
#include "core/symbolic/sym_int.h"

namespace faketensor {

class ExprPool;
class ShapeEnv;

inline constexpr uint32_t kMaxExprSize = 8192;
inline constexpr uint16_t kMaxExprDepth = 200;

enum class ExprType : uint8_t { kInt, kFloat, kBool };

enum class ExprKind : uint8_t {
  kInteger,
  kFloat,
  kBoolean,
  kSymbol,
  kAdd,
  kMul,
  kPow,
  kFloorDiv,
  kCleanDiv,
  kMod,
  kPythonMod,
  kModularIndexing,
  kMax,
  kMin,
  kAbs,
  kPowByNatural,
  kRShift,
  kBitAnd,
  kBitOr,
  kBitXor,
  kTruncToInt,
  kFloorToInt,
  kCeilToInt,
  kRoundToInt,
  kToFloat,
  kTruncToFloat,
  kRoundDecimal,
  kIntTrueDiv,
  kFloatTrueDiv,
  kFloatPow,
  kSqrt,
  kWhere,  // condition, value if true, value if false; printed as Piecewise
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kNot,
};
inline constexpr int kExprKindCount = static_cast<int>(ExprKind::kNot) + 1;

// The name under which a function kind is printed and parsed ("FloorDiv", "Max"); empty for the
// rest.
std::string_view function_name(ExprKind kind);
inline bool is_relation(ExprKind kind) { return kind >= ExprKind::kEq && kind <= ExprKind::kGe; }
// The relation that holds exactly when `kind` does not.
ExprKind negated_relation(ExprKind kind);
// The relation that holds with the sides exchanged.
ExprKind mirrored_relation(ExprKind kind);

// An integer or a double, with the arithmetic of coefficients: an operation on two integers gives
// an integer or raises OverflowError, any other gives a double.
struct Number {
  bool is_float = false;
  int64_t integer = 0;
  double real = 0;

  static Number of(int64_t value) { return {false, value, 0}; }
  static Number of_float(double value) { return {true, 0, value}; }
  double as_double() const { return is_float ? real : static_cast<double>(integer); }
  bool is_integer(int64_t value) const { return !is_float && integer == value; }
  bool negative() const { return is_float ? real < 0 : integer < 0; }
  friend bool operator==(const Number& a, const Number& b) {
    // Bitwise for doubles: 0.0 and -0.0 are two constants, and a NaN is itself.
    return a.is_float == b.is_float &&
           (a.is_float ? same_bits(a.real, b.real) : a.integer == b.integer);
  }
  static bool same_bits(double a, double b);
};
Number operator+(Number a, Number b);
Number operator*(Number a, Number b);
int compare(Number a, Number b);

// What is known of an expression from its form and the assumptions on its symbols alone (not from
// ranges).
enum ExprFact : uint16_t {
  kNonNegative = 1,
  kPositive = 2,
  kNonPositive = 4,
  kNegative = 8,
  kEven = 16,
  kOdd = 32,
  kNonZero = 64,
  kHasUnbacked = 128,
  kHasSymbol = 256,
  kHasPiecewise = 512,  // a kWhere in it, and so conditions inside a number
  kIsReal = 1024,       // known to be a real number: an unbacked float may be NaN
  kIsInteger = 2048,    // known to be an integer: of the bitwise functions sympy is not told
};

struct ExprNode {
  ExprKind kind;
  ExprType type;
  uint16_t facts;
  uint16_t depth;
  uint32_t id;      // order of creation in the pool
  uint32_t size;    // nodes as a tree, the numbers of sums, products and powers included
  uint32_t symbol;  // kSymbol only
  uint32_t arg_count;
  Number number;
  ExprPool* pool;
  uint64_t symbol_bits;  // of its symbols: bit i for symbol i of the pool, the last for all others

  std::span<const ExprNode* const> args() const {
    return {reinterpret_cast<const ExprNode* const*>(this + 1), arg_count};
  }
  const ExprNode* arg(size_t i) const { return args()[i]; }
  bool has(uint16_t fact) const { return (facts & fact) == fact; }
  bool is_number() const { return kind == ExprKind::kInteger || kind == ExprKind::kFloat; }
  bool is_constant() const { return kind <= ExprKind::kBoolean; }
  bool is_integer(int64_t value) const {
    return kind == ExprKind::kInteger && number.integer == value;
  }
  bool is_true() const { return kind == ExprKind::kBoolean && number.integer != 0; }
  bool is_false() const { return kind == ExprKind::kBoolean && number.integer == 0; }
};

// The bit of all symbols that have none of their own.
inline constexpr uint64_t kManySymbols = uint64_t{1} << 63;

struct SymbolInfo {
  std::string name;
  ExprType type = ExprType::kInt;
  bool positive = false;  // the assumption positive=True of backed size symbols
  bool unbacked = false;
  // Set for opaque symbols: the expression that was too large. It refers to earlier symbols only.
  const ExprNode* definition = nullptr;
};

class ExprPool {
 public:
  ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  // The environment whose expressions these are; null in a pool that only prints and parses.
  ShapeEnv* shape_env() const { return shape_env_; }
  void set_shape_env(ShapeEnv* env) { shape_env_ = env; }

  const ExprNode* integer(int64_t value);
  const ExprNode* real(double value);
  const ExprNode* boolean(bool value) const { return value ? true_ : false_; }
  const ExprNode* number(Number value);
  // The symbol of that name, made if it is new; the other fields matter only then.
  const ExprNode* symbol(const SymbolInfo& info);
  const ExprNode* find_symbol(std::string_view name) const;
  const SymbolInfo& symbol_info(const ExprNode* symbol) const { return symbols_[symbol->symbol]; }
  const ExprNode* symbol_at(size_t index) const { return symbol_nodes_[index]; }
  size_t symbol_count() const { return symbols_.size(); }

  // The canonical expression of a function applied to arguments (of any kind but constants, kSymbol
  // and kPow). Raises ZeroDivisionError for a division by the constant 0, OverflowError for
  // coefficients beyond 64 bits.
  const ExprNode* make(ExprKind kind, std::span<const ExprNode* const> args);
  const ExprNode* make(ExprKind kind, const ExprNode* a) { return make(kind, std::span(&a, 1)); }
  const ExprNode* make(ExprKind kind, const ExprNode* a, const ExprNode* b);
  const ExprNode* make(ExprKind kind, const ExprNode* a, const ExprNode* b, const ExprNode* c);

  const ExprNode* add(const ExprNode* a, const ExprNode* b) { return make(ExprKind::kAdd, a, b); }
  const ExprNode* mul(const ExprNode* a, const ExprNode* b) { return make(ExprKind::kMul, a, b); }
  const ExprNode* negate(const ExprNode* a) { return mul(integer(-1), a); }
  const ExprNode* subtract(const ExprNode* a, const ExprNode* b) { return add(a, negate(b)); }
  // base ** exponent; a negative exponent needs a float base.
  const ExprNode* pow(const ExprNode* base, int64_t exponent);
  // Python's a % b as PyTorch builds it: Mod where both are known non-negative, PythonMod
  // otherwise.
  const ExprNode* python_mod(const ExprNode* a, const ExprNode* b);
  const ExprNode* logical_not(const ExprNode* a) { return make(ExprKind::kNot, a); }

  // The node itself, without any rewriting: what make() uses once a form is canonical.
  const ExprNode* intern(ExprKind kind, ExprType type, Number number,
                         std::span<const ExprNode* const> args);

  // Scalars of this pool's expressions, constants unpacked; and back.
  SymInt sym_int(const ExprNode* node) const;
  SymBool sym_bool(const ExprNode* node) const;
  const ExprNode* node_of(SymInt value) {
    return value.is_symbolic() ? value.node() : integer(value.as_int());
  }
  const ExprNode* node_of(SymBool value) {
    return value.is_symbolic() ? value.node() : boolean(value.as_bool());
  }

  size_t node_count() const { return count_; }
  // Whether any expression was too large and has an opaque symbol in its place.
  bool has_opaque() const { return !opaque_by_definition_.empty(); }

 private:
  struct Slot {
    uint64_t hash = 0;
    const ExprNode* node = nullptr;
  };
  const ExprNode* create(ExprKind kind, ExprType type, Number number,
                         std::span<const ExprNode* const> args, uint32_t symbol, uint64_t hash);
  const ExprNode* opaque(const ExprNode* definition);
  void grow_table();

  // A result of make() with two arguments, which never changes: what programs ask again and again.
  struct Made {
    ExprKind kind = ExprKind::kInteger;
    const ExprNode* a = nullptr;
    const ExprNode* b = nullptr;
    const ExprNode* result = nullptr;
  };
  std::vector<Made> made_;                 // by a hash of the arguments, the last one of each
  std::vector<const ExprNode*> integers_;  // the last one asked for of each remainder

  Arena arena_;
  std::vector<Slot> slots_;
  size_t count_ = 0;
  std::vector<SymbolInfo> symbols_;
  std::vector<const ExprNode*> symbol_nodes_;
  std::unordered_map<std::string, uint32_t> symbol_by_name_;
  std::unordered_map<const ExprNode*, const ExprNode*> opaque_by_definition_;
  const ExprNode* true_ = nullptr;
  const ExprNode* false_ = nullptr;
  ShapeEnv* shape_env_ = nullptr;
};

// The same function of other arguments, simplified; sums, products and powers keep their number.
const ExprNode* rebuilt(const ExprNode* node, std::vector<const ExprNode*> args);

// The expression with symbols (or any other parts) replaced, rebuilt and so simplified bottom up.
// What is put in is not replaced again.
using SymbolMap = std::unordered_map<const ExprNode*, const ExprNode*>;
const ExprNode* substitute(const ExprNode* node, const SymbolMap& replacements);

// Products of sums multiplied out, as sympy's expand does for ShapeEnv.simplify; unchanged beyond
// kMaxExprSize.
const ExprNode* expand(const ExprNode* node);

// The distinct symbols of an expression, in order of creation.
std::vector<const ExprNode*> free_symbols(const ExprNode* node);

// The distinct parts of an expression that are of one kind, itself included.
std::vector<const ExprNode*> atoms(const ExprNode* node, ExprKind kind);

// PyTorch's printing (sympy's str), see print.cpp.
std::string to_string(const ExprNode* node);
// sympy's srepr, the constructor form of exported programs: "Mul(Integer(48), Symbol('s53',
// positive=True, integer=True))".
std::string to_constructor_string(const ExprNode* node);
// sympy's default_sort_key order: negative, zero or positive.
int compare_display_order(const ExprNode* a, const ExprNode* b);

}  // namespace faketensor
