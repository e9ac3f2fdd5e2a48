import type { Draft, ObjectName, ObjectRequest, ObjectsEditRequest } from '@/contracts/api';
import type { operations } from '@/contracts/generated/api';
import { answered, client, draftMatch } from '@/lib/api-client';
import type { Problem } from '@/lib/errors';

/** What the API calls a kind of object. */
export type EditedKind = operations['objects_edit']['parameters']['path']['kind'];

/** ALTER or DROP of objects as one action of a change set. */
export async function editObjects(estate: string, kind: EditedKind, body: ObjectsEditRequest, draft: Draft) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/objects/{kind}/edits', {
      params: { path: { estate, kind }, query: { change_set: draft.number } },
      headers: draftMatch(draft),
      body,
    }),
  );
}

/** What such an edit would do to each object. */
export async function previewEdit(estate: string, kind: EditedKind, body: ObjectsEditRequest, draft: number | null) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/objects/{kind}/edits', {
      params: { path: { estate, kind }, query: draft === null ? {} : { change_set: draft } },
      body: { ...body, dry_run: true },
    }),
  );
}

/** CREATE of an object; with `dry_run` only whether that could be done. */
export async function createObject(estate: string, kind: EditedKind, body: ObjectRequest, draft: number | null) {
  return answered(
    await client.POST('/api/v1/estates/{estate}/objects/{kind}', {
      params: { path: { estate, kind }, query: draft === null ? {} : { change_set: draft } },
      body,
    }),
  );
}

/** Asks the server whether it would take an edit: the problem with a change; it rejects as it refuses a new object. */
export async function tryObject(
  estate: string,
  kind: EditedKind,
  object: ObjectName,
  patch: Record<string, unknown>,
  { isNew, draft }: { isNew: boolean; draft: number | null },
): Promise<Problem | null> {
  if (isNew) {
    await createObject(estate, kind, { ...object, fields: patch, dry_run: true }, draft);
    return null;
  }
  const body = { action: 'alter' as const, objects: [object], patch, leave_refused: true, dry_run: true };
  const { rows } = await previewEdit(estate, kind, body, draft);
  const found = rows[0]?.problem ?? null;
  return found === null ? null : { ...found, title: '', status: 422 };
}
