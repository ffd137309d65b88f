import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  agent,
  answerRequest,
  fork,
  openRequests,
  replay,
  resume,
  tool,
  type Decision,
  type RunOptions,
  type RuntimeEvent,
} from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { policy, type PolicyRule } from '../../src/policy/index.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';
import { quiet } from '../support/runs.ts';

const ada = { name: 'Ada', roles: ['lead'] };
const ben = { name: 'Ben', roles: ['lead', 'clerk'] };
const cem = { name: 'Cem', roles: ['clerk'] };

/** Pays as often as it is allowed to. */
const payer = (amount = 5) => {
  const paid: number[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    safety: 'write',
    approval: false,
    input: z.object({ amount: z.number() }),
    execute: (input) => paid.push(input.amount),
  });
  const made = agent({
    name: 'payer',
    tools: [pay],
    decide: ({ step, results }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'pay', input: { amount } }] }
        : { kind: 'answer', answer: results.map(({ text }) => text).join(' | ') },
  });
  return { made, paid };
};

const byLead: PolicyRule = {
  name: 'payments',
  effect: 'ask',
  tool: 'pay',
  by: 'lead',
  reason: 'it is money',
};
const large: PolicyRule = { name: 'large', effect: 'deny', tool: 'pay', input: { amount: { from: 100 } } };
const bothLeads: PolicyRule = { ...byLead, approvals: 2 };

const byRules = (...rules: readonly PolicyRule[]): Pick<RunOptions, 'safety'> => ({
  safety: policy({ rules }),
});

const about = (events: readonly RuntimeEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => /^tool\.(?:appr|denied|started)|refused/.test(type));

const forbidden = expect.objectContaining({ code: 'request.forbidden' });

describe('[KAIZEN-62] a call that a role has to approve', () => {
  test('parks until a person of that role says yes; the wrong role is refused, on record, and the run goes on waiting', async () => {
    const { made, paid } = payer();
    const handle = made.stream('go', byRules(byLead));
    await quiet();
    const [request] = handle.requests;
    const id = request?.id ?? '';
    expect(request).toMatchObject({ kind: 'approval', rule: 'payments', by: 'lead', reason: 'it is money' });
    expect(() => handle.approve(id)).toThrow(forbidden);
    expect(() => handle.approve(id, { by: cem })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("a person with the role 'lead': 'Cem' has 'clerk'"),
      }),
    );
    expect(handle.requests).toHaveLength(1);
    expect(paid).toEqual([]);
    expect(handle.approve(id, { by: ada })).toBe(true);
    const { events } = await handle.result;
    expect(paid).toEqual([5]);
    expect(about(events)).toEqual([
      'tool.approval-requested',
      'answer.refused',
      'answer.refused',
      'tool.approved',
      'tool.started',
    ]);
    expect(events.find(({ type }) => type === 'tool.approved')).toMatchObject({ by: ada });
  });

  test('shows where it is in the chart of its call, with the rule that decided', async () => {
    const { made } = payer();
    const handle = made.stream('go', byRules(byLead));
    await quiet();
    handle.deny(handle.requests[0]?.id ?? '', 'not now', { by: cem });
    const { events } = await handle.result;
    expect(events.find(({ type }) => type === 'tool.denied')).toMatchObject({ by: cem, reason: 'not now' });
    const phases = events.flatMap(({ type, phase = '' }) => (type === 'phase.entered' ? [phase] : []));
    expect(phases).toContain('awaitingApproval');
  });

  test('[QITOS-89] is denied where nobody is there who may approve it', async () => {
    const { made, paid } = payer();
    const options = byRules(byLead);
    const alone = await made.run('go', options);
    const wrong = await made.run('go', { ...options, person: { by: cem, approve: () => true } });
    expect([alone, wrong].map(({ output }) => output)).toEqual([
      expect.stringContaining('nobody is there to approve it'),
      expect.stringContaining('nobody is there to approve it'),
    ]);
    expect(paid).toEqual([]);
    await made.run('go', { ...options, person: { by: ada, approve: () => true } });
    expect(paid).toEqual([5]);
  });

  test('[QITOS-89] is judged again with the arguments that a person gives it: what is denied stays denied', async () => {
    const { made, paid } = payer();
    const dear: PolicyRule = {
      name: 'dear',
      effect: 'ask',
      tool: 'pay',
      input: { amount: { from: 50 } },
      by: 'director',
    };
    const handle = made.stream('go', byRules(byLead, large, dear));
    await quiet();
    const id = handle.requests[0]?.id ?? '';
    expect(handle.approve(id, { by: ada, input: { amount: 500 } })).toBe(false);
    expect(handle.approve(id, { by: ada, input: { amount: 60 } })).toBe(false);
    expect(handle.requests).toHaveLength(1);
    expect(handle.approve(id, { by: ada, input: { amount: 7 } })).toBe(true);
    await handle.result;
    expect(paid).toEqual([7]);
  });

  test('expires by the time of its rule, or by the shorter one of the run', async () => {
    const clock = virtualClock(0);
    const { made, paid } = payer();
    const brief: PolicyRule = { ...byLead, expireAfterMs: 1_000 };
    const handle = made.stream('go', { ...byRules(brief), clock, requests: { expireAfterMs: 5_000 } });
    await quiet();
    expect(handle.requests).toMatchObject([{ askedAt: 0, expiresAt: 1_000 }]);
    await clock.advance(1_000);
    expect((await handle.result).output).toContain('nobody answered in time');
    expect(paid).toEqual([]);
  });
});

describe('[M69] a call that two people have to approve', () => {
  test('is made once both have said yes, and they are two', async () => {
    const { made, paid } = payer();
    const handle = made.stream('go', byRules(bothLeads));
    await quiet();
    const id = handle.requests[0]?.id ?? '';
    expect(handle.approve(id, { by: ada })).toBe(true);
    expect(handle.requests).toMatchObject([{ id, approvals: 2, approvedBy: [ada] }]);
    expect(() => handle.approve(id, { by: { ...ada, name: ' ada ' } })).toThrow(forbidden);
    expect(() => handle.approve(id, { by: cem })).toThrow(forbidden);
    expect(handle.approve(id, { by: ben, input: { amount: 1 } }), 'both approve the same call').toBe(false);
    expect(paid).toEqual([]);
    expect(handle.approve(id, { by: ben })).toBe(true);
    const { events } = await handle.result;
    expect(paid).toEqual([5]);
    expect(about(events).filter((type) => type !== 'answer.refused')).toEqual([
      'tool.approval-requested',
      'tool.approval-given',
      'tool.approved',
      'tool.started',
    ]);
  });

  test('is denied by one', async () => {
    const { made, paid } = payer();
    const handle = made.stream('go', byRules(bothLeads));
    await quiet();
    const id = handle.requests[0]?.id ?? '';
    handle.approve(id, { by: ada });
    expect(handle.deny(id, 'no')).toBe(true);
    expect((await handle.result).output).toContain('a person denied it: no');
    expect(paid).toEqual([]);
  });

  test('[P11] is approved by one in one process and by the other in another, though each is killed: nobody is asked twice, and it is paid once', async () => {
    const { made, paid } = payer();
    const options = byRules(bothLeads);
    const store = new PlainStore();
    const first = made.stream('go', { ...options, store, runId: 'r' });
    await quiet();
    first.approve(first.requests[0]?.id ?? '', { by: ada });
    await quiet();
    const killed = PlainStore.with('r', (await recordsIn(store, 'r')).records);
    first.abort();
    await first.result;
    const [request] = await openRequests(killed, 'r');
    const id = request?.id ?? '';
    expect(request).toMatchObject({ approvedBy: [ada], isAnswered: false });
    await expect(answerRequest(killed, 'r', { id, yes: true, by: ada })).rejects.toMatchObject({
      code: 'request.forbidden',
    });
    await expect(answerRequest(killed, 'r', { id, yes: true, by: cem })).rejects.toMatchObject({
      code: 'request.forbidden',
    });
    await answerRequest(killed, 'r', { id, yes: true, by: ben });
    const second = await resume(made, 'r', { ...options, store: killed });
    const { events } = await second.result;
    expect(paid).toEqual([5]);
    expect(about(events)).toEqual([
      'tool.approval-requested',
      'tool.approval-given',
      'tool.approved',
      'tool.started',
    ]);
    const again = await replay(made, 'r', { store: killed });
    expect(again.events).toEqual(events);
    expect(paid).toEqual([5]);
  });

  test('is not resumed or forked where nobody would judge its calls; the run stays as it is, and its end needs no policy', async () => {
    const { made, paid } = payer();
    const options = byRules(byLead);
    const store = new PlainStore();
    const first = made.stream('go', { ...options, store, runId: 'r' });
    await quiet();
    const killed = PlainStore.with('r', (await recordsIn(store, 'r')).records);
    first.abort();
    await first.result;
    const missing = { code: 'policy.missing', message: expect.stringContaining('pass its `safety`') };
    await expect(resume(made, 'r', { store: killed })).rejects.toMatchObject(missing);
    await expect(fork(made, 'r', { store: killed, at: { step: 0 } })).rejects.toMatchObject(missing);
    expect(paid).toEqual([]);
    const second = await resume(made, 'r', { ...options, store: killed });
    await quiet();
    second.approve(second.requests[0]?.id ?? '', { by: ada });
    await second.result;
    expect(paid).toEqual([5]);
    const over = await resume(made, 'r', { store: killed });
    expect((await over.result).status).toBe('completed');
    expect(paid).toEqual([5]);
  });

  test('is approved by letters of both to a run that runs nowhere', async () => {
    const { made, paid } = payer();
    const options = byRules(bothLeads);
    const store = new PlainStore();
    const first = made.stream('go', { ...options, store, runId: 'r' });
    await quiet();
    const killed = PlainStore.with('r', (await recordsIn(store, 'r')).records);
    first.abort();
    await first.result;
    const id = (await openRequests(killed, 'r'))[0]?.id ?? '';
    await answerRequest(killed, 'r', { id, yes: true, by: ada });
    expect(await openRequests(killed, 'r')).toMatchObject([{ approvedBy: [ada], isAnswered: false }]);
    // Before the run knows, too, one person counts once.
    await expect(answerRequest(killed, 'r', { id, yes: true, by: ada })).rejects.toMatchObject({
      code: 'request.forbidden',
    });
    await answerRequest(killed, 'r', { id, yes: true, by: ben });
    await expect(answerRequest(killed, 'r', { id, yes: true, by: ben })).rejects.toMatchObject({
      code: 'request.answered',
    });
    await (
      await resume(made, 'r', { ...options, store: killed })
    ).result;
    expect(paid).toEqual([5]);
    expect(killed.posted).toEqual([]);
  });
});

describe('of two people who answer at the same moment', () => {
  type Answer = { readonly yes: boolean; readonly by: typeof ada };
  const races: readonly (readonly [string, Answer, Answer])[] = [
    ['both approve', { yes: true, by: ada }, { yes: true, by: ben }],
    ['one approves, the other denies', { yes: true, by: ada }, { yes: false, by: ben }],
    ['one denies, the other approves', { yes: false, by: ada }, { yes: true, by: ben }],
  ];
  const verdictsIn = (events: readonly RuntimeEvent[]) =>
    events.filter(({ type }) => type === 'tool.approved' || type === 'tool.denied');

  test.each(races)('the first counts and the other is told, in one process: %s', async (_, first, second) => {
    const { made, paid } = payer();
    const handle = made.stream('go', byRules(byLead));
    await quiet();
    const id = handle.requests[0]?.id ?? '';
    const answer = ({ yes, by }: Answer) =>
      yes ? handle.approve(id, { by }) : handle.deny(id, 'no', { by });
    expect([answer(first), answer(second)]).toEqual([true, false]);
    const { events } = await handle.result;
    expect(paid).toEqual(first.yes ? [5] : []);
    expect(verdictsIn(events)).toMatchObject([{ by: ada }]);
  });

  test.each(races)(
    'the first counts and the other is told, from two processes: %s',
    async (_, first, second) => {
      const { made, paid } = payer();
      const options = byRules(byLead);
      const store = new PlainStore();
      const handle = made.stream('go', { ...options, store, runId: 'r' });
      await quiet();
      const id = (await openRequests(store, 'r'))[0]?.id ?? '';
      // Both have read that the request is open before either has posted an answer.
      await Promise.all([first, second].map((each) => answerRequest(store, 'r', { id, ...each })));
      expect(store.posted).toHaveLength(2);
      const killed = PlainStore.with('r', (await recordsIn(store, 'r')).records);
      killed.posted = [...store.posted];
      handle.abort();
      await handle.result;
      const resumed = await resume(made, 'r', { ...options, store: killed });
      const { events } = await resumed.result;
      expect(paid).toEqual(first.yes ? [5] : []);
      expect(verdictsIn(events)).toMatchObject([{ by: ada }]);
      expect(events.filter(({ type }) => type === 'answer.refused')).toMatchObject([{ id, by: ben }]);
      expect(killed.posted).toEqual([]);
      await expect(answerRequest(killed, 'r', { id, ...second })).rejects.toMatchObject({
        code: 'request.unknown',
      });
      const again = await replay(made, 'r', { store: killed });
      expect(again.events).toEqual(events);
      expect(paid).toEqual(first.yes ? [5] : []);
    },
  );
});

describe('[M69] the rules of an engine and those of a run', () => {
  test('must both be met: a run asks for more, never for less', async () => {
    const { made, paid } = payer();
    const engine = createGlobalEngine({ safety: policy({ rules: [byLead] }) });
    const handle = engine.stream(made, 'go', byRules({ ...byLead, name: 'also', by: 'security' }));
    await quiet();
    const id = handle.requests[0]?.id ?? '';
    expect(handle.requests).toMatchObject([
      { rule: 'payments', by: 'lead', also: [{ rule: 'also', by: 'security' }] },
    ]);
    expect(handle.approve(id, { by: ada })).toBe(true);
    expect(paid).toEqual([]);
    expect(() => handle.approve(id, { by: ben })).toThrow(forbidden);
    expect(handle.approve(id, { by: { name: 'Dee', roles: ['security'] } })).toBe(true);
    await handle.result;
    expect(paid).toEqual([5]);
  });

  test('hold for what an agent has others do: a child makes no call that its parent may not make', async () => {
    const { made, paid } = payer();
    const help = tool({
      name: 'help',
      description: 'Helps.',
      safety: 'read',
      input: z.object({}),
      execute: async (_, { run }) => (await run(made, 'go')).output ?? '',
    });
    const boss = agent({
      name: 'boss',
      tools: [help],
      decide: ({ step, results }): Decision =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'help', input: {} }] }
          : { kind: 'answer', answer: results.map(({ text }) => text).join() },
    });
    const rules: readonly PolicyRule[] = [
      { name: 'boss-pays-nothing', effect: 'deny', agent: 'boss', tool: 'pay' },
      { name: 'payer-pays', effect: 'allow', agent: 'payer', tool: 'pay' },
    ];
    const { output, events } = await boss.run('go', byRules(...rules));
    expect(output).toContain("denied by the rule 'boss-pays-nothing'");
    expect(events.find(({ type }) => type === 'tool.denied')).toMatchObject({ rule: 'boss-pays-nothing' });
    expect(paid).toEqual([]);
    const allowed = await made.run('go', byRules(...rules));
    expect(paid).toEqual([5]);
    expect(allowed.events.find(({ type }) => type === 'tool.started')).toMatchObject({ rule: 'payer-pays' });
  });
});

describe('[M69] a function among the rules', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('no rules here');
      },
      "the rule 'a function' failed: no rules here",
    ],
    [
      'rejects',
      () => Promise.reject(new Error('no rules here')),
      "the rule 'a function' failed: no rules here",
    ],
    ['lies', () => JSON.parse('{"verdict":"yes"}'), 'which is no verdict'],
    [
      'asks on terms that cannot be read',
      () => JSON.parse('{"verdict":"ask","by":7}'),
      'which is no verdict',
    ],
  ])('that %s denies the call, with its error on record', async (_, rule, found) => {
    const { made, paid } = payer();
    const { output, events } = await made.run('go', { safety: policy({ mode: 'bypass', rules: [rule] }) });
    expect(output).toContain(found);
    expect(events.find(({ type }) => type === 'tool.denied')).toMatchObject({
      error: { code: 'agent.threw', message: expect.stringContaining(found) },
    });
    expect(paid).toEqual([]);
  });

  test('that never settles denies the call in the end', async () => {
    const clock = virtualClock(0);
    const { made, paid } = payer();
    const never = () => new Promise<undefined>(() => undefined);
    const handle = made.stream('go', { clock, safety: policy({ rules: [never] }) });
    await quiet();
    await clock.advance(3_600_000);
    expect((await handle.result).output).toContain('time-out');
    expect(paid).toEqual([]);
  });

  test('[P11] that was interrupted is asked again when the run is resumed: nobody is asked about a call that it denies', async () => {
    const { made, paid } = payer();
    const store = new PlainStore();
    const slow = () => new Promise<undefined>(() => undefined);
    const first = made.stream('go', { store, runId: 'r', safety: policy({ rules: [slow] }) });
    await quiet();
    const killed = PlainStore.with('r', (await recordsIn(store, 'r')).records);
    first.abort();
    await first.result;
    const { events } = await (
      await resume(made, 'r', {
        store: killed,
        ...byRules(large, { ...large, name: 'all', input: undefined }),
      })
    ).result;
    expect(about(events)).not.toContain('tool.approval-requested');
    expect(events.some(({ type }) => type === 'tool.ambiguous')).toBe(false);
    expect(paid).toEqual([]);
  });

  test('[P11] that was interrupted, and then asks, has the call approved: it cannot have been made', async () => {
    const { made, paid } = payer();
    const store = new PlainStore();
    const slow = () => new Promise<undefined>(() => undefined);
    const first = made.stream('go', { store, runId: 'r', safety: policy({ rules: [slow] }) });
    await quiet();
    const killed = PlainStore.with('r', (await recordsIn(store, 'r')).records);
    first.abort();
    await first.result;
    const second = await resume(made, 'r', { store: killed, ...byRules(byLead) });
    await quiet();
    const [request] = second.requests;
    expect(request).toMatchObject({ kind: 'approval', rule: 'payments', by: 'lead' });
    second.approve(request?.id ?? '', { by: ada });
    await second.result;
    expect(paid).toEqual([5]);
  });
});

test('[P11] a call that may have been made before a crash is repeated on the terms of its rule only', async () => {
  const made: number[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    safety: 'write',
    approval: false,
    input: z.object({}),
    execute: () => (made.push(1) === 1 ? new Promise<string>(() => undefined) : 'paid'),
  });
  const clerk = agent({
    name: 'clerk',
    tools: [pay],
    decide: ({ step }): Decision =>
      step === 0 ? { kind: 'act', calls: [{ name: 'pay', input: {} }] } : { kind: 'answer', answer: 'done' },
  });
  const options = byRules(byLead);
  const store = new PlainStore();
  const first = clerk.stream('go', { ...options, store, runId: 'r' });
  await quiet();
  first.approve(first.requests[0]?.id ?? '', { by: ada });
  await quiet();
  expect(made).toHaveLength(1);
  const killed = PlainStore.with('r', (await recordsIn(store, 'r')).records);
  first.abort();
  await first.result;
  const second = await resume(clerk, 'r', { ...options, store: killed });
  await quiet();
  const [request] = second.requests;
  expect(request).toMatchObject({ kind: 'ambiguous', by: 'lead' });
  expect(() => second.approve(request?.id ?? '', { by: cem })).toThrow(forbidden);
  expect(second.approve(request?.id ?? '', { by: ben })).toBe(true);
  await second.result;
  expect(made).toHaveLength(2);
});

test('[QITOS-99] files are read before they are written, and protected paths stay as they are, by the files of an environment', async () => {
  const { memoryEnvironment, fileTools } = await import('../../src/tools/index.ts');
  const write = (path: string) => ({ name: 'files.write', input: { path, text: 'new' } });
  const steps = [
    [write('a.md')],
    [{ name: 'files.read', input: { path: 'a.md' } }],
    [write('./a.md'), write('.git/config')],
  ];
  const coder = agent({
    name: 'coder',
    environment: memoryEnvironment({ files: { 'a.md': 'old', '.git/config': 'old' } }),
    tools: [fileTools()],
    decide: ({ step }): Decision => {
      const wanted = steps[step];
      return wanted === undefined ? { kind: 'answer', answer: 'done' } : { kind: 'act', calls: wanted };
    },
  });
  const safety = policy({ mode: 'accept_edits', files: { readFirst: true, protect: '.git/**' } });
  const { events } = await coder.run('go', { safety, store: memoryStore() });
  expect(events.flatMap((event) => (event.type === 'tool.denied' ? [event.rule] : []))).toEqual([
    'read-before-write',
    'protected-paths',
  ]);
  expect(
    events.flatMap((event) =>
      event.type === 'tool.finished' && event.tool === 'files.write' ? [event.ok] : [],
    ),
  ).toEqual([true]);
});

test('[QITOS-99] a read that failed or was denied is none, and one that found no file is', async () => {
  const { memoryEnvironment, fileTools } = await import('../../src/tools/index.ts');
  const world = memoryEnvironment({ files: { 'denied.md': 'old', 'late.md': 'old', 'known.md': 'old' } });
  const { files } = world.ops;
  if (files === undefined) throw new Error('there are no files');
  const read = async (path: string) => {
    // In words of its own, for what is there and what is not.
    if (path === 'late.md' || path === 'new.md') throw new Error(`nothing of ${path} came`);
    return files.read(path);
  };
  const paths = ['denied.md', 'late.md', 'new.md', 'known.md'];
  const steps = ['read', 'write'].map((name) =>
    paths.map((path) => ({
      name: `files.${name}`,
      input: name === 'read' ? { path } : { path, text: 'new' },
    })),
  );
  const coder = agent({
    name: 'coder',
    environment: { ...world, ops: { ...world.ops, files: { ...files, read } } },
    tools: [fileTools()],
    decide: ({ step }): Decision => {
      const wanted = steps[step];
      return wanted === undefined ? { kind: 'answer', answer: 'done' } : { kind: 'act', calls: wanted };
    },
  });
  const safety = policy({ mode: 'accept_edits', files: { readFirst: true } });
  await coder.run('go', {
    safety: (call) =>
      call.tool === 'files.read' && JSON.stringify(call.input).includes('denied')
        ? { verdict: 'deny', reason: 'not this one' }
        : safety(call),
  });
  expect(Object.fromEntries(world.files)).toEqual({
    'denied.md': 'old',
    'late.md': 'old',
    'new.md': 'new',
    'known.md': 'new',
  });
});
