import type { Draft, ObjectRequest, ObjectsEditRequest } from '@/contracts/api';
import type { operations } from '@/contracts/generated/api';
import { answered, client, draftMatch } from '@/lib/api-client';

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
