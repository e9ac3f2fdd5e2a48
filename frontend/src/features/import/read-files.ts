// Script files as text. SQL Server's tools save as UTF-16 with a mark or as UTF-8; both are read.

export type ScriptFile = { name: string; text: string };

export async function readScripts(files: Iterable<File>): Promise<ScriptFile[]> {
  const scripts = await Promise.all(
    [...files].map(async (file) => ({ name: file.name, text: decode(await file.arrayBuffer()) })),
  );
  return scripts.toSorted((one, other) => one.name.localeCompare(other.name));
}

function decode(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first === 0xff && second === 0xfe) {
    return new TextDecoder('utf-16le').decode(bytes);
  }
  return new TextDecoder(first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8').decode(bytes);
}
