// Checked 64-bit arithmetic with Python's meaning: what constants in expressions and plain SymInts
// share.
//
// Each function raises OverflowError where the exact result does not fit, and never wraps. Division
// by zero is the caller's to check.
#pragma once

#include <cstdint>

namespace faketensor {

int64_t checked_add(int64_t a, int64_t b);
int64_t checked_subtract(int64_t a, int64_t b);
int64_t checked_multiply(int64_t a, int64_t b);
// base ** exponent for exponent >= 0.
int64_t checked_power(int64_t base, int64_t exponent);
// The integer of a finite double without fraction.
int64_t checked_to_int(double value);

// a // b and a % b, rounding towards minus infinity; b != 0.
int64_t floor_divide(int64_t a, int64_t b);
int64_t floor_modulo(int64_t a, int64_t b);

// Python's a / b of two integers, correctly rounded for |a|, |b| < 2^53; b != 0.
double int_true_divide(int64_t a, int64_t b);
// Python's round(): halves go to the even neighbour.
double round_half_even(double value);
// Python's round(value, digits).
double round_decimal(double value, int64_t digits);

// a % b of floats: it has the sign of b. Raises ZeroDivisionError for b = 0.
double float_modulo(double a, double b);

}  // namespace faketensor
