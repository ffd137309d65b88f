import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { Content } from '../../src/contracts/content/part.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import type { Model, ModelCall, ModelRequest } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import {
  agent,
  concurrencyPool,
  createGlobalEngine,
  createRequestEngine,
  perProvider,
  resume,
  sharedTool,
  tool,
} from '../../src/index.ts';
import { recorder } from '../../src/inspect/recording/recorder.ts';
import { Recording } from '../../src/inspect/recording/recording.ts';
import { alerts } from '../../src/inspect/telemetry/alerts/alerts.ts';
import { metrics } from '../../src/inspect/telemetry/metrics/metrics.ts';
import { monitor } from '../../src/inspect/telemetry/monitor.ts';
import { notesMemory } from '../../src/memory/memories/notes-memory.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { answerCache } from '../../src/runtime/resources/answer-cache.ts';
import { settled } from '../support/runs.ts';
import { isThorough, sized } from '../support/thorough.ts';

const TENANTS = sized(40, 500);

/** What happens to the two runs of a tenant. */
const plan = fc.record({
  fate: fc.constantFrom('answer', 'tool fails', 'model fails', 'abort', 'suspend'),
  host: fc.constantFrom('engine', 'request', 'alone'),
  store: fc.constantFrom('own', 'shared', 'none'),
  hasMedia: fc.boolean(),
  pauses: fc.nat(3),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

/** A tenant: its plan, what only it may see, and what it was given. */
interface Tenant extends Plan {
  readonly id: string;
  readonly canary: string;
  readonly secret: string;
  /** What its model, its tools and its caller were given. */
  readonly given: unknown[];
  /** What its observers were given: events, errors, logs, recordings. */
  readonly shown: unknown[];
  readonly ownStore: JournalStore | undefined;
}

const marks = z.object({ id: z.string(), canary: z.string(), secret: z.string() });

const tenantsOf = (plans: readonly Plan[], common: JournalStore): readonly Tenant[] =>
  plans.map((each, n) => ({
    ...each,
    id: `tenant-${n}.`,
    canary: `canary-${n}.`,
    secret: `secret-${n}.0123456789`,
    given: [],
    shown: [],
    ownStore: each.store === 'own' ? memoryStore() : each.store === 'shared' ? common : undefined,
  }));

/** The name of a tenant by the context of its run: what hosts of tenants write. */
const by = (context: unknown): string | undefined => marks.safeParse(context).data?.id;

const LIMITS = { concurrency: 20, breaker: false, rate: { quota: { calls: 50, perMs: 600_000 } } } as const;

/** What all tenants have in common: an agent, its model, a tool, an engine with its resources and hooks. */
const world = (tenants: readonly Tenant[]) => {
  const byId = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  const tenantOf = (context: unknown): Tenant => {
    const found = byId.get(by(context) ?? '');
    if (found === undefined) throw new Error('a call without its tenant');
    return found;
  };
  const pause = async (times: number): Promise<void> => {
    for (let turn = 0; turn < times; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const model: Model = {
    provider: 'acme',
    id: 'large',
    takes: { media: ['*'], links: ['*'] },
    answer: async (request: ModelRequest, call: ModelCall) => {
      const tenant = tenantOf(call.context);
      const messages = request.messages.toArray();
      tenant.given.push({ ...request, messages, key: call.key });
      await pause(tenant.pauses);
      if (tenant.fate === 'model fails')
        throw new Error(`no answer for ${tenant.canary} by ${tenant.secret}`);
      const isFirst = messages.at(-1)?.role !== 'tool';
      const calls = isFirst ? [{ id: 'call', name: 'look', input: { at: 'all' } }] : [];
      const text = `${tenant.canary} is told ${tenant.secret}`;
      call.delta({ type: 'text', text });
      return modelAnswer({
        text,
        calls,
        finish: isFirst ? 'tool-calls' : 'stop',
        usage: { input: 9, output: 9 },
      });
    },
  };
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ at: z.string() }),
    execute: async (input, context) => {
      const tenant = tenantOf(context.context);
      const { key, callers, conversation, state } = context;
      tenant.given.push({ input, key, callers, conversation, state });
      await pause(tenant.pauses);
      if (tenant.fate === 'tool fails') throw new Error(`no look at ${tenant.canary} by ${tenant.secret}`);
      context.progress(`sees ${tenant.canary}`);
      return { seen: tenant.canary, by: tenant.secret };
    },
  });
  const clerkOf = (memory: ReturnType<typeof notesMemory>) =>
    agent({
      name: 'clerk',
      model,
      tools: [sharedTool(look, { pool: concurrencyPool(8, { by }) })],
      memory,
      state: { notes: [] as string[] },
      reduce: ({ state, decision }) => ({ notes: [...state.notes, JSON.stringify(decision)] }),
      failures: { retry: { attempts: 1 } },
    });
  const counted = metrics();
  const watching = monitor();
  const alarm = alerts({
    rules: [{ name: 'failures', metric: 'error.rate', over: 0, least: 1 }],
    channels: [],
    tenant: by,
  });
  const providers = perProvider({ by, limits: { acme: LIMITS } });
  const hooks = [counted, watching, alarm];
  // An engine that names tenants keeps them apart by itself; without one, the memory and the cache have to be told.
  const cache = answerCache();
  const told = answerCache({ scope: ({ context }) => by(context) });
  const hosted: Party = { clerk: clerkOf(notesMemory()), resources: [cache, providers], hooks };
  const alone: Party = {
    clerk: clerkOf(notesMemory({ scope: 'thread' })),
    resources: [told, providers],
    hooks,
  };
  const engine = createGlobalEngine({ by, concurrency: 50, resources: [cache, providers], hooks });
  const partyOf = ({ host }: Tenant): Party => (host === 'alone' ? alone : hosted);
  const misses = () => cache.figures.misses + told.figures.misses;
  return { engine, partyOf, misses, cache, told, providers, counted, watching, alarm, pause };
};
type World = ReturnType<typeof world>;

/** The agent of tenants that are hosted in one way, and what their runs share. */
interface Party extends Pick<RunOptions, 'resources' | 'hooks'> {
  readonly clerk: Agent<Content, string, { notes: string[] }>;
}

/** The runs of a tenant, as its host starts them. */
const startRun = (tenant: Tenant, runId: string, its: World): RunHandle<string, unknown> => {
  const { id, canary, secret, ownStore: store, host } = tenant;
  const context = { id, canary, secret };
  const inspect = recorder();
  tenant.shown.push(inspect.recording);
  const options: RunOptions = {
    runId,
    thread: id,
    secrets: { key: secret },
    inspect,
    log: (entry) => void tenant.shown.push(entry),
    ...(store === undefined ? {} : { store }),
  };
  // The question is that of all, so that no tenant's prompt is told from another's by it.
  const input = tenant.hasMedia ? [{ type: 'text' as const, text: QUESTION }, fileOf(canary)] : QUESTION;
  const { clerk, ...shared } = its.partyOf(tenant);
  if (host === 'engine') return its.engine.stream(clerk, input, { ...options, context });
  if (host === 'alone') return clerk.stream(input, { ...options, ...shared, context });
  const request = createRequestEngine(its.engine, context);
  request.events$.subscribe((event) => void tenant.shown.push(event));
  return request.stream(clerk, input, options);
};

const QUESTION = 'What is new?';

const fileOf = (text: string) => ({
  type: 'file' as const,
  data: new TextEncoder().encode(`the file of ${text}`),
  mediaType: 'text/plain',
});

/** Runs a tenant's agent twice in its thread, by its plan. */
const live = async (tenant: Tenant, its: World): Promise<void> => {
  for (const runId of runIdsOf(tenant)) {
    const handle = startRun(tenant, runId, its);
    const result = handle.result.then(
      (settledResult) => settledResult,
      (error: unknown) => void tenant.shown.push(inspect(error, WHOLE)),
    );
    await its.pause(tenant.pauses);
    if (tenant.fate === 'abort') handle.abort(`as ${tenant.canary} wants it`);
    const isSuspended = tenant.fate === 'suspend' && tenant.ownStore !== undefined && (await suspend(handle));
    const ended = await result;
    note(tenant, ended);
    if (isSuspended) await continueRun(tenant, runId, its);
    else if (tenant.fate === 'answer')
      expect(ended ?? tenant.shown).toMatchObject({ output: expect.stringContaining(tenant.canary) });
  }
};

/** The caller is given the values themselves, observers what was redacted. */
const note = (tenant: Tenant, result: RunResult<string, unknown> | void): void => {
  tenant.given.push(result);
  tenant.shown.push(result?.events);
};

const runIdsOf = ({ id }: Tenant): readonly string[] => [`${id}1`, `${id}2`];

const WHOLE = { depth: 12, maxStringLength: null, maxArrayLength: null };

/** False for a run that has ended before. */
const suspend = async (handle: RunHandle<string, unknown>): Promise<boolean> => {
  try {
    await handle.suspend({ withinMs: 0 });
    return true;
  } catch {
    return false;
  }
};

const continueRun = async (tenant: Tenant, runId: string, its: World): Promise<void> => {
  const { id, canary, secret, ownStore: store } = tenant;
  if (store === undefined) return;
  const context = { id, canary, secret };
  const { clerk, ...shared } = its.partyOf(tenant);
  const handle = await resume(clerk, runId, { store, context, secrets: { key: secret }, ...shared });
  const result = await settled(handle);
  note(tenant, result);
  expect(result).toMatchObject({ status: 'completed', output: expect.stringContaining(canary) });
};

/** What a tenant can read of its store: of its own one all, of the common one its runs. */
const readStore = async ({ ownStore, store, ...tenant }: Tenant): Promise<readonly unknown[]> => {
  if (ownStore === undefined) return [];
  const found: unknown[] = [];
  for (const runId of runIdsOf({ ownStore, store, ...tenant }))
    found.push(await ownStore.entry(runId), await ownStore.read(runId));
  if (store === 'shared') return found;
  found.push(await ownStore.list());
  for (const room of ['blobs', 'threads', 'memory']) {
    const files = ownStore.files(room);
    for (const name of await files.names()) found.push(name, await files.read(name));
  }
  return found;
};

const textOf = (given: readonly unknown[]): string =>
  given.map((each) => JSON.stringify(each instanceof Recording ? [...each.from()] : each)).join('\n');

/** The marks of tenants in a text, and in its bytes in base64. */
const marksIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/(?:canary|secret|tenant)-\d+\./g)].map(([mark]) => mark));

/** How many examples there are: of hundreds of tenants each. */
const search = isThorough ? { numRuns: 3 } : { numRuns: 1, seed: 20_260 };

test(`[M83] [TENEX-86] [ENG-18] ${TENANTS} tenants at once, whatever fails, is aborted or resumed: none is given anything of another`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const plans = fc.sample(plan, { seed, numRuns: TENANTS });
      const tenants = tenantsOf(plans, memoryStore());
      const its = world(tenants);
      await Promise.all(tenants.map((tenant) => live(tenant, its)));
      await its.engine.shutdown();
      for (const tenant of tenants) {
        const { id, canary, given } = tenant;
        const secret = marksIn(tenant.secret);
        const shown = marksIn(textOf([...tenant.shown, ...(await readStore(tenant))]));
        // What is shown and stored has the names of its secrets.
        expect([...shown].filter((mark) => mark !== id && mark !== canary)).toEqual([]);
        const all = marksIn(textOf(given));
        expect([...all].filter((mark) => mark !== id && mark !== canary && !secret.has(mark))).toEqual([]);
        expect(shown.has(id)).toBe(true);
      }
      // The figures of all are the operator's, and hold nobody's texts.
      expect(its.counted.snapshot().runs.completed).toBeGreaterThan(TENANTS / 2);
      const figures = [
        its.counted.snapshot(),
        its.cache.figures,
        its.told.figures,
        its.providers.health,
        its.alarm.history,
      ];
      const texts = marksIn(textOf([...figures, [...its.watching.runs.values()]]));
      expect([...texts].filter((mark) => !mark.startsWith('tenant'))).toEqual([]);
      expect(its.misses()).toBeGreaterThan(TENANTS);
    }),
    { ...search, endOnFailure: true },
  );
}, 1_800_000);
