import { afterEach, describe, expect, it } from 'vitest';

import { setLanguage, startI18n } from '@/i18n';

import { absoluteTime, everyZone, relativeTime, setTimeZone, zoneName } from './time';

const winter = Date.UTC(2024, 0, 31, 22, 5, 9);
const summer = Date.UTC(2024, 6, 1, 22, 5, 9);

afterEach(async () => {
  setTimeZone('UTC');
  await setLanguage('en');
});

describe('an instant', () => {
  it('says its zone, and that of the season', () => {
    expect(absoluteTime(winter)).toBe('31 Jan 2024, 22:05:09 UTC');
    expect(absoluteTime(winter + 7, 3)).toBe('31 Jan 2024, 22:05:09.007 UTC');
    setTimeZone('Europe/Paris');
    expect(absoluteTime(winter)).toBe('31 Jan 2024, 23:05:09 UTC+1');
    expect(absoluteTime(summer)).toBe('2 Jul 2024, 00:05:09 UTC+2');
    setTimeZone('Asia/Kathmandu');
    expect(absoluteTime(winter)).toBe('1 Feb 2024, 03:50:09 UTC+5:45');
  });

  it('is said in the language of the page, with the zone at its end', async () => {
    await startI18n('en');
    setTimeZone('America/New_York');
    for (const language of ['fr', 'de'] as const) {
      await setLanguage(language);
      expect(absoluteTime(winter)).toMatch(/^31\.? jan.* 2024.*17:05:09 UTC[-−]5$/i);
    }
  });

  it('is told relative to now, in the largest unit that fits', () => {
    expect(relativeTime(winter, winter + 26 * 3_600_000)).toBe('yesterday');
    expect(relativeTime(winter, winter + 119_000)).toBe('1 minute ago');
    expect(relativeTime(winter + 7_200_000, winter)).toBe('in 2 hours');
    expect(relativeTime(winter, winter)).toBe('now');
  });
});

describe('a zone', () => {
  it('that the browser does not know is UTC', () => {
    expect(zoneName('Europe/Atlantis')).toBe('UTC');
    expect(zoneName('browser')).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(everyZone()).toContain('Europe/Berlin');
  });
});
