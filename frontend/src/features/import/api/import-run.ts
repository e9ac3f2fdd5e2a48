import type { ImportReport, ImportRequest } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';

/** Reads T-SQL scripts and says what they would do; without `dry_run`, and without problems in them, does it. */
export async function runImport(request: ImportRequest): Promise<ImportReport> {
  return answered(await client.POST('/api/v1/imports', { body: request }));
}
