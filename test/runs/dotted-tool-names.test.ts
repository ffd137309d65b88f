import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../src/contracts/models/model.ts';
import type { Tool } from '../../src/contracts/tools/tool.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { chatProfiles, type ChatProfileName } from '../../src/models/openai/chat-profiles.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { fork } from '../../src/runtime/journal/resume/fork.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { judgingProvider, type MockProvider } from '../support/mock-provider.ts';
import { modelFor, type WireKind } from '../support/provider-streams.ts';
import { strictServer, strictServers, type SeenBody, type StrictServer } from '../support/strict-servers.ts';
import { says } from '../support/wire-answers.ts';

/** Two tools that come to one name once the dot is gone, and one that is too long for any provider. */
const DOTTED = 'files.read';
const PLAIN = 'files_read';
const LONG = `${'files.of.the.archive.'.repeat(4)}read`;
const ALL = [DOTTED, PLAIN, LONG];

const reader = (name: string, called: string[] = []): Tool =>
  tool({
    name,
    description: `Reads, by ${name}.`,
    input: z.object({ city: z.string() }),
    execute: ({ city }) => {
      called.push(`${name} ${city}`);
      return `${city}, read by ${name}`;
    },
  });

const clerk = (model: Model, called: string[] = [], names: readonly string[] = ALL) =>
  agent({
    name: 'clerk',
    model,
    tools: names.map((name) => reader(name, called)),
    failures: { retry: { attempts: 1 } },
  });

/** The names of functions that providers take; Google wants a letter or an underscore first. */
const ALLOWED: Partial<Record<ChatProfileName, RegExp>> = {
  gemini: /^[a-zA-Z_][\w.:-]{0,63}$/,
};
const COMMON = /^[\w-]{1,64}$/;

const namesIn = (body: SeenBody): readonly string[] => [
  ...(body.tools ?? []).map((declared) => declared.function.name),
  ...body.messages.flatMap(({ tool_calls: past }) => (past ?? []).map((call) => call.function.name)),
];

/** A server of a profile that looks at names, and calls what it was offered for each of `wanted` under the name it was offered. */
const particular = (profile: ChatProfileName, wanted: readonly string[]): StrictServer => {
  const server = strictServers[profile];
  const allowed = ALLOWED[profile] ?? COMMON;
  let declared: SeenBody['tools'] = [];
  return {
    ...server,
    refusal: (body) => {
      const odd = namesIn(body).find((name) => !allowed.test(name));
      if (odd !== undefined) return `Invalid function name '${odd}': it does not match ${allowed.source}`;
      declared = body.tools ?? [];
      const unknown = namesIn(body).find((name) => !declared?.some((each) => each.function.name === name));
      return unknown === undefined ? server.refusal(body) : `There is no function '${unknown}'`;
    },
    call: (index, city) => {
      const tools = declared?.map((each) => JSON.stringify(each)) ?? [];
      const at = tools.findIndex((each) => each.includes(`by ${wanted[index]}.`));
      const name = JSON.stringify(declared?.[at]?.function.name);
      return server.call(index, city).map((chunk) => {
        const named: unknown = JSON.parse(JSON.stringify(chunk).replaceAll('"weather"', name));
        return Object(named) as object;
      });
    },
  };
};

const pastCalls = (server: MockProvider): readonly string[] => {
  const body = server.requests.at(-1)?.body ?? {};
  const text = JSON.stringify(body['messages'] ?? body['input']);
  return [...text.matchAll(/"name":"([^"]+)"/g)].flatMap(([, name]) => name ?? []);
};

describe.each(Object.keys(chatProfiles) as ChatProfileName[])('names with dots, by %s', (profile) => {
  test.each([
    [DOTTED, PLAIN],
    [LONG, DOTTED],
  ])(
    '[FIND-18] go as names that it takes, and its calls of %s and %s come back to the right tools',
    async (...wanted) => {
      await using server = await strictServer(particular(profile, wanted));
      const called: string[] = [];
      const model = openaiChat('a-model', { baseURL: `${server.url}/v1`, apiKey: 'key', profile });
      const handle = clerk(model, called).stream('Read');
      const streamedNames: string[] = [];
      handle.events$.subscribe((event) => {
        if (
          event.type === 'model.delta' &&
          event.delta.type === 'tool-call' &&
          event.delta.name !== undefined
        )
          streamedNames.push(event.delta.name);
      });
      const result = await handle.result;
      expect(result).toMatchObject({ status: 'completed', output: 'Sunny in both.' });
      expect(called).toEqual([`${wanted[0]} Aachen`, `${wanted[1]} Bonn`]);
      expect(result.records.flatMap(({ results }) => results.map((each) => each.tool))).toEqual(wanted);
      expect(new Set(streamedNames)).toEqual(new Set(wanted));
      // What the model reads of its past is under the names that it was offered, each by itself.
      expect(new Set(pastCalls(server)).size).toBe(2);
    },
  );
});

const KINDS: readonly WireKind[] = ['openai-chat', 'openai-responses', 'anthropic'];

/** The names of the tools of a request, each with what it is described by. */
const offered = ({ body }: MockProvider['requests'][number]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const add = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { name, description } = value as { name?: unknown; description?: unknown };
    if (typeof name === 'string') found.set(/by (.*)\.$/.exec(String(description))?.[1] ?? name, name);
    else if ('function' in value) add(value.function);
  };
  for (const each of Array.isArray(body['tools']) ? body['tools'] : []) add(each);
  return found;
};

/** A provider that calls those tools, one for each answer, under the names that it was offered, and then says that it is done. */
const caller = (kind: WireKind, wanted: readonly string[]): Promise<MockProvider> =>
  judgingProvider((request, index) => {
    const names = offered(request);
    const odd = [...names.values()].find((name) => !COMMON.test(name));
    if (odd !== undefined) return { status: 400, pieces: [JSON.stringify({ error: { message: odd } })] };
    const tool = wanted[index];
    if (tool === undefined) return says(kind, 'Done.');
    const call = { name: names.get(tool) ?? '', arguments: `{"city":"town ${index}"}` };
    return says(kind, { calls: [{ ...call, id: `toolu_${index}` }] });
  });

describe.each(KINDS)('a stored run with dotted names over %s', (kind) => {
  test('[FIND-18] is resumed in its midst, replayed and forked, and each call is of the tool that it was', async () => {
    await using provider = await caller(kind, [DOTTED, PLAIN, LONG]);
    const model = modelFor(kind, provider);
    const store = memoryStore();
    const called: string[] = [];
    const handle = clerk(model, called).stream('Read', { store, runId: 'r', paused: true });
    await handle.step();
    const left = handle.result.catch((error: unknown) => error);
    await handle.suspend();
    expect(await left).toMatchObject({ code: 'run.suspended' });
    const result = await (await resume(clerk(model, called), 'r', { store })).result;
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
    const expected = [`${DOTTED} town 0`, `${PLAIN} town 1`, `${LONG} town 2`];
    expect(called).toEqual(expected);
    expect(provider.requests).toHaveLength(4);
    const silent = scriptedModel([]);
    const replayed = await replay(clerk(silent, called), 'r', { store });
    expect(JSON.stringify(replayed.events)).toBe(JSON.stringify(result.events));
    expect(called).toEqual(expected);
    const forked = await fork(clerk(model, called), 'r', { store, at: { step: 2 }, runId: 'f' });
    expect(await forked.result).toMatchObject({ status: 'completed', output: 'Done.' });
    const past = pastCalls(provider);
    const names = offered(provider.requests.at(-1) ?? provider.requests[0]!);
    for (const each of [DOTTED, PLAIN]) expect(past).toContain(names.get(each));
  });

  test('[FIND-18] that is resumed after a deploy with a tool of the very name that its own had on the wire tells the two apart', async () => {
    await using provider = await caller(kind, [DOTTED, DOTTED]);
    const model = modelFor(kind, provider);
    const store = memoryStore();
    const called: string[] = [];
    const handle = clerk(model, called, [DOTTED]).stream('Read', { store, runId: 'r', paused: true });
    await handle.step();
    const left = handle.result.catch((error: unknown) => error);
    await handle.suspend();
    await left;
    const result = await (await resume(clerk(model, called, [PLAIN, DOTTED]), 'r', { store })).result;
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(called).toEqual([`${DOTTED} town 0`, `${DOTTED} town 1`]);
    const [first, second] = provider.requests.map(offered);
    expect(first?.get(DOTTED)).toBe(PLAIN);
    expect(second?.get(PLAIN)).toBe(PLAIN);
    expect(second?.get(DOTTED)).not.toBe(PLAIN);
    expect(pastCalls(provider)).not.toContain(PLAIN);
  });

  test('[FIND-18] that ends keeps its names for the next run of the thread, and for one with its history', async () => {
    await using provider = await caller(kind, [DOTTED]);
    const model = modelFor(kind, provider);
    const store = memoryStore();
    const first = await clerk(model).run('Read', { store, thread: 'talk' });
    await clerk(model, [], [PLAIN, DOTTED]).run('And now?', { store, thread: 'talk' });
    const history: Turn[] = [
      { role: 'user', text: 'Read' },
      { role: 'assistant', text: '', calls: [{ id: '1', name: DOTTED, input: { city: 'Ulm' } }] },
      { role: 'tool', callId: '1', tool: DOTTED, text: 'Ulm' },
    ];
    expect(first.transcript.map((turn) => (turn.role === 'tool' ? turn.tool : turn.role))).toContain(DOTTED);
    await clerk(model, [], [PLAIN, DOTTED]).run('And now?', { history });
    for (const request of provider.requests.slice(-2)) {
      const text = JSON.stringify(request.body['messages'] ?? request.body['input']);
      expect(text).toContain(`"name":"${offered(request).get(DOTTED)}"`);
      expect(text).not.toContain(`"name":"${PLAIN}"`);
    }
  });
});

test('[FIND-18] a model that writes the name with its dot is understood, too', async () => {
  const called: string[] = [];
  await using provider = await judgingProvider((_, index) =>
    says('openai-chat', index > 0 ? 'Done.' : { calls: [{ name: DOTTED, arguments: '{"city":"Ulm"}' }] }),
  );
  await clerk(modelFor('openai-chat', provider), called).run('Read');
  expect(called).toEqual([`${DOTTED} Ulm`]);
});
