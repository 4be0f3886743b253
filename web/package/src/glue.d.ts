/** Emscripten's ES module, built by wasm/CMakeLists.txt; build.js puts it in this file's place. */
export default function createModule<Exports>(options: {
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}): Promise<Exports>;
