/** The JSON text of a decoder with at least `nodes` nodes. */
export function grownDecoder(nodes: number): string;
