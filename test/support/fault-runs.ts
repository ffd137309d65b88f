import { expect } from 'vitest';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import type { HttpOutcome } from './run-over-http.ts';
import { ofType } from './runs.ts';

/** Three pieces, so that a stream can break after some of it was shown. */
export const GREETING = { text: ['It ', 'is ', 'sunny.', ' Take a hat.'] };
export const WHOLE = GREETING.text.join('');

/** It answered in the end, nothing is shown twice, and what went wrong on the way is on record. */
export const expectAnswer = ({ result, shown }: HttpOutcome<unknown>, retries: number): void => {
  expect(result).toMatchObject({ status: 'completed', output: WHOLE, totals: { retries } });
  expect(shown).toEqual([WHOLE]);
  expect(ofType(result.events, 'model.answered').map(({ text }) => text)).toEqual([WHOLE]);
  expect(ofType(result.events, 'model.retrying')).toHaveLength(retries);
  expect(ofType(result.events, 'model.failed')).toEqual([]);
};
/** It failed, with a typed error that says where, and nothing is left on the screen. */
export const expectFailure = ({ result, shown }: HttpOutcome<unknown>, code: ErrorCode): void => {
  expect(result).toMatchObject({ status: 'failed', stopReason: { kind: 'failed' }, output: undefined });
  expect(result.error).toMatchObject({
    code,
    path: 'clerk',
    step: 0,
    phase: 'DECIDE',
    runId: result.runId,
  });
  expect(ofType(result.events, 'run.ended')[0]?.error).toEqual(result.error);
  expect(ofType(result.events, 'model.failed').map(({ error }) => error.code)).toEqual([code]);
  expect(shown).toEqual([]);
};
