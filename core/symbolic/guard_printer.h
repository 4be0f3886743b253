// Guards as Python conditions over a program's inputs: "L['x'].size()[0] == 2*L['y'].size()[1]".
//
// Mirrors ShapeGuardPythonPrinter (torch/fx/experimental/symbolic_shapes.py) and PythonPrinter
// (torch/utils/_sympy/printers.py): each symbol is printed as its source, functions as Python's
// operators. Terms and factors stand in sympy's own order of arguments, which is not the order of
// its str.
#pragma once

#include <functional>
#include <string>

#include "core/symbolic/expr.h"

namespace faketensor {

// What stands for a symbol; called for each occurrence.
using SymbolText = std::function<std::string(const ExprNode* symbol)>;

std::string python_text(const ExprNode* node, const SymbolText& symbol_text);

// sympy's Basic.compare, which orders the arguments of sums and products: negative, zero or
// positive.
int compare_basic(const ExprNode* a, const ExprNode* b);

}  // namespace faketensor
