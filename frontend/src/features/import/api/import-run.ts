import type { ImportReport, ImportRequest, Job } from '@/contracts/api';
import { answered, client } from '@/lib/api-client';
import { ApiError, readProblem } from '@/lib/errors';

/** What an import does; of a very long one only the statements to be looked at first, and all of them counted. */
export type ImportOutcome = ImportReport & { counts?: Partial<Record<ImportReport['rows'][number]['effect'], number>> };

const lookMilliseconds = 500;

/**
 * Reads T-SQL scripts and collected servers and says what they would do; without `dry_run`, and without problems, does
 * it. A long import is a job: `onJob` hears how far it is. Answers null for a job that was cancelled.
 */
export async function runImport(request: ImportRequest, onJob: (job: Job) => void): Promise<ImportOutcome | null> {
  const answer = answered(await client.POST('/api/v1/imports', { body: request }));
  if (!('state' in answer)) {
    return answer;
  }
  let job: Job = answer;
  while (job.state === 'queued' || job.state === 'running' || job.state === 'cancelling') {
    onJob(job);
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
    job = answered(await client.GET('/api/v1/jobs/{job}', { params: { path: { job: job.id } } }));
  }
  if (job.state === 'cancelled') {
    return null;
  }
  if (job.state === 'failed') {
    throw new ApiError(readProblem(400, { title: job.title, ...job.problem }));
  }
  const result = await client.GET('/api/v1/jobs/{job}/result', { params: { path: { job: job.id } } });
  return answered(result as { data?: ImportOutcome });
}

/** Ends a job where it can be ended; what it was to do is then not done. */
export async function cancelJob(job: string): Promise<void> {
  await client.POST('/api/v1/jobs/{job}/cancel', { params: { path: { job } } });
}
