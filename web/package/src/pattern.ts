/**
 * A pass that puts one small graph where another stands, as `torch.fx.replace_pattern` does. Both are FX text with the same
 * arguments, which stand for any value, and return what takes whose place.
 */
export interface PatternPass {
  readonly pattern: string;
  readonly replacement: string;
}

export function isPattern(pass: unknown): pass is PatternPass {
  const { pattern, replacement } = (pass ?? {}) as Partial<PatternPass>;
  return typeof pattern === "string" && typeof replacement === "string";
}
