// How names and ids are shortened. The whole text stays available on hover, on copy and to screen readers.

/** `81b1…4f`: enough of a broker id to tell neighbours apart. */
export function shortId(id: string): string {
  return id.length <= 8 ? id : `${id.slice(0, 4)}…${id.slice(-2)}`;
}

/**
 * A service name within `room` characters. Names are URLs of a kind, whose last part tells most, so whole parts of the
 * middle go: `//exemple.fr/…/Réception`, or, with less room, `…/Réception`.
 */
export function shortServiceName(name: string, room: number): string {
  if (name.length <= room) {
    return name;
  }
  const parts = name.split('/');
  const last = parts.at(-1) ?? name;
  for (let kept = parts.length - 2; kept > 0; kept -= 1) {
    const head = parts.slice(0, kept).join('/');
    const short = `${head}/…/${last}`;
    if (short.length <= room && /[^/]/.test(head)) {
      return short;
    }
  }
  const end = `…/${last}`;
  return parts.length > 1 && end.length <= room ? end : `…${name.slice(-(room - 1))}`;
}

/** Whether `wanted` occurs in one of `texts`, without regard to case or accents: `entrepot` finds `entrepôt`. */
export function matches(wanted: string, texts: readonly string[]): boolean {
  const sought = folded(wanted.trim());
  return sought === '' || texts.some((text) => folded(text).includes(sought));
}

function folded(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase();
}
