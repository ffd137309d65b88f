import type { Json } from '../../../base/json/json.ts';
import { givenJson } from './given-json.ts';

/**
 * The state of `--state`: JSON, or `@FILE` with a file that holds it.
 *
 * @throws {TroupeError} (rejects with) `command.usage`
 */
export const givenState = (given: string, folder: string): Promise<Json> =>
  givenJson({ option: '--state', given, folder, advice: EXAMPLE });

const EXAMPLE = `Give the whole state, such as '{"total": 0}', or @FILE`;
