import { useEffect } from 'react';

import { useLiveStore } from '@/lib/live-store';

const everyMilliseconds = 2_000;
/** A page that does not come however often it is loaded is not loaded again and again. */
const onceInMilliseconds = 60_000;
const lastKey = 'brokerweb.reloaded-at';

/**
 * Loads the page anew once its address is served again: asked every two seconds, and at once when the network, somebody's
 * look or the live connection comes back. At most once a minute, so that a page whose code is missing does not flicker.
 */
export function useReloadWhenServed(): void {
  useEffect(() => {
    let isOver = false;
    const look = () => {
      void isServed().then((served) => {
        if (served && !isOver && mayReload()) {
          isOver = true;
          window.location.reload();
        }
      });
    };
    look();
    const timer = setInterval(look, everyMilliseconds);
    const stop = useLiveStore.subscribe(({ connection }, before) => {
      if (connection.phase === 'ready' && before.connection.phase !== 'ready') {
        look();
      }
    });
    const events = new AbortController();
    for (const name of ['online', 'focus']) {
      window.addEventListener(name, look, { signal: events.signal });
    }
    return () => {
      isOver = true;
      clearInterval(timer);
      stop();
      events.abort();
    };
  }, []);
}

/** What stands in for a server that is away answers, too, but not well. */
async function isServed(): Promise<boolean> {
  try {
    return (await fetch(window.location.href, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

function mayReload(): boolean {
  const last = Number(sessionStorage.getItem(lastKey) ?? 0);
  if (Date.now() - last < onceInMilliseconds) {
    return false;
  }
  sessionStorage.setItem(lastKey, String(Date.now()));
  return true;
}
