// What a browser keeps of the console: the text that is being written, for this tab, and the scripts that were run.
import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';

import type { Place } from './place-picker';

export type Remembered = { script: string; instance: string; database: string; at: number };

const kept = 100;
const keptRuns = 5;
const lengthMax = 20_000;

/** Secrets stay out of what a browser keeps. */
const secret = /\bPASSWORD\b|\bSECRET\b/i;

export const useHistoryStore = create<{ scripts: Readonly<Record<string, readonly Remembered[]>> }>()(
  persist(() => ({ scripts: {} }), { name: 'brokerweb.sql-history' }),
);

export const useTextStore = create<{
  texts: Readonly<Record<string, string>>;
  /** Where the text is to run: a page that is loaded again goes back there. */
  places: Readonly<Record<string, Place>>;
}>()(
  persist(() => ({ texts: {}, places: {} }), {
    name: 'brokerweb.sql-text',
    storage: createJSONStorage(() => window.sessionStorage),
  }),
);

/** The same script again moves to the top. */
export function rememberScript(estate: string, script: Remembered): void {
  if (script.script.trim() === '' || script.script.length > lengthMax || secret.test(script.script)) {
    return;
  }
  useHistoryStore.setState(({ scripts: all }) => {
    const scripts = withoutOldRuns(all, estate);
    const others = (scripts[estate] ?? []).filter(
      (each) => each.script !== script.script || each.instance !== script.instance || each.database !== script.database,
    );
    return { scripts: { ...scripts, [estate]: [script, ...others].slice(0, kept) } };
  });
}

/** A run of the training is over some day: scripts of the latest ones are kept, those of estates for good. */
function withoutOldRuns(
  scripts: Readonly<Record<string, readonly Remembered[]>>,
  current: string,
): Readonly<Record<string, readonly Remembered[]>> {
  const latest = (name: string) => (name === current ? Infinity : (scripts[name]?.[0]?.at ?? 0));
  const old = Object.keys(scripts)
    .filter((name) => name.startsWith('~'))
    .sort((a, b) => latest(b) - latest(a))
    .slice(keptRuns);
  return Object.fromEntries(Object.entries(scripts).filter(([name]) => !old.includes(name)));
}

export function forgetScripts(estate: string): void {
  useHistoryStore.setState(({ scripts }) => ({ scripts: { ...scripts, [estate]: [] } }));
}

/** Puts a script before whoever opens the console: in place of what was run, and after what was not. */
export function offerText(estate: string, script: string): void {
  const typed = (useTextStore.getState().texts[estate] ?? '').trim();
  const isRun = (useHistoryStore.getState().scripts[estate] ?? []).some((each) => each.script.trim() === typed);
  keepText(estate, typed === '' || typed === script.trim() || isRun ? script : `${typed}\n\n${script}`);
}

/** The database that was chosen for what is being written. */
export function keepPlace(estate: string, { instance, database }: Place): void {
  useTextStore.setState(({ places }) => ({ places: { ...places, [estate]: { instance, database } } }));
}

export function keptPlace(estate: string): Place | undefined {
  return useTextStore.getState().places[estate];
}

export function keepText(estate: string, text: string): void {
  if (text.length <= lengthMax && !secret.test(text)) {
    useTextStore.setState(({ texts }) => ({ texts: { ...texts, [estate]: text } }));
  }
}
