import { describe, expect, it } from 'vitest';

import { readScripts } from './read-files';

const text = 'CREATE SERVICE [//exemple.fr/Commandes/Réception] ON QUEUE dbo.Größe; -- 10 €';

function utf16(order: 'little' | 'big'): number[] {
  return Array.from(text, (character) => character.charCodeAt(0)).flatMap((unit) => {
    return order === 'little' ? [unit & 0xff, unit >> 8] : [unit >> 8, unit & 0xff];
  });
}

const utf8 = [...new TextEncoder().encode(text)];
// Latin 1 is the code point itself; the euro sign is what Windows-1252 adds.
const windows = Array.from(text, (character) => (character === '€' ? 0x80 : character.charCodeAt(0)));

describe.each([
  ['UTF-8', utf8, undefined],
  ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, ...utf8], undefined],
  ['UTF-16 LE with a mark', [0xff, 0xfe, ...utf16('little')], undefined],
  ['UTF-16 BE with a mark', [0xfe, 0xff, ...utf16('big')], undefined],
  ['UTF-16 LE without a mark', utf16('little'), 'UTF-16 LE'],
  ['UTF-16 BE without a mark', utf16('big'), 'UTF-16 BE'],
  ['Windows-1252', windows, 'Windows-1252'],
])('a script saved as %s', (_, bytes, assumed) => {
  it('is read right, and what was guessed is told', async () => {
    const [script] = await readScripts([new File([new Uint8Array(bytes)], 'a.sql')]);
    expect(script).toMatchObject({ name: 'a.sql', text });
    expect(script?.assumed).toBe(assumed);
  });
});

it('scripts come in the order of their names, an empty one among them', async () => {
  const scripts = await readScripts([new File(['b'], '2.sql'), new File([], '1.sql')]);
  expect(scripts).toEqual([
    { name: '1.sql', text: '' },
    { name: '2.sql', text: 'b' },
  ]);
});
