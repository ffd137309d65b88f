import { describe, expect, test } from 'vitest';
import { agent, answer } from '../../src/index.ts';
import { toError } from '../../src/contracts/errors/error.ts';
import type { ErrorData } from '../../src/contracts/errors/error-data.ts';
import { answeredWith, parallel, pattern, pipeline } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/** Throws as an app's own code does: its name, and this file's, are what a stack has to show. */
const throwOfTheApp = (message = 'it broke'): never => {
  throw new TypeError(message);
};

const rejectionOf = async (running: PromiseLike<unknown>): Promise<Error> =>
  await running.then(
    () => {
      throw new Error('it did not reject');
    },
    (thrown: unknown) => {
      if (!(thrown instanceof Error)) throw new Error('it rejected with no error');
      return thrown;
    },
  );

const stacksOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.stack ?? '', ...stacksOf(error.cause)] : [];

const broken = pattern({
  name: 'broken',
  description: 'Throws.',
  own: {},
  actions: { weigh: () => ({ end: answeredWith(throwOfTheApp()) }) },
  initial: 'weighing',
  states: { weighing: { description: 'It throws.', entry: 'weigh', always: ['completed'] } },
});
const fine = agent({ name: 'fine', decide: () => answer('fine') });
const bad = agent({ name: 'bad', decide: () => throwOfTheApp() });

const runs: readonly (readonly [name: string, run: () => PromiseLike<unknown>])[] = [
  ['decide', () => bad.run('x')],
  [
    'decide, later',
    () =>
      agent({
        name: 'a',
        decide: async () => {
          await Promise.resolve();
          return throwOfTheApp();
        },
      }).run('x'),
  ],
  ['reduce', () => agent({ name: 'a', model: scriptedModel(['x']), reduce: () => throwOfTheApp() }).run('x')],
  [
    'a model',
    () => agent({ name: 'a', model: { provider: 'own', id: 'm', answer: () => throwOfTheApp() } }).run('x'),
  ],
  ['an action of a pattern', () => broken({ name: 'team', members: { fine } }).run('x')],
  ['a member of a pipeline', () => pipeline({ name: 'team', stages: [fine, bad] }).run('x')],
  [
    'a member whose team escalates',
    () =>
      parallel({
        name: 'team',
        members: { fine, bad },
        failures: { supervision: { directives: { crash: 'escalate' } } },
      }).run('x'),
  ],
  ['a run with a journal', () => bad.run('x', { store: memoryStore() })],
  ['a stream', () => bad.stream('x').result],
];

describe('the stack of an error', () => {
  test.each(runs)('that %s threw names the line of the app that threw it', async (_, run) => {
    const error = await rejectionOf(run());
    const stacks = stacksOf(error);
    const last = stacks.at(-1) ?? '';
    expect(last).toMatch(
      /^TypeError: it broke\n\s+at throwOfTheApp \(.*stack-of-thrown\.test\.[jt]s:\d+:\d+\)/,
    );
  });

  test('stays out of events, of journals and of what an error is as JSON', async () => {
    const store = memoryStore();
    const handle = bad.stream('x', { store, runId: 'r' });
    const events: unknown[] = [];
    for await (const event of handle) events.push(event);
    const error = await rejectionOf(handle.result);
    const rows = await store.read('r');
    for (const shown of [events, rows, error]) {
      expect(JSON.stringify(shown)).toContain('it broke');
      expect(JSON.stringify(shown)).not.toMatch(/throwOfTheApp|stack-of-thrown/);
    }
  });

  test('shows no secret that its message may not show', async () => {
    const secrets = { VAULT: 'my-own-secret!' };
    const leaky = agent({
      name: 'leaky',
      decide: () => throwOfTheApp('first my-own-secret!\n    at my-own-secret! (x.ts:1:1)'),
    });
    const stacks = stacksOf(await rejectionOf(leaky.run('x', { secrets })));
    expect(stacks.join('\n')).not.toContain('my-own-secret!');
    expect(stacks.at(-1)).toMatch(/^TypeError: first \[redacted VAULT\]\n[^\n]+\n\s+at throwOfTheApp/);
  });

  test('is name and message where the error was thrown in another process', () => {
    const data: ErrorData = {
      code: 'agent.threw',
      message: 'Cannot decide',
      retryable: 'no',
      cause: { name: 'TypeError', message: 'it broke', cause: { name: 'string', message: 'no tea' } },
    };
    expect(stacksOf(toError(data)).slice(1)).toEqual(['TypeError: it broke', 'string: no tea']);
  });
});
