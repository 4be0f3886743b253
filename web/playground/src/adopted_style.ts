/**
 * Styles that come with a part of the page that is loaded on demand: the shell has none of them.
 *
 *     import css from "../styles/profiler.css";
 *     adoptStyle(css);
 */

const adopted = new Set<string>();

/** The sheet is constructed: a policy needs no `style-src` for it. It comes after those of the page. */
export function adoptStyle(css: string): void {
  if (adopted.has(css)) return;
  adopted.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
