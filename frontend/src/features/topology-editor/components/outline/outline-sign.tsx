import { IconArrowRight, IconDatabase, IconPlugConnected, IconServer2 } from '@tabler/icons-react';

import { kindText } from '@/topology/object-words';
import type { OutlineKind } from '@/topology/outline';

const signs = {
  instance: IconServer2,
  database: IconDatabase,
  service: IconPlugConnected,
  route: IconArrowRight,
} as const;

/** The kind of a row, as a picture and as a word for screen readers. */
export function OutlineSign({ kind }: { kind: OutlineKind }) {
  const Sign = signs[kind];
  return <Sign size={14} role="img" aria-label={kindText(kind)} />;
}
