// What a browser keeps of the console: the text that is being written, for this tab, and the scripts that were run.
import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';

export type Remembered = { script: string; instance: string; database: string; at: number };

const kept = 100;
const lengthMax = 20_000;

/** Secrets stay out of what a browser keeps. */
const secret = /\bPASSWORD\b|\bSECRET\b/i;

export const useHistoryStore = create<{ scripts: Readonly<Record<string, readonly Remembered[]>> }>()(
  persist(() => ({ scripts: {} }), { name: 'brokerweb.sql-history' }),
);

export const useTextStore = create<{ texts: Readonly<Record<string, string>> }>()(
  persist(() => ({ texts: {} }), {
    name: 'brokerweb.sql-text',
    storage: createJSONStorage(() => window.sessionStorage),
  }),
);

/** The same script again moves to the top. */
export function rememberScript(estate: string, script: Remembered): void {
  if (script.script.trim() === '' || script.script.length > lengthMax || secret.test(script.script)) {
    return;
  }
  useHistoryStore.setState(({ scripts }) => {
    const others = (scripts[estate] ?? []).filter(
      (each) => each.script !== script.script || each.instance !== script.instance || each.database !== script.database,
    );
    return { scripts: { ...scripts, [estate]: [script, ...others].slice(0, kept) } };
  });
}

export function forgetScripts(estate: string): void {
  useHistoryStore.setState(({ scripts }) => ({ scripts: { ...scripts, [estate]: [] } }));
}

export function keepText(estate: string, text: string): void {
  if (text.length <= lengthMax && !secret.test(text)) {
    useTextStore.setState(({ texts }) => ({ texts: { ...texts, [estate]: text } }));
  }
}
