import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { calls, scriptedModel, type ScriptedModel } from '../../src/testing/scripted-model.ts';
import { calculator } from '../../src/tools/built-in/calculator.ts';
import { describeWithFixtures } from '../support/fixtures.ts';
import type { WireKind } from '../support/provider-streams.ts';
import { PlainStore } from '../support/plain-store.ts';
import {
  retailData,
  RetailDesk,
  retailPolicy,
  retailTasks,
  type RetailTask,
  toldToModel,
} from '../support/retail.ts';
import { assertWhole, runOverHttp } from '../support/run-over-http.ts';
import { ofType, start } from '../support/runs.ts';
import { sampled } from '../support/thorough.ts';
import { says } from '../support/wire-answers.ts';
import { perform } from '../tools/tool-context.ts';

const kinds: readonly WireKind[] = ['openai-responses', 'openai-chat', 'anthropic'];
const FAREWELL = 'All done. Is there anything else?';

describeWithFixtures('the retail desk', ['retail/tasks.json', 'retail/db.json', 'retail/tools.json'], () => {
  const tasks = retailTasks();
  const data = retailData();

  /** Beside its own limit a task may take as many steps as were recorded. */
  const clerk = (desk: RetailDesk, model: ScriptedModel, task: RetailTask) =>
    agent({
      name: 'clerk',
      instructions: retailPolicy(),
      model,
      tools: desk.tools(tasks),
      stop: maxSteps(task.steps.length + 1),
    });

  /** A model that decides the recorded calls: one after the other, or all of them at once. */
  const recorded = ({ steps }: RetailTask, atOnce: boolean): ScriptedModel => {
    const wanted = steps.map(({ name, arguments: input }) => ({ name, input }));
    const turns = atOnce
      ? wanted.length === 0
        ? []
        : [calls(...wanted)]
      : wanted.map((each) => calls(each));
    return scriptedModel([...turns, FAREWELL]);
  };

  type Start = (task: RetailTask, atOnce: boolean) => Promise<RunResult>;

  /** Runs a task and checks all that is recorded of it. */
  const runTask =
    (begin: (clerk: ReturnType<typeof agent>, input: string, options: RunOptions) => RunHandle): Start =>
    async (task, atOnce) => {
      const desk = new RetailDesk(data, task.steps, atOnce);
      const model = recorded(task, atOnce);
      expect(desk.digest()).toBe(task.initial_digest);
      const handle = begin(clerk(desk, model, task), task.instruction, { runId: task.id });
      const result = await handle.result;

      expect(result).toMatchObject({
        status: 'completed',
        output: FAREWELL,
        stopReason: { kind: 'answered' },
      });
      model.assertConsumed();
      expect(desk.digest()).toBe(task.final_digest);

      const told = task.steps.map(toldToModel);
      const lastRequest = model.requests.at(-1)?.messages ?? [];
      expect(lastRequest.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []))).toEqual(told);
      expect(lastRequest.flatMap((turn) => (turn.role === 'tool' ? [turn.failed ?? false] : []))).toEqual(
        task.steps.map(({ isError }) => isError),
      );
      if (!atOnce)
        model.requests.slice(1).forEach(({ messages }, index) => {
          expect(messages.at(-1)).toMatchObject({ role: 'tool', text: told[index] });
        });

      expect(desk.ledger.map(({ name }) => name)).toEqual(task.steps.map(({ name }) => name));
      expect(new Set(desk.ledger.map(({ key }) => key)).size).toBe(task.steps.length);

      assertWhole(result);
      const results = result.records.flatMap((record) => record.results);
      const finished = ofType(result.events, 'tool.finished');
      expect(results.map(({ text }) => text)).toEqual(told);
      expect(finished.map(({ text }) => text)).toEqual(told);
      expect(results.map(({ ok }) => ok)).toEqual(finished.map(({ ok }) => ok));
      expect(finished.map(({ callId }) => callId)).toEqual(results.map(({ callId }) => callId));
      expect(ofType(result.events, 'tool.requested').map(({ input }) => input)).toEqual(
        task.steps.map((step) => step.arguments),
      );
      const steps = atOnce ? Math.min(task.steps.length, 1) + 1 : task.steps.length + 1;
      expect(result.totals).toMatchObject({
        toolCalls: task.steps.length,
        modelCalls: steps,
        steps,
        retries: 0,
      });
      expect(result.records).toHaveLength(steps);
      return result;
    };

  const unstored = runTask(start);
  const stored = runTask((of, input, options) => of.stream(input, { ...options, store: new PlainStore() }));

  describe.each([
    ['one call a step', false],
    ['all calls in one step, writing ones alone and in order', true],
  ])('%s', (_, atOnce) => {
    it.each(sampled(tasks, 2))(
      '$id is done as recorded, with a store and without one alike',
      async (task) => {
        const result = await unstored(task, atOnce);
        expect(compareRuns(result, await stored(task, atOnce))).toEqual([]);
      },
    );
  });

  // Each task by one of the providers; by all of them where all is tried.
  describe.each(kinds.map((kind, index) => ({ kind, index })))('$kind', ({ kind, index }) => {
    it.each(
      sampled(
        tasks.filter(({ steps }) => steps.length > 0),
        kinds.length,
        index,
      ),
    )('[P18] $id over HTTP: every output reaches the provider byte for byte', async (task) => {
      const desks: RetailDesk[] = [];
      const { requests, result } = await runOverHttp({
        kind,
        input: task.instruction,
        replies: [
          ...task.steps.map(({ name, arguments: input }) =>
            says(kind, { calls: [{ name, arguments: JSON.stringify(input) }] }),
          ),
          says(kind, FAREWELL),
        ],
        agent: (model) => {
          const desk = new RetailDesk(data, task.steps);
          desks.push(desk);
          return agent({
            name: 'clerk',
            instructions: retailPolicy(),
            model,
            tools: desk.tools(tasks),
            stop: maxSteps(task.steps.length + 1),
          });
        },
      });
      expect(result.output).toBe(FAREWELL);
      expect(desks.map((desk) => desk.digest())).toEqual(desks.map(() => task.final_digest));
      const last = requests.at(-1)?.body;
      expect(resultsIn(kind, last)).toEqual(task.steps.map(toldToModel));
    });
  });

  it('a recorded error comes back as an error result, word for word, and the run goes on', async () => {
    const output = 'Error: non-pending order cannot be cancelled';
    // Before each call of each task, one of the same kind that was refused and changed nothing.
    for (const task of tasks) {
      const steps = task.steps.flatMap((step) => [
        { ...step, output, isError: true, mutates: false, patch: [], post: step.pre },
        step,
      ]);
      expect(
        compareRuns(await unstored({ ...task, steps }, false), await stored({ ...task, steps }, false)),
      ).toEqual([]);
    }
  });

  describe('the calculator in place of `calculate`', () => {
    const worked = async (input: JsonObject): Promise<number> => {
      const { ok, text } = await perform(calculator, input);
      expect(ok, text).toBe(true);
      return Number(text);
    };
    const sums = tasks.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.name === 'calculate' && !step.isError ? [step] : [])),
    );

    it('gives what was recorded, wherever a task calculates', async () => {
      for (const { arguments: input, output } of sums)
        expect(await worked(input)).toBeCloseTo(Number(output), 1);
    });

    it('adds up every order of the desk to what was paid for it', async () => {
      const orders = Object.values(data['orders'] ?? {}).flatMap(({ items, payment_history: payments }) => {
        const prices = Array.isArray(items) ? items.map((item) => Number(item['price'])) : [];
        const [payment] = Array.isArray(payments) ? payments : [];
        return [{ prices, amount: Number(payment?.['amount']) }];
      });
      expect(orders.length).toBeGreaterThan(0);
      for (const { prices, amount } of orders)
        expect(await worked({ expression: prices.join(' + ') })).toBeCloseTo(amount, 2);
    });
  });
});

/** The results of tools in a request's body, in order. */
const resultsIn = (kind: WireKind, body: Readonly<Record<string, unknown>> = {}): readonly unknown[] => {
  const list = (value: unknown): readonly object[] => (Array.isArray(value) ? value : []);
  switch (kind) {
    case 'openai-chat':
      return list(body['messages']).flatMap((each) =>
        Reflect.get(each, 'role') === 'tool' ? [Reflect.get(each, 'content')] : [],
      );
    case 'openai-responses':
      return list(body['input']).flatMap((each) =>
        Reflect.get(each, 'type') === 'function_call_output' ? [Reflect.get(each, 'output')] : [],
      );
    case 'anthropic':
      return list(body['messages'])
        .flatMap((each) => list(Reflect.get(each, 'content')))
        .flatMap((each) =>
          Reflect.get(each, 'type') === 'tool_result' ? [Reflect.get(each, 'content')] : [],
        );
  }
};
