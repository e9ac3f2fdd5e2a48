// Sandboxes of exercises: private estates whose names begin with `~` and then name their run.

const form = /^~([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** Whether an estate is the sandbox of a run. */
export function isSandbox(estate: string): boolean {
  return estate.startsWith('~');
}

/** The run that plays in a sandbox; null for a name that is none of a sandbox. */
export function runOf(sandbox: string): string | null {
  const parts = form.exec(sandbox);
  return parts === null ? null : parts.slice(1).join('-');
}

/** Where the screens of an estate are. */
export function estateAddress(estate: string): string {
  return `/estates/${encodeURIComponent(estate)}`;
}
