import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Decision } from '../../src/contracts/agents/decision.ts';
import { act, answer, wait } from '../../src/contracts/agents/decision.ts';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { KeyValueFiles, MemoryRecord, MemorySource } from '../../src/contracts/conversations/memory.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { ToolContext } from '../../src/contracts/tools/tool.ts';
import type { SafetyStrategy } from '../../src/contracts/tools/safety.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { insightMemory } from '../../src/memory/memories/insight-memory.ts';
import { keyValueMemory } from '../../src/memory/memories/key-value-memory.ts';
import { notesMemory } from '../../src/memory/memories/notes-memory.ts';
import { summaryMemory } from '../../src/memory/memories/summary-memory.ts';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { parallel } from '../../src/patterns/parallel.ts';
import { pipeline } from '../../src/patterns/pipeline.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import type { PolicyRule } from '../../src/policy/index.ts';
import { policy } from '../../src/policy/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { withDefaults } from '../../src/runtime/engines/engine-defaults.ts';
import { fork } from '../../src/runtime/journal/resume/fork.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { awaitDelegates } from '../../src/tools/built-in/delegation/delegation-controls.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { callUntyped } from '../support/call-untyped.ts';
import { PlainStore } from '../support/plain-store.ts';
import { quiet } from '../support/runs.ts';

/** Looks on: the origins that each call of `save` was made from, in order. */
const onlooker = () => {
  const seen: (readonly string[])[] = [];
  const look: SafetyStrategy = ({ tool: name, origins }) => {
    if (name === 'save') seen.push(origins);
    if (name === 'asked') return { verdict: 'ask' };
    return name === 'forbidden' ? { verdict: 'deny', reason: 'it is not for agents' } : { verdict: 'allow' };
  };
  return { seen, safety: policy({ mode: 'bypass', rules: [look] }) };
};

const noInput = z.object({});
const described = { description: 'Does it.', input: noInput } as const;
const fetch = tool({ ...described, name: 'fetch', safety: 'read', execute: () => 'from the web' });
const broken = tool({
  ...described,
  name: 'broken',
  safety: 'read',
  retry: false,
  execute: () => {
    throw new Error('an error page');
  },
});
const refuses = tool({
  ...described,
  name: 'refuses',
  safety: 'read',
  execute: () => {
    // Whatever it says of itself: an operation of the runtime is nothing that a tool can claim.
    throw new TroupeError('tool.denied', 'Cannot fetch http://10.0.0.1/pay+GB99 as its host is private', {
      operation: 'safety',
    });
  },
});
const asked = tool({ ...described, name: 'asked', idempotent: true, execute: () => 'never' });
const forbidden = tool({ ...described, name: 'forbidden', safety: 'read', execute: () => 'never' });
const save = tool({ ...described, name: 'save', safety: 'write', idempotent: true, execute: () => 'saved' });
const call = (name: string): Decision => act({ name, input: {} });

/** Makes these decisions, one for each step, then answers. */
const doing = (name: string, steps: readonly Decision[], more: Partial<Parameters<typeof agent>[0]> = {}) =>
  agent({
    name,
    tools: [fetch, broken, refuses, forbidden, asked, save],
    decide: ({ step }) => steps[step] ?? answer('done'),
    ...more,
  });

/** An agent with a tool that runs this. */
const having = (
  name: string,
  steps: readonly Decision[],
  execute: (context: ToolContext) => Promise<unknown>,
) =>
  doing(name, steps, {
    tools: [
      fetch,
      save,
      tool({
        ...described,
        name: 'have',
        idempotent: true,
        execute: async (_, context) => String(await execute(context)),
      }),
    ],
  });

const savedFrom = async (subject: Agent<string, unknown>, options: RunOptions = {}) => {
  const { seen, safety } = onlooker();
  await subject.run('go', { safety, ...options });
  return seen;
};

describe('the origins of a call are those of all that its agent has read', () => {
  test('results, also of calls that failed; a call that was not made brought nothing', async () => {
    const steps = [
      call('save'),
      call('forbidden'),
      call('asked'),
      call('nowhere'),
      call('save'),
      call('broken'),
      call('save'),
    ];
    expect(await savedFrom(doing('clerk', [...steps, call('fetch'), call('fetch'), call('save')]))).toEqual([
      [],
      ['save'],
      ['save', 'broken'],
      ['save', 'broken', 'fetch'],
    ]);
  });

  test('also of a call that its tool refused once it ran: the reason may be in words of others', async () => {
    expect(await savedFrom(doing('clerk', [call('refuses'), call('save')]))).toEqual([['refuses']]);
  });

  test('in one list that is made again only where an origin is new, however long the run', async () => {
    const steps = Array.from({ length: 40 }, (_, index) => call(index % 2 === 0 ? 'fetch' : 'save'));
    const seen = await savedFrom(doing('clerk', steps));
    expect([seen.length, new Set(seen).size]).toEqual([20, 2]);
  });

  test('what an agent that it ran has read, and those of its task: no agent that ran beside it', async () => {
    const reads = doing('reader', [call('fetch')]);
    const lead = having('lead', [call('have'), call('save')], ({ run }) => run(reads, 'read'));
    expect(await savedFrom(lead)).toEqual([['fetch', 'have']]);
    const saves = doing('writer', [call('save')]);
    const first = having('lead', [call('fetch'), call('have')], ({ run }) => run(saves, 'write'));
    expect(await savedFrom(first)).toEqual([['fetch']]);
    const line = pipeline({ name: 'line', stages: [reads, saves] });
    expect(await savedFrom(line)).toEqual([['fetch']]);
    const beside = parallel({ name: 'desk', members: { reads, saves: doing('writer', [call('save')]) } });
    expect(await savedFrom(beside)).toEqual([[]]);
  });

  test('a message, once it is read, and not before', async () => {
    const tells = having('teller', [call('fetch'), call('have')], ({ messages }) =>
      messages.tell('writer', 'x'),
    );
    const waits = doing('writer', [call('save'), wait('a word'), call('save')]);
    const members = { writer: waits, teller: tells };
    expect(await savedFrom(parallel({ name: 'desk', members }))).toEqual([[], ['save', 'fetch']]);
  });

  test('an answer to its question', async () => {
    const steps = [wait('a question'), call('fetch'), call('have')];
    const replies = having('reader', steps, ({ messages }) => messages.reply('x'));
    const asks = having('writer', [call('have'), call('save')], async ({ messages }) => {
      const { text } = await messages.ask('reader', 'What is new?');
      return text;
    });
    const members = { reader: replies, writer: asks };
    expect(await savedFrom(parallel({ name: 'desk', members }))).toEqual([['fetch', 'have']]);
  });

  test('more work for an agent that works already', async () => {
    const writer = doing('writer', [wait('more'), call('save')]);
    const giving = (input: object) =>
      act({ name: 'delegate', input: { to: 'writer', task: 'go', ...input } });
    const steps = [
      giving({}),
      call('fetch'),
      giving({ id: 'writer-0_0' }),
      act({ name: 'await_delegates', input: {} }),
    ];
    const tools = [fetch, delegate({ to: [writer], mode: 'background', followUps: true }), awaitDelegates];
    expect(await savedFrom(doing('lead', steps, { tools }))).toEqual([['delegate', 'fetch']]);
  });

  test('a message from outside has those that its sender names, and must name them', async () => {
    const { seen, safety } = onlooker();
    const handle = doing('clerk', [wait('mail'), call('save')]).stream('go', { safety });
    expect(() => callUntyped(handle, 'send', { from: 'mail', text: 'x', origins: 'mail' })).toThrow(
      expect.objectContaining({
        code: 'content.invalid',
        message: expect.stringContaining('(names as origins)'),
      }),
    );
    handle.events$.subscribe(({ type }) => {
      if (type === 'agent.waiting') handle.send({ from: 'mail', text: 'Hello.', origins: ['mail'] });
    });
    await handle.result;
    expect(seen).toEqual([['mail']]);
  });

  test('a given history: its tools, what was recalled and observed in it, and those that its turns name', async () => {
    const history = [
      { role: 'user', text: 'What is new?' },
      { role: 'user', from: 'observation', text: 'A screen.' },
      { role: 'assistant', text: '', calls: [{ id: 'a', name: 'web.get', input: {} }] },
      { role: 'tool', callId: 'a', tool: 'web.get', text: 'News.' },
      { role: 'assistant', text: 'News.', origins: ['mail'] },
    ] as const;
    expect(await savedFrom(doing('clerk', [call('save')]), { history })).toEqual([
      ['observation', 'web.get', 'mail'],
    ]);
    const wrong = { history: [{ role: 'user', text: 'x', origins: 'mail' }] };
    await expect(callUntyped(doing('clerk', []), 'run', 'go', wrong)).rejects.toThrow(
      'origins that are none',
    );
  });

  test('what it observes, and what a provider gave its model', async () => {
    const sees = doing('clerk', [call('save')], { observe: () => 'a screen' });
    expect(await savedFrom(sees)).toEqual([['observation']]);
    const searched = {
      calls: [{ id: 'a', name: 'save', input: {} }],
      providerCalls: [{ tool: 'web_search' }],
    };
    const asks = doing('clerk', [], { decide: undefined, model: scriptedModel([searched, 'done']) });
    expect(await savedFrom(asks)).toEqual([['web_search']]);
  });
});

const mapFiles = (): KeyValueFiles => {
  const texts = new Map<string, string>();
  return {
    read: (name) => Promise.resolve(texts.get(name)),
    write: (name, text) => Promise.resolve(void texts.set(name, text)),
    append: (name, text) => Promise.resolve(void texts.set(name, (texts.get(name) ?? '') + text)),
    remove: (name) => Promise.resolve(void texts.delete(name)),
    names: () => Promise.resolve([...texts.keys()]),
  };
};

describe('a memory keeps the origins of what it holds', () => {
  const record = (text: string, at: number): MemoryRecord => ({
    kind: 'fact',
    text,
    at,
    origins: ['web.get', 'a, b]'],
  });
  const place = { runId: 'r', agent: 'clerk' };

  test.each<[string, (files: KeyValueFiles) => MemorySource]>([
    ['window', (files) => windowMemory({ files })],
    ['vector', (files) => vectorMemory({ files })],
    ['notes', (files) => notesMemory({ files })],
    ['key-value', (files) => keyValueMemory({ files })],
    ['insights', () => insightMemory()],
    ['the summary of a summary', (files) => summaryMemory({ files, keep: 1 })],
  ])('%s', async (_, sourceOf) => {
    const files = mapFiles();
    const source = sourceOf(files);
    const memory = await source.open(place);
    await memory.append([record('the tea is hot', 1), record('the tea is cold', 2)]);
    await memory.append([{ kind: 'fact', text: 'the tea is nobody’s', at: 3 }]);
    const again = await (source.scope === 'run' ? source : sourceOf(files)).open(place);
    for (const each of [memory, again]) {
      const found = await each.recall('tea', 3);
      expect(new Set(found.flatMap(({ origins = [] }) => origins))).toEqual(new Set(['web.get', 'a, b]']));
      expect(found.some(({ origins }) => origins === undefined)).toBe(true);
    }
  });

  test('so that a later run knows what it recalls', async () => {
    const memory = windowMemory({ scope: 'shared' });
    const { safety } = onlooker();
    await doing('reader', [call('fetch')], { memory }).run('go', { safety });
    expect(await savedFrom(doing('writer', [call('save')], { memory }))).toEqual([['memory', 'fetch']]);
  });
});

/** Makes the denials of a record such as journals from before have them: those of a policy do not say that they are its own. */
const withoutRefusals = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  if ('operation' in value && value.operation === 'safety') value.operation = 'act';
  for (const each of Object.values(value)) withoutRefusals(each);
};

describe('a stored run knows its origins from its journal', () => {
  const reads = doing('reader', [call('fetch')]);
  const lead = () => having('lead', [call('have'), call('save')], ({ run }) => run(reads, 'read'));
  const known = ['fetch', 'have'];

  test('wherever it is resumed, and in a fork', async () => {
    const whole = new PlainStore();
    await savedFrom(lead(), { store: whole, runId: 'r' });
    const { records } = await recordsIn(whole, 'r');
    let judged = 0;
    for (let length = 1; length <= records.length; length += 1) {
      const { seen, safety } = onlooker();
      const store = PlainStore.with('r', records.slice(0, length));
      await (
        await resume(lead(), 'r', { store, safety })
      ).result;
      judged += seen.length;
      for (const origins of seen) expect(origins, `${length} records`).toEqual(expect.arrayContaining(known));
    }
    expect(judged).toBeGreaterThan(5);
    const { seen, safety } = onlooker();
    await (
      await fork(lead(), 'r', { store: whole, at: { step: 1 }, safety })
    ).result;
    expect(seen).toEqual([known]);
  });

  /** Ends a run in which a person says no to all that they are asked. */
  const denying = async (handle: RunHandle<unknown>): Promise<void> => {
    await quiet();
    for (const { id } of handle.requests) handle.deny(id);
    await handle.result;
  };

  /** A run in which the runtime refused two calls, and a tool one, and its journal. */
  const refused = async () => {
    const whole = new PlainStore();
    const clerk = () => doing('clerk', ['forbidden', 'asked', 'refuses', 'save'].map(call));
    const { seen, safety } = onlooker();
    await denying(clerk().stream('go', { store: whole, runId: 'r', safety }));
    expect(seen).toEqual([['refuses']]);
    return { clerk, whole, records: (await recordsIn(whole, 'r')).records };
  };

  test('and who refused a call: the runtime, of whose words none are of others, or its tool', async () => {
    const { clerk, whole, records } = await refused();
    let judged = 0;
    for (let length = 1; length <= records.length; length += 1) {
      const { seen, safety } = onlooker();
      const store = PlainStore.with('r', records.slice(0, length));
      await denying(await resume(clerk(), 'r', { store, safety }));
      judged += seen.length;
      for (const origins of seen) expect(origins, `${length} records`).toEqual(['refuses']);
    }
    expect(judged).toBeGreaterThan(5);
    for (const step of [1, 2, 3]) {
      const { seen, safety } = onlooker();
      await denying(await fork(clerk(), 'r', { store: whole, at: { step }, safety }));
      expect(seen).toEqual([['refuses']]);
    }
  });

  test('a refusal that does not say whose it is counts as one of its tool', async () => {
    const { clerk, records } = await refused();
    const last = records.findIndex(
      (each) => each.kind === 'event' && each.event.type === 'step.ended' && each.event.step === 2,
    );
    const left = records.slice(0, last + 1).map((each) => structuredClone(each));
    for (const each of left) withoutRefusals(each);
    const { seen, safety } = onlooker();
    await denying(await resume(clerk(), 'r', { store: PlainStore.with('r', left), safety }));
    expect(seen).toEqual([['forbidden', 'refuses']]);
  });

  test('also where it was recorded before anything judged its calls', async () => {
    const store = new PlainStore();
    const clerk = () => doing('clerk', [call('fetch'), call('save')]);
    await clerk().run('go', { store, runId: 'r' });
    const { records } = await recordsIn(store, 'r');
    const fetched = records.findIndex((each) => each.kind === 'event' && each.event.type === 'step.ended');
    const { seen, safety } = onlooker();
    const left = PlainStore.with('r', records.slice(0, fetched + 1));
    await (
      await resume(clerk(), 'r', { store: left, safety })
    ).result;
    expect(seen).toEqual([['fetch']]);
  });

  test('and a later run of its thread from the thread, whatever it is shown of it', async () => {
    const inThread = { store: memoryStore(), thread: 't' };
    await savedFrom(lead(), inThread);
    const next = doing('writer', [call('save')]);
    expect(await savedFrom(next, inThread)).toEqual([['have', 'save', 'fetch']]);
    const shown = doing('writer', [call('save')], {
      conversation: { compaction: { thread: 'answers' } },
    });
    expect((await savedFrom(shown, inThread)).map((origins) => origins.includes('fetch'))).toEqual([true]);
  });

  test('and a run beside it in its thread, which is shown what the other asks for', async () => {
    const inThread = { store: memoryStore(), thread: 't' };
    const seen: (readonly string[])[] = [];
    const first = having('lead', [call('fetch'), call('have')], async () => {
      seen.push(...(await savedFrom(doing('writer', [call('save')]), inThread)));
    });
    await savedFrom(first, inThread);
    expect(seen).toEqual([['fetch', 'have']]);
  });
});

describe('where no rule asks for origins', () => {
  const rule: PolicyRule = { name: 'saving', effect: 'allow', tool: 'save', after: 'fetch' };

  test('nothing is kept or stored of them', async () => {
    const memory = windowMemory({ scope: 'shared' });
    const reads = doing('reader', [call('fetch')], { memory });
    const lead = having('lead', [call('fetch'), call('have'), call('save')], ({ run }) => run(reads, 'read'));
    for (const safety of [undefined, policy({ mode: 'bypass', rules: [rule] })]) {
      const store = new PlainStore();
      await lead.run('go', { store, runId: 'r', thread: 't', safety });
      const { records } = await recordsIn(store, 'r');
      const files = store.files('threads');
      const texts = await Promise.all((await files.names()).map((name) => files.read(name)));
      expect(JSON.stringify([records, texts])).not.toMatch(/"origins"|"fed"/);
      expect(texts.join('')).toContain('from the web');
    }
    const held = await memory.open({ runId: 'r', agent: 'reader' });
    expect((await held.recall('', 10)).filter(({ origins }) => origins !== undefined)).toEqual([]);
  });

  test('a policy keeps none, and one does that an engine and a run make together if either does', () => {
    const [no, yes] = [policy({ rules: [rule] }), policy({ rules: [{ ...rule, effect: 'deny' }] })];
    const keeps = ({ keepOrigins }: SafetyStrategy): boolean => keepOrigins !== undefined;
    expect([keeps(no), keeps(yes), keeps(policy({ rules: [() => undefined] }))]).toEqual([false, true, true]);
    const both = (first: SafetyStrategy, second: SafetyStrategy): boolean =>
      keeps(withDefaults({ safety: first }, { safety: second }).safety ?? no);
    expect([both(no, no), both(no, yes), both(yes, no)]).toEqual([false, true, true]);
  });
});

test('a rule with `after` follows what came to its agent in any way, and says from where; one that allows does not', async () => {
  const reads = doing('reader', [call('fetch')]);
  const lead = having('lead', [call('have'), call('save')], ({ run }) => run(reads, 'read'));
  const under = async (effect: PolicyRule['effect']) => {
    const safety = policy({
      rules: [
        { name: 'having', effect: 'allow', tool: 'have' },
        { name: 'fed', effect, tool: 'save', after: 'fetch' },
      ],
    });
    const { records } = await lead.run('go', { safety });
    return records[1]?.results[0]?.text;
  };
  expect(await under('deny')).toContain("'lead' has read what came from fetch");
  expect(await under('ask')).toContain('nobody is there to approve it');
  expect(await under('allow')).toContain('nobody is there to approve it');
});
