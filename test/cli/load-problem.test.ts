import { expect, test } from 'vitest';
import { loadProblem } from '../../src/cli/dev/load-problem.ts';

test('an error of TypeScript that cannot be read names file, line and reason', () => {
  const said = [
    'Transform failed with 1 error:',
    '/home/ann b/desk.ts:3:12: ERROR: Expected ";" but found "agent"',
    '/home/ann b/desk.ts:9:1: ERROR: Unexpected "}"',
  ];
  expect(loadProblem(new Error(said.join('\n')))).toEqual({
    failed: 'Expected ";" but found "agent"',
    place: { file: '/home/ann b/desk.ts', line: 3 },
  });
  expect(loadProblem(new Error('C:\\work\\desk.ts:7:0: ERROR: Unexpected end of file')).place).toEqual({
    file: 'C:\\work\\desk.ts',
    line: 7,
  });
});

test('an error that says so in its words names no place that is none', () => {
  for (const message of ['It failed: ERROR: no power', 'desk.ts:x:1: ERROR: no', ':1:1: ERROR: no'])
    expect(loadProblem(message)).toEqual({ failed: message });
});
