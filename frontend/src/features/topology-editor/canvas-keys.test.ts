import { describe, expect, it } from 'vitest';

import { commandOf, commands, keyOf } from './canvas-keys';

const press = (key: string, held: Partial<Record<'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey', boolean>> = {}) => ({
  key,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...held,
});

describe('the keys of the canvas', () => {
  it('mean one thing each', () => {
    const keys = commands.flatMap((command) => command.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('are named as they are held', () => {
    expect(keyOf(press('z', { ctrlKey: true }))).toBe('Ctrl+Z');
    expect(keyOf(press('Z', { metaKey: true, shiftKey: true }))).toBe('Ctrl+Shift+Z');
    expect(keyOf(press('?', { shiftKey: true }))).toBe('?');
    expect(keyOf(press('ArrowUp', { altKey: true }))).toBe('Alt+ArrowUp');
  });

  it('leave what the browser and the page do to them', () => {
    expect(commandOf(press('Tab'), false)).toBeNull();
    expect(commandOf(press('z', { ctrlKey: true }), false)).toBeNull();
    expect(commandOf(press('f', { ctrlKey: true }), false)).toBeNull();
  });

  it('can be switched off where they are single letters and signs, and only there', () => {
    expect(commandOf(press('m'), false)).toBe('move');
    expect(commandOf(press('m'), true)).toBeNull();
    expect(commandOf(press('?', { shiftKey: true }), true)).toBeNull();
    expect(commandOf(press('Delete'), true)).toBe('delete');
    expect(commandOf(press('ArrowLeft'), true)).toBe('nearest');
  });
});
