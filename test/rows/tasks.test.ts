import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { Environment, EnvironmentScope } from '../../src/contracts/environments/environment.ts';
import type { ErrorData } from '../../src/contracts/errors/error-data.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { TaskInput } from '../../src/contracts/tasks/task.ts';
import { taskSchema } from '../../src/contracts/tasks/task.ts';
import { parseEvent } from '../../src/events/parse-event.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { evaluateTask } from '../../src/testing/evaluators/evaluate-task.ts';
import { judgedBy } from '../../src/testing/evaluators/judged-by.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { environmentFrom } from '../../src/tools/built-in/host/environment-from-spec.ts';
import { hostEnvironment } from '../../src/tools/built-in/host/host-environment.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { fileTools } from '../../src/tools/environments/file-tools.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { echo, settled, start, typesOf } from '../support/runs.ts';

const looks = calls({ name: 'echo', input: { text: 'x' } });

/** An environment that takes down what is called of it. */
const watched = (changes: Partial<Environment> = {}) => {
  const life: string[] = [];
  const scopes: (EnvironmentScope | undefined)[] = [];
  const environment: Environment = {
    ...memoryEnvironment({ files: { 'a.md': 'x' } }),
    setup: (scope) => {
      scopes.push(scope);
      life.push('setup');
    },
    close: () => void life.push('close'),
    teardown: () => void life.push('teardown'),
    ...changes,
  };
  return { life, scopes, environment };
};

/** The issues that ended a run, by code and field. */
const issuesOf = ({ events }: Pick<RunResult, 'events'>): readonly unknown[] =>
  events.flatMap((event) => (event.type === 'agent.prepared' ? event.problems : [])).map(issueOf);

const issueOf = ({ code, details }: Pick<ErrorData, 'code' | 'details'>): unknown => [code, details];

const firstText = (model: ReturnType<typeof scriptedModel>): string =>
  model.requests[0]?.messages.find(({ role }) => role === 'user')?.text ?? '';

describe('what a run is about', () => {
  const run = <Input, Output, State>(
    one: Agent<Input, Output, State>,
    input: Input,
    options: RunOptions = {},
  ) => settled(start(one, input, options));

  describe('its budget', () => {
    test('[QITOS-29] comes before the agent’s, and the next run has the agent’s again', async () => {
      const model = scriptedModel(Array.from({ length: 6 }, () => looks));
      const one = agent({
        name: 'a',
        tools: [echo],
        model,
        limits: { budget: { steps: 3, toolCalls: 100 } },
      });
      const first = await run(one, 'x', { task: { objective: 'x', budget: { steps: 1 } } });
      expect(first.stopReason).toMatchObject({ kind: 'budget', budget: 'steps', limit: 1 });
      expect(first.totals.steps).toBe(1);
      const second = await run(one, 'x');
      expect(second.stopReason).toMatchObject({ kind: 'budget', budget: 'steps', limit: 3 });
    });

    test('[QITOS-29] comes after that of the run, kind by kind', async () => {
      const model = scriptedModel(Array.from({ length: 6 }, () => looks));
      const one = agent({ name: 'a', tools: [echo], model, limits: { budget: { steps: 9 } } });
      const task = { objective: 'x', budget: { steps: 1, toolCalls: 2 } };
      const result = await run(one, 'x', { task, limits: { budget: { steps: 5 } } });
      expect(result.stopReason).toMatchObject({ kind: 'budget', budget: 'toolCalls', limit: 2 });
    });
  });

  describe('is looked at before the first step', () => {
    test('[QITOS-32] [M5] and all that is wrong with task, environment and input is found at once', async () => {
      const { life, environment } = watched({ ops: {}, healthCheck: () => ({ ok: false }) });
      const model = scriptedModel([]);
      const one = agent({
        name: 'a',
        input: z.object({ city: z.string() }),
        model,
        tools: [fileTools()],
        environment,
      });
      const task: TaskInput = { objective: '', budget: { steps: 0 } };
      // @ts-expect-error: that is no input
      const result = await settled(start(one, { city: 1 }, { task }));
      expect(issuesOf(result)).toEqual([
        ['task.invalid', { issue: 'task.objective', field: 'objective' }],
        ['task.invalid', { issue: 'task.budget.steps', field: 'budget.steps' }],
        ['environment.unfit', { issue: 'environment.unhealthy', field: 'environment' }],
        ['environment.unfit', { issue: 'environment.group-missing', field: 'files' }],
        ['input.invalid', undefined],
      ]);
      expect(result.error).toMatchObject({
        code: 'task.invalid',
        details: [{ details: { issue: 'task.objective' } }, {}, {}, {}, {}],
      });
      expect(result.task).toBeUndefined();
      expect(life).toEqual(['setup', 'close', 'teardown']);
    });

    test('[QITOS-35] what is wrong ends the run failed, with no step, one last event, and all let go of', async () => {
      const { life, environment } = watched();
      const model = scriptedModel([]);
      const one = agent({ name: 'a', model, tools: [fileTools()], environment });
      const task: TaskInput = { objective: 'x', resources: [{ kind: 'file', locator: 'gone.md' }] };
      const result = await run(one, 'x', { task });
      expect(result).toMatchObject({ status: 'failed', error: { code: 'task.invalid' } });
      expect(issuesOf(result)).toEqual([
        ['task.invalid', { issue: 'resource.missing', field: 'resources.0.locator' }],
      ]);
      expect(result.totals).toMatchObject({ steps: 0, modelCalls: 0 });
      expect(typesOf(result.events).filter((type) => type === 'run.ended')).toHaveLength(1);
      expect(typesOf(result.events).at(-1)).toBe('run.ended');
      expect(life).toEqual(['setup', 'close', 'teardown']);
      expect(model.requests).toHaveLength(0);
    });

    test('[QITOS-35] what is wrong with the environment alone is called that', async () => {
      const one = agent({ name: 'a', model: scriptedModel([]), tools: [fileTools()] });
      expect((await run(one, 'x', { task: 'x' })).error?.code).toBe('environment.unfit');
      expect((await run(one, 'x', { task: '' })).error?.code).toBe('task.invalid');
    });

    test('[QITOS-35] a team is refused by its one task before anybody is engaged', async () => {
      const model = scriptedModel([]);
      const crew = pipeline({ name: 'crew', stages: [agent({ name: 'a', model })] });
      const task: TaskInput = { objective: ' ', constraints: [''] };
      const result = await run(crew, 'x', { task });
      expect(result).toMatchObject({ status: 'failed', error: { code: 'task.invalid' } });
      expect(typesOf(result.events)).toEqual(['run.started', 'run.ended']);
      const named = await run(crew, 'x', { task: { objective: 'x', environment: { type: 'host' } } });
      expect(named.error).toMatchObject({
        code: 'environment.unfit',
        details: { issue: 'environment.missing' },
      });
    });

    test.each<readonly [string, object, object]>([
      ['the task', { wish: 'x' }, { issue: 'task.invalid', field: '' }],
      ['its budget', { budget: { step: 1 } }, { issue: 'task.invalid', field: 'budget' }],
    ])('[QITOS-33] a key that %s does not have is no slip to be passed over', async (_, part, details) => {
      const one = agent({ name: 'a', model: scriptedModel([]) });
      const task: object = { objective: 'x', ...part };
      const result = await run(one, 'x', { task: task as TaskInput });
      expect(result.error).toMatchObject({ code: 'task.invalid', details });
    });

    test('[QITOS-34] an agent without the environment that the task names cannot begin', async () => {
      const task: TaskInput = { objective: 'x', environment: { type: 'host', root: '/srv/a' } };
      const missing = { code: 'environment.unfit', details: { issue: 'environment.missing' } };
      const model = () => scriptedModel(['Done.']);
      expect((await run(agent({ name: 'a', model: model() }), 'x', { task })).error).toMatchObject(missing);
      const elsewhere = agent({ name: 'a', model: model(), environment: memoryEnvironment() });
      expect((await run(elsewhere, 'x', { task })).error).toMatchObject(missing);
      // Of the same kind, and yet another place.
      const other = { ...memoryEnvironment(), spec: hostEnvironment({ root: '/srv/b' }).spec };
      const beside = agent({ name: 'a', model: model(), environment: other });
      expect((await run(beside, 'x', { task })).error).toMatchObject(missing);
      const same = { ...memoryEnvironment(), spec: hostEnvironment({ root: '/srv/a' }).spec };
      const fit = agent({ name: 'a', model: model(), environment: same });
      expect(await run(fit, 'x', { task })).toMatchObject({ status: 'completed' });
    });

    test('[QITOS-39] an agent may make the environment that the task names', async () => {
      const one = agent({
        name: 'a',
        model: scriptedModel([calls({ name: 'files.read', input: { path: 'a.md' } }), 'Read.']),
        tools: [fileTools()],
        environment: ({ task }) => {
          const { environment, issues } = environmentFrom(task?.environment ?? { type: 'memory' });
          if (environment === undefined) throw new TypeError(issues[0]?.message);
          return environment;
        },
      });
      const task = { objective: 'x', environment: { type: 'memory', files: { 'a.md': 'Notes' } } };
      const result = await run(one, 'x', { task });
      expect(result.records[0]?.results[0]).toMatchObject({ ok: true, text: 'Notes' });
      const unknown = agent({ name: 'b', model: scriptedModel([]), environment: missing });
      expect((await run(unknown, 'x', { task })).error?.message).toContain('there is no such world');
    });
  });

  describe('is on record', () => {
    const begun = async (task?: TaskInput) => {
      const one = agent({ name: 'a', model: scriptedModel(['done']), environment: memoryEnvironment() });
      const { events, task: ofResult } = await run(one, 'x', { task });
      const [first] = events;
      if (first?.type !== 'run.started') throw new Error('a run begins with run.started');
      return { first, ofResult };
    };

    test('[QITOS-36] in the first event of the run, read and checked, and so it can be read back', async () => {
      const { first, ofResult } = await begun({
        objective: 'Mend the file',
        successCriteria: ['It is polite.', { kind: 'contains', text: 'done' }],
        budget: { steps: 3 },
      });
      expect(first.task).toEqual(ofResult);
      expect(first.task).toMatchObject({ id: 'task', objective: 'Mend the file', budget: { steps: 3 } });
      expect(parseEvent(JSON.parse(JSON.stringify(first)))).toEqual(first);
    });

    test('[QITOS-36] as plain JSON, whatever its environment is made of', async () => {
      const environment = { type: 'memory', clock: () => 0, started: new Date(0) };
      const { first } = await begun({ objective: 'x', environment });
      expect(JSON.parse(JSON.stringify(first))).toEqual(first);
      expect(first.task?.environment).toMatchObject({ type: 'memory' });
    });

    test('[QITOS-36] unless there is none, or it is unfit', async () => {
      expect((await begun()).first).not.toHaveProperty('task');
      expect((await begun({ objective: '' })).first).not.toHaveProperty('task');
    });
  });

  describe('is told', () => {
    const task: TaskInput = {
      id: 't-1',
      objective: 'Mend the file',
      constraints: ['no new packages'],
      inputs: { ticket: 7 },
      resources: [
        { kind: 'file', locator: 'a.md', access: 'write', description: 'the broken one' },
        { kind: 'url', locator: 'https://docs.example', required: false },
      ],
      successCriteria: [{ kind: 'contains', text: 'secret word' }],
    };

    test('[QITOS-36] to the model before its input, but for the criteria', async () => {
      const model = scriptedModel(['Done.']);
      const { scopes, environment } = watched();
      const result = await run(agent({ name: 'a', model, environment }), 'Begin now.', { task });
      expect(firstText(model)).toBe(
        [
          'Task: Mend the file',
          'Constraints:\n- no new packages',
          'Inputs:\n{\n  "ticket": 7\n}',
          'Resources:\n- file a.md (write): the broken one\n- url https://docs.example (read, may be missing)',
          'Begin now.',
        ].join('\n\n'),
      );
      expect(result.task).toEqual(taskSchema.parse(task));
      expect(taskSchema.parse(JSON.parse(JSON.stringify(result.task)))).toEqual(result.task);
      expect(scopes[0]?.task).toEqual(result.task);
    });

    test('[QITOS-36] alone where the input is empty, and once where the input says the same', async () => {
      const model = scriptedModel(['Done.', 'Done.']);
      const one = agent({ name: 'a', model });
      await run(one, '', { task: 'Mend it' });
      expect(firstText(model)).toBe('Task: Mend it');
      const twin = scriptedModel(['Done.']);
      await run(agent({ name: 'a', model: twin }), 'Mend it', { task: 'Mend it' });
      expect(firstText(twin)).toBe('Mend it');
    });

    test('to every member of a team, and not to an agent that one of them calls', async () => {
      const helping = scriptedModel(['helped']);
      const helper = agent({ name: 'helper', model: helping });
      const ask = tool({
        name: 'ask',
        description: 'Asks the helper.',
        input: z.object({}),
        execute: async (_, { run: runWithin }) => (await runWithin(helper, 'Help me.')).output ?? '',
      });
      const first = scriptedModel([calls({ name: 'ask', input: {} }), 'drafted']);
      const second = scriptedModel(['finished']);
      const crew = pipeline({
        name: 'crew',
        stages: [agent({ name: 'a', model: first, tools: [ask] }), agent({ name: 'b', model: second })],
      });
      await run(crew, 'Begin.', { task: 'Mend it' });
      expect(firstText(first)).toBe('Task: Mend it\n\nBegin.');
      expect(firstText(second)).toBe('Task: Mend it\n\ndrafted');
      expect(firstText(helping)).toBe('Help me.');
    });
  });

  describe('is evaluated by one call', () => {
    const criteria = ['It is short.', { kind: 'contains', text: 'mended' }] as const;
    const task: TaskInput = { id: 't', objective: 'Mend it', successCriteria: [...criteria] };

    test('[QITOS-65] a run that ended well and misses a criterion is no success', async () => {
      const said = (output: string) =>
        run(agent({ name: 'a', decide: () => answer(output) }), 'The lamp.', { task });
      const judging = scriptedModel([JSON.stringify({ score: 1, reason: 'It is.' })], 'judge');
      const judge = (criterion: string) => judgedBy({ criterion, model: judging });
      const good = await evaluateTask(await said('mended'), { judge });
      expect(good).toMatchObject({ taskId: 't', success: true, criteria: [{ score: 1 }, { passed: true }] });
      expect(JSON.parse(firstText(judging))).toMatchObject({
        task: { objective: 'Mend it', constraints: [], input: 'The lamp.' },
        answer: 'mended',
      });
      const bad = await evaluateTask(await said('still broken'));
      expect(bad).toMatchObject({ success: false, isCompleted: true, criteria: [{}, { passed: false }] });
      expect(bad.criteria[0]?.error).toContain('no judge');
    });

    test('[QITOS-65] a run without a task, or with one that is unfit, has nothing to be measured by', async () => {
      const result = await run(agent({ name: 'a', decide: () => answer('mended') }), 'x');
      const codeOf = async (given?: TaskInput) => {
        const caught: unknown = await evaluateTask(result, { task: given }).catch((error: unknown) => error);
        return isTroupeError(caught, 'task.invalid') ? caught.message : 'none';
      };
      expect(await codeOf()).toContain('it has no task');
      expect(await codeOf('')).toContain('objective');
      expect((await evaluateTask(result, { task: 'Mend it' })).success).toBe(true);
    });
  });
});

const missing = (): Environment => {
  throw new TypeError('there is no such world');
};
