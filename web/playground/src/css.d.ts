/** A style sheet as text: bundle.mjs and tests/run.mjs load it so. */
declare module "*.css" {
  const css: string;
  export default css;
}
