// Change sets for tests.
import type { ChangeSet, MergedObject } from '@/contracts/api';

export function changedObject(more: Partial<MergedObject> = {}): MergedObject {
  const field = { name: 'address', base: 'TCP://lyon:4022', theirs: 'TCP://lyon:4022', mine: 'TCP://hub:4022' };
  return {
    instance: 'PARIS',
    database: 'Ventes',
    kind: 'route',
    name: 'VersLyon',
    effect: 'change',
    fields: [field],
    conflict: null,
    ...more,
  };
}

export function changeSet(more: Partial<ChangeSet> = {}): ChangeSet {
  const objects = more.objects ?? [changedObject()];
  return {
    number: 3,
    title: '',
    author: 'anna',
    state: 'open',
    base_revision: 4,
    revision: 4,
    is_behind: false,
    applied_revision: null,
    sequence: 7,
    created_at: '2026-01-01T00:00:00Z',
    changed_at: '2026-01-01T00:00:00Z',
    can_undo: true,
    undo_summary: 'Change route VersLyon',
    undo_hindrance: null,
    can_redo: false,
    redo_summary: null,
    redo_hindrance: null,
    commands: [],
    objects,
    object_count: objects.length,
    object_counts: { add: 0, change: objects.length, remove: 0 },
    object_kinds: ['route'],
    object_instances: ['PARIS'],
    matching_count: objects.length,
    page: 1,
    pages: 1,
    conflict_count: 0,
    problems: [],
    ...more,
  };
}
