// Bytes as people look at them: where, some of them, and what they are as ASCII.

/** As many as a side panel has room for. */
const bytesOfLine = 8;

/** Lines of `00000008  48 65 6c …  Hel…` for hexadecimal digits, two a byte. */
export function hexLines(digits: string): string {
  const pairs = digits.match(/../g) ?? [];
  const lines = [];
  for (let at = 0; at < pairs.length; at += bytesOfLine) {
    const line = pairs.slice(at, at + bytesOfLine);
    const place = at.toString(16).padStart(8, '0');
    lines.push(`${place}  ${line.join(' ').padEnd(3 * bytesOfLine - 1)}  ${line.map(printable).join('')}`);
  }
  return lines.join('\n');
}

function printable(pair: string): string {
  const code = Number.parseInt(pair, 16);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
}
