import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { missingFixtures } from './fixtures-missing.ts';

/** The path of something in the fixture folder (`TROUPE_FIXTURES`), whether or not it is there. */
export const fixtures = (...path: readonly string[]): string =>
  join(process.env['TROUPE_FIXTURES'] ?? '../shared/fixtures', ...path);

/**
 * A `describe` that needs a folder or file of the fixtures. Without it the body, which may read fixtures to
 * make up its tests, is not even called: one skipped test, counted by the reporter, stands in its place.
 */
export const describeWithFixtures = (
  name: string,
  path: string | readonly string[],
  body: () => void,
): void => {
  const missing = [path].flat().filter((each) => !existsSync(fixtures(each)));
  if (missing.length === 0) describe(name, body);
  else describe(name, () => it.skip(`${missingFixtures}: ${missing.join(', ')}`));
};
