import { describe, expect, it } from 'vitest';

import type { Backup } from '@/contracts/api';
import { demoEstate } from '@/testing/demo-estate';

import { consequencesOf, objection, replacedBy, replacesAnother, type Plan } from './restore-choices';

const ventes = `${'a'.repeat(8)}-0000-4000-8000-${'a'.repeat(12)}`;

function plan(more: Partial<Plan> = {}): Plan {
  const backup: Backup = {
    id: 1,
    name: 'avant',
    instance: 'PARIS',
    database: 'Ventes',
    broker_instance: ventes,
    is_broker_enabled: true,
    is_detached: false,
    conversations: 2,
    messages: 1,
    taken_at: '2026-01-01T00:00:00Z',
    taken_by: 'anne',
    content_bytes: 100,
  };
  return { estate: demoEstate(), backup, instance: 'PARIS', database: 'Ventes', choice: 'ENABLE_BROKER', ...more };
}

const said = (more: Partial<Plan>) => consequencesOf(plan(more)).join(' ');

describe('what a restore does', () => {
  it('replaces the database of that name, in whatever case it is written', () => {
    expect(replacedBy(plan({ database: 'VENTES' }))?.name).toBe('Ventes');
    expect(said({})).toContain('Ventes on PARIS is replaced');
    expect(said({ database: 'Essai' })).toContain('PARIS gets a database Essai');
  });

  it('asks before it replaces another database', () => {
    expect(replacesAnother(plan())).toBe(false);
    expect(replacesAnother(plan({ instance: 'LYON', database: 'Entrepôt' }))).toBe(true);
    expect(replacesAnother(plan({ instance: 'LYON', database: 'Essai' }))).toBe(false);
  });

  it('says what becomes of the id and the conversations', () => {
    expect(said({ choice: 'NEW_BROKER' })).toContain('2 conversations end in Ventes with an error; no peer is told');
    expect(said({ choice: 'ERROR_BROKER_CONVERSATIONS' })).toContain('-9719');
    expect(said({ choice: 'norecovery' })).toContain('becomes a mirror copy');
    expect(said({ choice: 'keep' })).toContain('its broker is on, as it was saved');
  });

  it('warns of one id twice, beside itself and across instances, unless the id is new', () => {
    expect(said({ database: 'Essai', choice: 'keep' })).toContain('(9773)');
    expect(said({ instance: 'LYON', database: 'Essai', choice: 'keep' })).toContain('messages may reach the wrong one');
    expect(said({ database: 'Essai', choice: 'NEW_BROKER' })).not.toContain('this id');
    expect(said({})).not.toContain('9773');
  });

  it('refuses a name that is none, and a mirrored database', () => {
    expect(objection(plan({ database: ' ' }))).toBe('Name the database.');
    const mirrored = plan();
    const [paris] = mirrored.estate.instances;
    const estate = {
      ...mirrored.estate,
      instances:
        paris === undefined
          ? []
          : [{ ...paris, databases: paris.databases.map((one) => ({ ...one, partner_address: 'TCP://lyon:4022' })) }],
    };
    expect(objection({ ...mirrored, estate })).toContain('(3104)');
    expect(objection(plan())).toBeNull();
  });
});
