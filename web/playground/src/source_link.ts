/** A program's text in the address: deflated and in base64 for URLs. The hash is sent to no server. */

/** Longer ones are not put into an address: messages and browsers cut them. */
const kLongest = 4000;

/** Undefined for a text that would take more than {@link kLongest} characters. */
export async function encodeText(text: string): Promise<string | undefined> {
  if (text.length > 20 * kLongest) return undefined;
  const bytes = await through(new Blob([text]), new CompressionStream("deflate-raw"));
  const code = btoa(String.fromCharCode(...new Uint8Array(await bytes.arrayBuffer())));
  return code.length > kLongest
    ? undefined
    : code.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @throws for what is none. */
export async function decodeText(code: string): Promise<string> {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  );
  return (await through(new Blob([bytes]), new DecompressionStream("deflate-raw"))).text();
}

function through(blob: Blob, stream: ReadableWritablePair<BufferSource, BufferSource>): Promise<Blob> {
  return new Response(blob.stream().pipeThrough(stream as never)).blob();
}
