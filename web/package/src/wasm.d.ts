/**
 * One of the engine's two files. Imported, it is what the bundler makes of files: with asset modules (webpack), a file loader
 * (esbuild) or `?url` (Vite) its address, which `load({ wasm, rest })` and `connect(undefined, { wasm, rest })` take. Without a
 * bundler its place is `import.meta.resolve("faketensor/wasm")`, or `"faketensor/rest"`.
 */
declare const address: string;
export default address;
