import { describe, expect, it } from 'vitest';

import { dropReasons, forwarders, fullness, isOfInterest, type Transit } from './forwarders';
import type { Source } from './sources';

const source = (instance: string, state: Source['state'] = 'known'): Source => ({
  instance,
  state,
  reason: '',
  number: null,
  since: null,
});
const transit = (more: Partial<Transit> = {}): Transit => ({
  is_enabled: true,
  messages: 0,
  bytes: 0,
  bytes_max: 10 * 1024 * 1024,
  messages_max: 1000,
  drops: [],
  ...more,
});

describe('forwarders', () => {
  it('who has never answered is not one that holds nothing', () => {
    const [hub, berlin] = forwarders({ HUB: transit(), BERLIN: { unavailable: { reason: 'no log', since: null } } }, [
      source('HUB'),
      source('BERLIN', 'unknown'),
    ]);
    expect(hub?.transit?.messages).toBe(0);
    expect(berlin?.transit).toBeNull();
  });

  it('who does not forward stands aside, unless something is held or was dropped there', () => {
    const of = (more: Partial<Transit>) => isOfInterest({ source: source('HUB'), transit: transit(more) });
    expect(of({ is_enabled: false })).toBe(false);
    expect(of({ is_enabled: false, messages: 1 })).toBe(true);
    expect(of({ is_enabled: false, drops: [{ number: 11293, messages: 2, last_at: 5, text: '' }] })).toBe(true);
    expect(isOfInterest({ source: source('HUB', 'unknown'), transit: null })).toBe(true);
  });

  it('is as full as the closer of both limits says, and has none without an endpoint', () => {
    expect(fullness(transit({ bytes: 5 * 1024 * 1024, messages: 10 }))).toBe(0.5);
    expect(fullness(transit({ bytes: 1024, messages: 900 }))).toBe(0.9);
    expect(fullness(transit({ bytes: 20 * 1024 * 1024 }))).toBe(1);
    expect(fullness(transit({ bytes_max: 0 }))).toBeNull();
  });

  it('drops of all forwarders stand together by reason, with the last of them and where', () => {
    const all = forwarders(
      {
        HUB: transit({
          drops: [
            { number: 11290, messages: 3, last_at: 100, text: 'early' },
            { number: 11289, messages: 4, last_at: 50, text: 'full' },
          ],
        }),
        NABE: transit({ drops: [{ number: 11290, messages: 2, last_at: 200, text: 'late' }] }),
      },
      [source('HUB'), source('NABE')],
    );
    expect(dropReasons(all)).toEqual([
      { number: 11290, messages: 5, last_at: 200, text: 'late', places: ['HUB', 'NABE'] },
      { number: 11289, messages: 4, last_at: 50, text: 'full', places: ['HUB'] },
    ]);
  });
});
