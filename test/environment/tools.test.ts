import { describe, expect, test } from 'vitest';
import type { EnvironmentOps } from '../../src/contracts/environments/operations.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { Toolset } from '../../src/contracts/tools/tool.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { fileTools } from '../../src/tools/environments/file-tools.ts';
import { httpTools } from '../../src/tools/environments/http-tools.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { processTools } from '../../src/tools/environments/process-tools.ts';
import { requirementsOf } from '../../src/tools/environments/requiring.ts';
import { toolContext } from '../tools/tool-context.ts';
import { LazyAbort } from '../../src/base/promises/lazy-abort.ts';
import { performCall } from '../../src/tools/calls/perform-call.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

const world = () =>
  memoryEnvironment({
    files: { 'a.md': 'one\ntwo TODO\nthree', 'src/b.ts': '// todo', 'node_modules/x.js': 'TODO' },
    commands: { make: (args) => ({ exitCode: 2, stdout: args.join('+'), stderr: 'no rule' }) },
    pages: { 'https://a.test/': 'hello' },
  });

/** Calls one tool of a set, with the operations of a run's environment in its context. */
const using = async (set: Toolset, name: string, input: Json, ops?: EnvironmentOps) => {
  const found = set.tools.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  const [abort, clock] = [new LazyAbort(), virtualClock()];
  const context = Object.assign(toolContext(abort, clock), { ops });
  return performCall(found, { id: 'call_0_0', name, input }, context, { abort, clock });
};

describe('[QITOS-41] tools take the operations of the environment', () => {
  test('read, list, search and write', async () => {
    const { ops, files } = world();
    const set = fileTools();
    expect(await using(set, 'read', { path: 'a.md' }, ops)).toMatchObject({ text: 'one\ntwo TODO\nthree' });
    expect(await using(set, 'read', { path: 'a.md', from: 2, to: 2 }, ops)).toMatchObject({
      text: 'two TODO',
    });
    expect(await using(set, 'list', {}, ops)).toMatchObject({ text: 'a.md\nnode_modules/\nsrc/' });
    expect(await using(set, 'search', { text: 'TODO' }, ops)).toMatchObject({ text: 'a.md:2: two TODO' });
    expect(await using(set, 'search', { text: 'todo', ignoreCase: true }, ops)).toMatchObject({
      text: 'a.md:2: two TODO\nsrc/b.ts:1: // todo',
    });
    expect(await using(set, 'search', { text: '.*' }, ops)).toMatchObject({
      text: '“.*” is in none of 2 files.',
    });
    expect(await using(set, 'write', { path: 'new/c.md', text: 'x' }, ops)).toMatchObject({ ok: true });
    expect(files.get('new/c.md')).toBe('x');
  });

  test('run gives exit code and output; a code other than 0 is a result', async () => {
    const { ops } = world();
    expect(await using(processTools(), 'run', { command: 'make', args: ['a', 'b'] }, ops)).toMatchObject({
      ok: true,
      text: 'exit code 2\na+b\nstderr:\nno rule',
    });
    expect(await using(processTools(), 'run', { command: 'rm' }, ops)).toMatchObject({
      ok: false,
      kind: 'denied',
    });
  });

  test('request gives status and text', async () => {
    const { ops } = world();
    expect(await using(httpTools(), 'request', { url: 'https://a.test/' }, ops)).toMatchObject({
      text: '200 https://a.test/\nhello',
    });
    expect(
      await using(httpTools(), 'request', { url: 'https://a.test/', method: 'POST' }, ops),
    ).toMatchObject({ kind: 'validation' });
  });

  test('without the group in its environment a tool fails and says so', async () => {
    expect(await using(fileTools(), 'read', { path: 'a.md' }, {})).toMatchObject({
      ok: false,
      text: expect.stringContaining('does not offer them: found none'),
    });
  });

  test('they say which groups they require, unless these are lent to them', () => {
    expect([...requirementsOf([fileTools(), processTools(), httpTools()]).keys()]).toEqual([
      'files',
      'processes',
      'http',
    ]);
    expect(requirementsOf([fileTools({ ops: world().ops.files })]).size).toBe(0);
  });

  test('commands need a person, files that are written do not, unless it is said otherwise', () => {
    expect(processTools().tools[0]?.needsApproval({ command: 'x' })).toBe(true);
    expect(processTools({ approval: false }).tools[0]?.needsApproval({ command: 'x' })).toBe(false);
    expect(fileTools().tools.map((each) => each.safety)).toEqual(['read', 'read', 'read', 'write']);
    expect(fileTools({ readOnly: true }).tools).toHaveLength(3);
  });
});

test('[QITOS-37] the same agent does the same in whatever environment its tools are lent', async () => {
  const outcomes = [];
  for (const { ops } of [world(), world()]) {
    const model = scriptedModel([
      calls({ name: 'files.read', input: { path: 'a.md', to: 1 } }),
      'It says one.',
    ]);
    const reader = agent({ name: 'reader', model, tools: [fileTools({ ops: ops.files })] });
    const { output, records } = await reader.run('What does it say?');
    outcomes.push({ output, text: records[0]?.results[0]?.text });
  }
  expect(outcomes).toEqual([
    { output: 'It says one.', text: 'one' },
    { output: 'It says one.', text: 'one' },
  ]);
});
