/** How large the engine's memory is, which Emscripten keeps to itself. */

/** To be called before `load`. Gives what tells the bytes of the memory of the engine that was loaded last. */
export function watchMemory() {
  const { instantiate } = WebAssembly;
  let memory;
  WebAssembly.instantiate = async (...args) => {
    const result = await instantiate(...args);
    const { exports } = result.instance ?? result; // of bytes, or of a module
    memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
    return result;
  };
  return () => memory.buffer.byteLength;
}
