/** Emscripten's ES module of the engine, built by wasm/CMakeLists.txt; build.js puts it in this file's place. */
export type CreateModule = <Exports>(options: {
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}) => Promise<Exports>;
declare const createModule: CreateModule;
export default createModule;
