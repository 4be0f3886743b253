// How JavaScript calls the functions of bindings.cpp, in place of embind's $craftInvokerFunction (--js-library).
//
// Emscripten's own, where nothing may be evaluated from text, keeps the arguments of a call with the function. A callback that
// calls the same function once more (a fake that calls an operator, a compiled function) then has the inner call's arguments
// freed twice. Here they belong to the call. There are functions only, and no classes.
mergeInto(LibraryManager.library, {
  $craftInvokerFunction__deps: ["$throwBindingError", "$runDestructors"],
  $craftInvokerFunction: function (name, types, classType, invoke, target) {
    var result = types[0];
    var params = types.slice(2);
    return function () {
      if (arguments.length !== params.length)
        throwBindingError(name + " takes " + params.length + " arguments, not " + arguments.length);
      var destructors = [];
      var wired = [target];
      for (var i = 0; i < params.length; i++) wired.push(params[i].toWireType(destructors, arguments[i]));
      var returned = invoke.apply(null, wired);
      runDestructors(destructors);
      return result.name === "void" ? undefined : result.fromWireType(returned);
    };
  },
});
