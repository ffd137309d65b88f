import { expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { race } from '../../src/patterns/race.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

const refusalOf = (define: () => unknown): string => {
  try {
    define();
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : '';
  }
  return 'nothing was refused';
};

const definedWith = (options: object): string =>
  refusalOf(() => Reflect.apply(agent, undefined, [{ name: 'x', ...options }]));

test.each<[object, string]>([
  [{ maxSteps: 5 }, 'stop: maxSteps(20)'],
  [{ stopWhen: [] }, 'stop: maxSteps(20)'],
  [{ temperature: 0 }, 'settings: { temperature: 0 }'],
  [{ maxTokens: 100 }, 'settings: { maxOutputTokens: 4_000 }'],
  [{ systemPrompt: 'Be brief.' }, '`instructions`'],
  [{ system: 'Be brief.' }, '`instructions`'],
  [{ timeout: 1_000 }, 'limits: { budget: { timeMs: 60_000 } }'],
  [{ onFinish: () => undefined }, 'hooks: [{ name, handle(event) { … } }]'],
  [{ verbose: true }, 'hooks: [{ name, handle(event) { … } }]'],
  [{ maxRetries: 3 }, 'failures: { retry: { attempts: 3 } }'],
  [{ outputSchema: {} }, '`output`'],
])('an option of another runtime given to an agent is answered with ours: %j', (options, ours) => {
  const [option = ''] = Object.keys(options);
  const message = definedWith(options);
  expect(message).toContain(`its option \`${option}\` is unknown: write `);
  expect(message).toContain(ours);
});

test('options of an agent given to a run are sent to the agent, and those of a run have their place', async () => {
  const clerk = agent({ name: 'clerk', decide: () => answer('done') });
  const run = (options: object): Promise<string> =>
    clerk.run('x', options).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );
  expect(await run({ temperature: 0 })).toContain('write `agent({ settings: { temperature: 0 } })`');
  expect(await run({ system: 'Be brief.' })).toContain('write `agent({ instructions })`');
  expect(await run({ maxSteps: 5 })).toContain('write `limits: { budget: { steps: 20 } }`');
  expect(await run({ abortSignal: 1 })).toContain('write `signal`');
});

test('a team says where its bounds and its members’ options stand', () => {
  const made = (options: object): string => {
    const ann = agent({ name: 'ann', decide: () => answer('done') });
    const bob = agent({ name: 'bob', decide: () => answer('done') });
    return refusalOf(() =>
      Reflect.apply(race, undefined, [{ name: 'x', members: { ann, bob }, ...options }]),
    );
  };
  expect(made({ maxIterations: 5 })).toContain('write `limits: { budget: { steps: 20 } }`');
  expect(made({ temperature: 0 })).toContain('write `agent({ settings: { temperature: 0 } })`');
});

test('a tool knows what others call its input and its function', () => {
  const message = refusalOf(() =>
    Reflect.apply(tool, undefined, [{ name: 'x', description: 'x', inputSchema: {}, handler: () => 1 }]),
  );
  expect(message).toContain('write `execute`');
  expect(message).toContain('write `input`');
});

test('each unknown option has a hint of its own, and all options are listed once', () => {
  const message = definedWith({ colour: 'red', modle: 'x', shape: 'round' });
  expect(message).toContain('`modle` is unknown: did you mean `model`?');
  expect(message).toContain('`colour` is unknown: there are name, ');
  expect(message).toMatch(/`shape` is unknown$/);
  expect(message.match(/there are name/g)).toHaveLength(1);
});
