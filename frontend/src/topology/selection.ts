// What is selected, as a value and as text. The text stands in the address bar, so a selection can be sent in a mail.

export type DatabasePath = { instance: string; database: string };

export type Selection =
  | { kind: 'instance'; instance: string }
  | ({ kind: 'database' } & DatabasePath)
  | ({ kind: 'service'; service: string } & DatabasePath)
  | ({ kind: 'route'; route: string } & DatabasePath)
  | { kind: 'ghost'; address: string };

/** The inverse of `parseSelection`. Each part is escaped, because service names contain slashes. */
export function formatSelection(selection: Selection): string {
  return partsOf(selection).map(encodeURIComponent).join('/');
}

function partsOf(selection: Selection): string[] {
  switch (selection.kind) {
    case 'instance':
      return ['instance', selection.instance];
    case 'database':
      return ['database', selection.instance, selection.database];
    case 'service':
      return ['service', selection.instance, selection.database, selection.service];
    case 'route':
      return ['route', selection.instance, selection.database, selection.route];
    case 'ghost':
      return ['ghost', selection.address];
  }
}

/** The selection in `text`, or null when it says nothing we know: an old link must not break the page. */
export function parseSelection(text: string | null): Selection | null {
  if (text === null) {
    return null;
  }
  const [kind, first, second, third] = decodeParts(text);
  if (first === undefined) {
    return null;
  }
  if (kind === 'instance') {
    return { kind, instance: first };
  }
  if (kind === 'ghost') {
    return { kind, address: first };
  }
  if (second === undefined) {
    return null;
  }
  if (kind === 'database') {
    return { kind, instance: first, database: second };
  }
  if (third === undefined) {
    return null;
  }
  if (kind === 'service') {
    return { kind, instance: first, database: second, service: third };
  }
  return kind === 'route' ? { kind, instance: first, database: second, route: third } : null;
}

function decodeParts(text: string): string[] {
  try {
    return text.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}
