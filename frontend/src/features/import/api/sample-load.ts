import { answered, client } from '@/lib/api-client';

/** Loads a sample estate through the importer; the answer says under which name. */
export async function loadSample(sample: string) {
  return answered(await client.POST('/api/v1/samples/{sample}/load', { params: { path: { sample } } }));
}
