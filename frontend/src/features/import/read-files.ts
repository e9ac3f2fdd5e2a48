// Script files as text. SQL Server's tools save as UTF-16 with a mark, as UTF-8, or in the code page of the machine;
// where the bytes do not say which, it is guessed, and the guess is kept beside the text for the user to see.

export type ScriptFile = {
  name: string;
  text: string;
  assumed?: string;
  /** Where a script begins, or what a collected server is called; without it, as the file says. */
  instance?: string | undefined;
  database?: string | undefined;
};

export async function readScripts(files: Iterable<File>): Promise<ScriptFile[]> {
  const scripts = await Promise.all(
    [...files].map(async (file) => ({ name: file.name, ...decode(new Uint8Array(await file.arrayBuffer())) })),
  );
  return scripts.toSorted((one, other) => one.name.localeCompare(other.name));
}

function decode(bytes: Uint8Array): Omit<ScriptFile, 'name'> {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) {
    return { text: new TextDecoder('utf-16le').decode(bytes) };
  }
  if (first === 0xfe && second === 0xff) {
    return { text: new TextDecoder('utf-16be').decode(bytes) };
  }
  const order = utf16Order(bytes);
  if (order !== undefined) {
    return { text: new TextDecoder(order).decode(bytes), assumed: order === 'utf-16le' ? 'UTF-16 LE' : 'UTF-16 BE' };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), assumed: 'Windows-1252' };
  }
}

/** T-SQL is mostly ASCII: as UTF-16 every other byte is zero, in all other encodings none is. */
function utf16Order(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  let atEven = 0;
  let atOdd = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte === 0) {
      if (index % 2 === 0) {
        atEven += 1;
      } else {
        atOdd += 1;
      }
    }
  }
  if (atEven + atOdd === 0 || atEven + atOdd < bytes.length / 4) {
    return undefined;
  }
  return atOdd > atEven ? 'utf-16le' : 'utf-16be';
}
