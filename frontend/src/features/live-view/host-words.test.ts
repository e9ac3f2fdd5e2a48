import { describe, expect, it } from 'vitest';

import type { InstanceHosting } from '@/contracts/api';

import { hostFacts, hostWords } from './host-words';

const running: InstanceHosting = {
  estate: 'demo-fr-de',
  instance: 'PARIS',
  state: 'running',
  holder: 'worker1@server/4711/1f2e3d4c',
  since: 1_800_000_000,
  fence: 3,
  applied_revision: 7,
  wanted_revision: 7,
  inbox: 0,
  transmission: 1200,
  oldest_seconds: 90,
  ready: 2,
  last_event: 41,
  worker_bytes: 100 * 2 ** 20,
  failure: '',
};

const nobody: InstanceHosting = {
  ...running,
  state: 'nobody',
  holder: null,
  transmission: null,
  oldest_seconds: null,
  worker_bytes: null,
};

describe('the words about a host', () => {
  it('name the worker, and the state only when it does not run', () => {
    expect(hostWords(running)).toBe('on worker1@server');
    expect(hostWords({ ...running, state: 'failed' })).toBe('failed on worker1@server');
    expect(hostWords(nobody)).toBe('on no worker');
  });

  it('tell lag and memory where they are known, and why it does not work', () => {
    expect(hostFacts(running).split('\n')).toEqual([
      'Fencing number 3',
      '1,200 messages to transmit, the oldest for 1 m 30 s',
      'Memory of the worker 100 MiB',
    ]);
    expect(hostFacts(nobody)).toBe('Fencing number 3');
    expect(hostFacts({ ...nobody, failure: 'the disk is full' })).toContain('the disk is full');
  });
});
