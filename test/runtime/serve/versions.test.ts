import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../src/client/connect.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import type { Agent } from '../../../src/index.ts';
import { act, agent, answer, tool } from '../../../src/index.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { createGlobalEngine } from '../../../src/runtime/engines/global-engine.ts';
import { heldMark } from '../../../src/runtime/journal/versions/held-marks.ts';
import { versionMarks } from '../../../src/runtime/journal/versions/version-marks.ts';
import { serve } from '../../../src/runtime/serve/serve.ts';
import { until } from '../../support/run-over-http.ts';
import { firstRequest, served } from './serve-kit.ts';

type AnyAgent = Agent<never, unknown, unknown>;

/** Pays in cents, once a person has agreed. */
const payOut = tool({
  name: 'payOut',
  description: 'Pays.',
  input: z.object({ cents: z.number().int() }),
  approval: true,
  execute: ({ cents }) => `paid ${cents} cents`,
});

const paying = (name: string) =>
  agent({
    name: 'payer',
    tools: [
      name === 'payOut'
        ? payOut
        : tool({
            name,
            description: 'Pays.',
            input: z.object({ amount: z.number() }),
            approval: true,
            execute: ({ amount }) => `paid ${amount}`,
          }),
    ],
    decide: ({ results }) =>
      results.length === 0
        ? act({ name, input: name === 'payOut' ? { cents: 300 } : { amount: 3 } })
        : answer(String(results[0]?.text)),
  });

const team = (first: readonly string[], payer: AnyAgent) =>
  pipeline({
    name: 'buyer',
    stages: [...first.map((name) => agent({ name, decide: () => answer('hello') })), payer] as never,
  });

const old = { payer: paying('pay'), buyer: team(['porter'], paying('pay')) };

/** The second version: the tool has another name and counts in cents, and the first stage is two. */
const current = { payer: paying('payOut'), buyer: team(['doorman', 'guard'], paying('payOut')) };

/** The tool of before, by the tool of now: what waits for a yes is done as it was asked for. */
const payByPayOut = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  approval: true,
  execute: ({ amount }, context) => payOut.execute({ cents: amount * 100 }, context),
});
const migratedPayer = agent({
  name: 'payer',
  tools: [payByPayOut, payOut],
  decide: ({ results }) => answer(`migrated: ${String(results[0]?.text)}`),
});
const versions = { 'until cents': migratedPayer, 'until guard': team(['porter'], migratedPayer) };

/** Starts a run under the version of before, and leaves it while it waits for a yes. */
const beginOld = async (store: JournalStore, name: 'payer' | 'buyer'): Promise<string> => {
  await using first = await served({ agents: old, store });
  const run = await connect<typeof first.service>(first.url).start(name, 'go');
  await firstRequest(run);
  await first.service.drain();
  return run.runId;
};

test.each(['payer', 'buyer'] as const)(
  'a run of %s goes on under an earlier version where the current one cannot, with its address, its request and its keys, and says which',
  async (name) => {
    const store = memoryStore();
    const runId = await beginOld(store, name);
    const rows = await store.read(runId);
    await using second = await served({ agents: current, versions, store });
    const run = connect(second.url).at(runId);
    const [request] = await run.requests();
    await run.approve(request?.id ?? '');
    expect(await run.result).toMatchObject({ status: 'completed', output: 'migrated: paid 300 cents' });
    const label = name === 'payer' ? 'until cents' : 'until guard';
    expect(await versionMarks(store, runId)).toMatchObject([{ version: label }]);
    // What was on record stays as it was.
    expect((await store.read(runId)).slice(0, rows.length)).toEqual(rows);
    const fresh = await connect<typeof second.service>(second.url).start(name, 'go');
    const { id } = await firstRequest(fresh);
    await fresh.approve(id);
    expect(await fresh.result).toMatchObject({ output: 'paid 300 cents' });
    expect(await versionMarks(store, fresh.runId)).toEqual([]);
  },
);

test('a run is held where no version fits, and goes on under the current one where that fits', async () => {
  const store = memoryStore();
  const held = await beginOld(store, 'buyer');
  const fits = await beginOld(store, 'payer');
  const problems: unknown[] = [];
  await using second = await served({
    agents: { payer: old.payer, buyer: current.buyer },
    versions: { 'before porter': team(['butler'], migratedPayer), unused: migratedPayer },
    store,
    sweepMs: 20,
    onProblem: (error) => problems.push(error),
  });
  const desk = connect(second.url);
  const [request] = await desk.at(fits).requests();
  await desk.at(fits).approve(request?.id ?? '');
  expect(await desk.at(fits).result).toMatchObject({ output: 'paid 3' });
  expect(await versionMarks(store, fits)).toEqual([]);
  const { answerRequest, openRequests } = await import('../../../src/runtime/journal/letters/requests.ts');
  const [open] = await openRequests(store, held);
  await answerRequest(store, held, { id: open?.id ?? '', yes: true });
  await until(() => problems.length === 1);
  expect(problems).toMatchObject([{ code: 'journal.diverged' }]);
  const entry = await store.entry(held);
  expect(entry && (await heldMark(store, entry))).toMatchObject({ code: 'journal.diverged' });
});

test('a version has the name of an agent that is served', () => {
  const service = (given: object) => () =>
    serve(createGlobalEngine(), { agents: { payer: old.payer }, ...given });
  expect(service({ versions: { 'until guard': old.buyer } })).toThrow(
    expect.objectContaining({ code: 'agent.unknown' }),
  );
  expect(service({ versions: { 'until guard': { name: 'payer' } } })).toThrow(
    expect.objectContaining({ code: 'agent.invalid' }),
  );
  expect(service({ versions: [] })).toThrow(expect.objectContaining({ code: 'input.invalid' }));
});
