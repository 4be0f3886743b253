/**
 * The engine's file. Imported, it is what the bundler makes of files: with asset modules (webpack), a file loader
 * (esbuild) or `?url` (Vite) its address, which `load({ wasm })` and `connect(undefined, { wasm })` take. Without a bundler
 * its place is `import.meta.resolve("faketensor/wasm")`.
 */
declare const address: string;
export default address;
