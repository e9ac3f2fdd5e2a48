import { readFileSync } from 'node:fs';

import openapiTypes, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';

it('has the types of the OpenAPI document as it is now (npm run generate:api)', async () => {
  const document: unknown = JSON.parse(readFileSync('openapi.json', 'utf8'));
  const types = astToString(await openapiTypes(document as Parameters<typeof openapiTypes>[0]));
  expect(readFileSync('src/contracts/generated/api.ts', 'utf8')).toContain(types.trim());
});
