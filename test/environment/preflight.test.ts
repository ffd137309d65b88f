import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import type { IssueCode, TaskInput } from '../../src/contracts/tasks/task.ts';
import { taskSchema } from '../../src/contracts/tasks/task.ts';
import { environmentFrom } from '../../src/tools/built-in/host/environment-from-spec.ts';
import { checkResources } from '../../src/tools/environments/check-resources.ts';
import { checkTask } from '../../src/tools/environments/check-task.ts';
import { fileTools } from '../../src/tools/environments/file-tools.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { preflight } from '../../src/tools/environments/preflight.ts';
import { processTools } from '../../src/tools/environments/process-tools.ts';

const scope = { runId: 'r', path: 'a' };
const codesOf = (issues: readonly { readonly code: IssueCode }[]) => issues.map(({ code }) => code);

describe('[QITOS-36] a task', () => {
  test('may be a plain string: its objective', () => {
    expect(checkTask('Tidy up').task).toMatchObject({ objective: 'Tidy up', resources: [], budget: {} });
  });

  test('goes through JSON and comes back equal', () => {
    const { task } = checkTask({
      id: 't-1',
      objective: 'Mend it',
      inputs: { ticket: 7 },
      resources: [{ kind: 'file', locator: 'a.ts', access: 'write' }],
      environment: { type: 'host', root: '/srv' },
      constraints: ['no new packages'],
      successCriteria: ['It is mended.', { kind: 'contains', text: 'done' }],
      budget: { steps: 5, timeMs: 1_000, tokens: 100, toolCalls: 3 },
      metadata: { owner: 'me' },
    });
    expect(task?.successCriteria[0]).toEqual({ kind: 'judge', criterion: 'It is mended.' });
    expect(taskSchema.parse(JSON.parse(JSON.stringify(task)))).toEqual(task);
  });
});

/** What one thing wrong with a task looks like; JavaScript callers and files say anything. */
const broken: readonly (readonly [IssueCode, string, object])[] = [
  ['task.id', 'id', { id: ' ' }],
  ['task.objective', 'objective', { objective: '' }],
  ['task.inputs', 'inputs', { inputs: 'x' }],
  ['task.budget.steps', 'budget.steps', { budget: { steps: 0 } }],
  ['task.budget.time', 'budget.timeMs', { budget: { timeMs: -1 } }],
  ['task.budget.tokens', 'budget.tokens', { budget: { tokens: 1.5 } }],
  ['task.budget.toolCalls', 'budget.toolCalls', { budget: { toolCalls: -1 } }],
  ['task.budget.usd', 'budget.usd', { budget: { usd: -0.01 } }],
  ['task.environment', 'environment.type', { environment: { type: '' } }],
  ['task.constraints', 'constraints.0', { constraints: [''] }],
  ['task.criteria', 'successCriteria.0', { successCriteria: [{ kind: 'vibes' }] }],
  ['task.criteria', 'successCriteria.0.pattern', { successCriteria: [{ kind: 'matches', pattern: '(' }] }],
  ['task.metadata', 'metadata', { metadata: 1 }],
  ['resource.kind', 'resources.0.kind', { resources: [{ kind: 'soul', locator: 'a' }] }],
  ['resource.locator', 'resources.0.locator', { resources: [{ kind: 'file', locator: '../a' }] }],
  ['resource.locator', 'resources.0.locator', { resources: [{ kind: 'url', locator: 'nonsense' }] }],
  [
    'resource.mount',
    'resources.0.mount',
    { resources: [{ kind: 'url', locator: 'http://a.test', mount: '/x' }] },
  ],
  [
    'resource.mount',
    'resources.0.mount',
    { resources: [{ kind: 'url', locator: 'http://a.test', mount: '' }] },
  ],
  ['resource.invalid', 'resources.0.access', { resources: [{ kind: 'file', locator: 'a', access: 'own' }] }],
];

describe('[QITOS-33] a task with one thing wrong has the code and the field of that', () => {
  test.each(broken)('%s at %s', (code, field, part) => {
    const task: object = { objective: 'x', ...part };
    expect(checkTask(task as TaskInput).issues).toMatchObject([{ code, field }]);
  });

  test('something that is no task at all, or throws when it is looked at', () => {
    const hostile: object = {
      get objective() {
        throw new Error('do not look');
      },
    };
    expect(checkTask(hostile as TaskInput).issues).toMatchObject([
      { code: 'task.threw', message: expect.stringContaining('do not look') },
    ]);
    expect(codesOf(checkTask(Object(7) as TaskInput).issues)).not.toEqual([]);
  });

  test('resources that are missing, of another kind, or cannot be written', async () => {
    const { ops } = memoryEnvironment({
      files: { 'here.txt': 'x', 'closed/file.txt': 'x', 'kept.txt': 'x' },
    });
    if (ops.files === undefined) throw new Error('there are no files');
    const whole = ops.files;
    const files = {
      ...whole,
      stat: async (path: string) => {
        const found = await whole.stat(path);
        return found && (path === 'kept.txt' || path === 'closed') ? { ...found, isWritable: false } : found;
      },
    };
    const { task } = checkTask({
      objective: 'x',
      resources: [
        { kind: 'file', locator: 'here.txt' },
        { kind: 'file', locator: 'gone.txt' },
        { kind: 'file', locator: 'may-be-gone.txt', required: false },
        { kind: 'folder', locator: 'here.txt' },
        { kind: 'file', locator: 'kept.txt', access: 'write' },
        { kind: 'file', locator: 'closed/new.txt', access: 'write' },
        { kind: 'file', locator: 'new/folder/file.txt', access: 'write' },
        { kind: 'artifact', locator: 'report' },
      ],
    });
    if (task === undefined) throw new Error('the task is unfit');
    expect((await checkResources(task, files)).map(({ code, field }) => [code, field])).toEqual([
      ['resource.missing', 'resources.1.locator'],
      ['resource.kind', 'resources.3.locator'],
      ['resource.not-writable', 'resources.4.locator'],
      ['resource.parent-not-writable', 'resources.5.locator'],
    ]);
  });
});

describe('[QITOS-34] an environment that does not do', () => {
  const tools = [fileTools(), processTools()];
  const bare = (changes: Partial<Environment>): Environment => ({ name: 'bare', ops: {}, ...changes });

  test('is missing where tools require operations', async () => {
    const { issues } = await preflight({ tools, scope });
    expect(codesOf(issues)).toEqual(['environment.missing', 'environment.missing']);
    expect(issues.map(({ field }) => field)).toEqual(['files', 'processes']);
    expect((await preflight({ scope })).issues).toEqual([]);
  });

  test('lacks a group, is not well, or throws: each has its code', async () => {
    const { files } = memoryEnvironment().ops;
    const found = async (environment: Environment) =>
      codesOf((await preflight({ tools, environment, scope })).issues);
    expect(await found(bare({ ops: { files } }))).toEqual(['environment.group-missing']);
    const sick = bare({ ...memoryEnvironment(), healthCheck: () => ({ ok: false, reason: 'no disk' }) });
    expect(await found(sick)).toEqual(['environment.unhealthy']);
    const throwing = () => Promise.reject(new Error('it broke'));
    for (const part of [{ setup: throwing }, { healthCheck: throwing }, { reset: throwing }])
      expect(await found(bare({ ...memoryEnvironment(), ...part }))).toEqual(['environment.threw']);
  });

  test('[QITOS-41] a tool whose operations are lent to it requires none', async () => {
    const { ops } = memoryEnvironment();
    expect((await preflight({ tools: [fileTools({ ops: ops.files })], scope })).issues).toEqual([]);
  });
});

describe('[QITOS-32] [M5] everything is looked at before the first step', () => {
  test('and everything that is wrong is found at once', async () => {
    const environment: Environment = { name: 'sick', ops: {}, healthCheck: () => ({ ok: false }) };
    const task = { objective: '', budget: { steps: 0 } };
    const { issues, session } = await preflight({ task, environment, tools: [fileTools()], scope });
    expect(codesOf(issues)).toEqual([
      'task.objective',
      'task.budget.steps',
      'environment.unhealthy',
      'environment.group-missing',
    ]);
    expect(session).toBeUndefined();
  });

  test('what was opened is closed again unless all is well', async () => {
    const calls: string[] = [];
    const environment = {
      ...memoryEnvironment(),
      close: () => void calls.push('close'),
      teardown: () => void calls.push('teardown'),
    };
    const task = { objective: 'x', resources: [{ kind: 'file' as const, locator: 'gone.txt' }] };
    expect(codesOf((await preflight({ task, environment, scope })).issues)).toEqual(['resource.missing']);
    expect(calls).toEqual(['close', 'teardown']);
    const well = await preflight({ task: 'x', environment, scope });
    expect(well.session?.name).toBe('memory');
  });
});

describe('[QITOS-39] the environment that a task names', () => {
  test.each([
    ['host', { root: '.' }, 'host'],
    ['local', { root: '.' }, 'host'],
    ['repo', { root: '.' }, 'host'],
    ['container', { container: 'box', root: '/work' }, 'box'],
    ['docker', { container: 'box', root: '/work' }, 'box'],
    ['remote', { url: 'https://box.example' }, 'remote'],
    ['memory', {}, 'memory'],
  ])('%s', (type, rest, name) => {
    expect(environmentFrom({ type, ...rest })).toMatchObject({ environment: { name }, issues: [] });
  });

  test.each(['container', 'docker'])('a new %s of an image', (type) => {
    const { environment, issues } = environmentFrom({ type, image: 'node:24-slim', program: 'podman' });
    expect(issues).toEqual([]);
    expect(environment).toMatchObject({
      name: 'container',
      spec: { type: 'container', image: 'node:24-slim' },
    });
  });

  test.each([
    [{ type: 'moon' }, 'not one of host'],
    [{ type: '__proto__' }, 'not one of host'],
    [{ type: 'host' }, 'root'],
    [{ type: 'docker', container: '--privileged', root: '/' }, 'container'],
    [{ type: 'container', image: '--privileged' }, 'image'],
    [{ type: 'container', image: 'node:24-slim', container: 'box' }, 'container'],
    [{ type: 'container', image: 'node:24-slim', program: '/bin/sh' }, 'program'],
    [{ type: 'remote', url: 'file:///etc' }, 'url'],
  ])('%j is an issue', (spec, reason) => {
    expect(environmentFrom(spec).issues).toMatchObject([
      { code: 'task.environment', message: expect.stringContaining(reason) },
    ]);
  });
});
