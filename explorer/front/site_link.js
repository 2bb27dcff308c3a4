// A link: compressed JSON in characters that addresses allow, after the #, which is not sent to
// servers.

const LONGEST = 8000; // characters
const MOST = 100_000; // bytes, unpacked

export async function pack(link) {
  const packed = new Blob([JSON.stringify(link)])
    .stream()
    .pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// Throws an error with a sentence.
export async function unpack(text) {
  if (text.length > LONGEST) throw new Error("This link is too long to be one of ours.");
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
      letter.charCodeAt(0),
    );
    const reader = new Blob([bytes])
      .stream()
      .pipeThrough(new DecompressionStream("deflate-raw"))
      .getReader();
    const parts = [];
    let size = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      // A few bytes can unpack to gigabytes.
      if (size > MOST) {
        await reader.cancel();
        throw new Error("too much");
      }
      parts.push(part.value);
    }
    return JSON.parse(await new Blob(parts).text());
  } catch {
    throw new Error(
      "This link is damaged, perhaps because a part of it is missing. Ask for it again.",
    );
  }
}
