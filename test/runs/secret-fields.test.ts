import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { act, agent, answer, jsonSchema, tool, type LiveEvent } from 'troupe';
import { agUiResponse, recorder } from 'troupe/inspect';
import { threads } from 'troupe/memory';
import type { Model, ModelDelta } from 'troupe/models';
import { pipeline } from 'troupe/patterns';
import { memoryStore } from 'troupe/stores';
import { scriptedModel } from 'troupe/testing';
import { eventRedactor } from '../../src/runtime/serve/streams/event-redactor.ts';

const PASSWORD = 'correct-horse/battery';
const secret = () => z.string().meta({ writeOnly: true });

/** What a run tells while it goes on, and what it leaves. */
const watched = () => {
  const seen: LiveEvent[] = [];
  const record = recorder();
  return {
    seen,
    options: {
      hooks: [{ name: 'seen', handle: (event: LiveEvent) => void seen.push(event), deltas: true }],
      inspect: record,
    },
    told: (): string => [JSON.stringify(seen), ...record.recording.from()].join('\n'),
  };
};

const inputs: unknown[] = [];
const login = tool({
  name: 'login',
  description: 'Logs in.',
  input: z.object({ user: z.string(), password: secret(), pin: z.number().meta({ writeOnly: true }) }),
  execute: (input) => {
    inputs.push(input);
    return `ada is in, by ${input.password}`;
  },
});
const call = { user: 'ada', password: PASSWORD, pin: 4711008150 };

describe('a field that a schema marks as secret', () => {
  test.each([
    [
      'a model',
      { model: scriptedModel([{ calls: [{ id: 'a', name: 'login', input: call }] }, `Used ${PASSWORD}.`]) },
    ],
    [
      'its own decide',
      {
        decide: ({ step }: { readonly step: number }) =>
          step === 0 ? act({ name: 'login', input: call }) : answer(`Used ${PASSWORD}.`),
      },
    ],
  ])('[FIND-52] of a tool that %s calls is told nowhere, and the tool gets it', async (_, by) => {
    inputs.length = 0;
    const { told, options } = watched();
    const result = await agent({ name: 'clerk', ...by, tools: [login] }).run('Log in.', options);
    expect(inputs).toEqual([call]);
    expect(result.output).toBe(`Used ${PASSWORD}.`);
    for (const text of [told(), JSON.stringify([result.events, result.records, result.transcript])]) {
      expect(text).toContain('[redacted password]');
      expect(text).not.toContain(PASSWORD);
      expect(text).not.toContain('4711008150');
      expect(text).toContain('ada');
    }
  });

  test.each(['^(.)\\1$', '(?=.*x)y', '^(?:a?){9000}$'])(
    '[FIND-52] is told nowhere, whatever pattern of other names stands beside it: %s',
    async (pattern) => {
      const set = tool({
        name: 'set',
        description: 'Sets.',
        input: jsonSchema<Record<string, string>>({
          type: 'object',
          patternProperties: { [pattern]: { type: 'string' } },
          additionalProperties: { type: 'string', writeOnly: true },
        }),
        execute: () => 'set',
      });
      const name = pattern.startsWith('(') ? 'b'.repeat(10_000) : 'b';
      const { told, options } = watched();
      const model = scriptedModel([
        { calls: [{ id: 'a', name: 'set', input: { [name]: PASSWORD } }] },
        'Done.',
      ]);
      await agent({ name: 'clerk', model, tools: [set] }).run('Set it.', options);
      expect(told()).not.toContain(PASSWORD);
    },
  );

  test.each([
    ['^x-', 'x-key', 'key', true],
    ['^(?:pin|code)$', 'code', 'codes', true],
    ['^[a-z]+-[0-9]+$', 'key-12', 'key', true],
    // Not decided, as it might take long: both may be secret.
    ['^(?:[a-z]+-)+$', 'key-', 'key', false],
  ])('[FIND-52] is found by a pattern of its name: %s', async (pattern, name, other, isDecided) => {
    const set = tool({
      name: 'set',
      description: 'Sets.',
      input: jsonSchema<Record<string, string>>({
        type: 'object',
        patternProperties: { [pattern]: { type: 'string', writeOnly: true } },
      }),
      execute: () => 'set',
    });
    const { told, options } = watched();
    const input = { [name]: PASSWORD, [other]: 'nobody knows' };
    const model = scriptedModel([{ calls: [{ id: 'a', name: 'set', input }] }, 'Done.']);
    await agent({ name: 'clerk', model, tools: [set] }).run('Set it.', options);
    expect(told()).not.toContain(PASSWORD);
    expect(told().includes('nobody knows')).toBe(isDecided);
  });

  test('[FIND-52] of a JSON Schema counts by `format: password`, too', async () => {
    const open = tool({
      name: 'open',
      description: 'Opens.',
      input: jsonSchema<{ key: string }>({
        type: 'object',
        properties: { key: { type: 'string', format: 'password' } },
        required: ['key'],
      }),
      execute: ({ key }) => {
        throw new Error(`no door for ${key}`);
      },
    });
    const model = scriptedModel([{ calls: [{ id: 'a', name: 'open', input: { key: PASSWORD } }] }, 'Sorry.']);
    const result = await agent({ name: 'clerk', model, tools: [open] }).run('Open.');
    const told = JSON.stringify([result.events, result.effects, result.transcript]);
    expect(told).not.toContain(PASSWORD);
    expect(told).toContain('no door for [redacted key]');
  });

  test('[FIND-52] of an input is told nowhere, of an agent and of a member of a team', async () => {
    const prompts: string[] = [];
    const model: Model = {
      ...scriptedModel([]),
      provider: 'heard',
      id: 'heard',
      answer: ({ messages }) => {
        prompts.push(JSON.stringify([...messages]));
        return { text: `Hello ${PASSWORD}`, calls: [], finish: 'stop', usage: { input: 1, output: 1 } };
      },
    };
    const clerk = agent({
      name: 'clerk',
      model,
      input: z.object({ name: z.string(), login: z.object({ password: secret() }) }),
    });
    const input = { name: 'ada', login: { password: PASSWORD } };
    const alone = watched();
    await clerk.run(input, alone.options);
    const inTeam = watched();
    await pipeline({ name: 'line', stages: [clerk] }).run(input, inTeam.options);
    expect(prompts[0]).toContain(PASSWORD);
    for (const text of [alone.told(), inTeam.told()]) {
      expect(text).toContain('[redacted login.password]');
      expect(text).not.toContain(PASSWORD);
    }
  });

  test('[FIND-52] of what a tool gives, of what a person types for it, and of an answer is told nowhere', async () => {
    const typed = tool({
      name: 'ask_password',
      description: 'Asks for the password.',
      input: z.object({}),
      output: secret(),
      execute: (_, context) => context.ask('Your password?'),
    });
    const given = tool({
      name: 'make_key',
      description: 'Makes a key.',
      input: z.object({}),
      output: z.object({ key: secret() }),
      execute: () => ({ key: 'made-for-ada-1' }),
    });
    const model = scriptedModel([
      {
        calls: [
          { id: 'a', name: 'ask_password', input: {} },
          { id: 'b', name: 'make_key', input: {} },
        ],
      },
      JSON.stringify({ code: 'the-code-17', text: `${PASSWORD} made-for-ada-1` }),
    ]);
    const clerk = agent({
      name: 'clerk',
      model,
      tools: [typed, given],
      output: z.object({ code: secret(), text: z.string() }),
    });
    const { told, options } = watched();
    const result = await clerk.run('Go.', { ...options, person: { answer: () => PASSWORD } });
    expect(result.output).toEqual({ code: 'the-code-17', text: `${PASSWORD} made-for-ada-1` });
    for (const text of [told(), JSON.stringify([result.events, result.transcript])])
      for (const each of [PASSWORD, 'made-for-ada-1', 'the-code-17']) expect(text).not.toContain(each);
    for (const name of ['ask_password', 'key', 'code']) expect(told()).toContain(`[redacted ${name}]`);
  });

  test('[FIND-52] is in no thread', async () => {
    const store = memoryStore();
    const kept = threads(store.files('threads'));
    const model = scriptedModel([{ calls: [{ id: 'a', name: 'login', input: call }] }, `Used ${PASSWORD}.`]);
    await agent({ name: 'clerk', model, tools: [login] }).run('Go.', { thread: 'ada', threads: kept });
    const turns = JSON.stringify((await kept.load('ada'))?.turns);
    expect(turns).toContain('[redacted password]');
    expect(turns).not.toContain(PASSWORD);
  });
});

describe('a model that says the arguments of a call in pieces', () => {
  const sayer = (size: number, isWhole = true): Model => ({
    ...scriptedModel([]),
    provider: 'pieces',
    id: 'pieces',
    answer: (request, { delta }) => {
      if (request.messages.length > 1)
        return { text: 'Done.', calls: [], finish: 'stop', usage: { input: 1, output: 1 } };
      const text = JSON.stringify(call);
      delta({ type: 'text', text: 'Here.' });
      for (let from = 0; from < text.length; from += size)
        delta({
          type: 'tool-call',
          index: 0,
          ...(from === 0 ? { name: 'login' } : {}),
          text: text.slice(from, from + size),
        });
      if (!isWhole) throw new Error('it broke off');
      const calls = [{ id: 'a', name: 'login', input: call }];
      return { text: 'Here.', calls, finish: 'tool-calls', usage: { input: 1, output: 1 } };
    },
  });
  const deltasOf = async (model: Model): Promise<readonly ModelDelta[]> => {
    const handle = agent({
      name: 'clerk',
      model,
      tools: [login],
      failures: { retry: { attempts: 1 } },
    }).stream('go');
    const seen: ModelDelta[] = [];
    handle.events$.subscribe((event) => {
      if (event.type === 'model.delta') seen.push(event.delta);
    });
    await handle.result.catch(() => undefined);
    return seen;
  };

  test('[FIND-52] shows them when the call is whole, without what its tool marks', async () => {
    for (const size of [1, 7, 1_000]) {
      const [first, ...rest] = await deltasOf(sayer(size));
      expect(first).toEqual({ type: 'text', text: 'Here.' });
      expect(rest).toEqual([
        {
          type: 'tool-call',
          index: 0,
          name: 'login',
          text: '{"user":"ada","password":"[redacted password]","pin":[redacted pin]}',
        },
      ]);
    }
  });

  test('[FIND-37] [FIND-52] shows none of it by AG-UI, also where there is no process', async () => {
    for (const size of [1, 7, 1_000]) {
      const handle = agent({ name: 'clerk', model: sayer(size), tools: [login] }).stream('go');
      vi.stubGlobal('process', undefined);
      let response: Response;
      try {
        response = agUiResponse(handle, { threadId: 't', runId: 'r' });
      } finally {
        vi.unstubAllGlobals();
      }
      const text = await response.text();
      expect(text).toContain('TOOL_CALL_ARGS');
      expect(text).toContain('[redacted password]');
      expect(text).toContain('ada');
      for (const each of [PASSWORD, PASSWORD.slice(0, 9), '4711008150']) expect(text).not.toContain(each);
    }
  });

  test('[FIND-52] shows nothing of them where the call never is whole', async () => {
    expect((await deltasOf(sayer(5, false))).filter(({ type }) => type === 'tool-call')).toEqual([]);
  });
});

describe('pieces of a call with a key that is known', () => {
  test('[FIND-52] [FIND-37] show none of it, however they are cut, to whoever watches and by AG-UI', async () => {
    const key = 'shop-4217-Zx81-key';
    const input = { text: `take "${key}" now` };
    const said = JSON.stringify(input);
    for (const size of [1, 3, 8, 1_000]) {
      const model: Model = {
        ...scriptedModel([]),
        provider: 'pieces',
        id: 'pieces',
        answer: (request, { delta }) => {
          const usage = { input: 1, output: 1 };
          if (request.messages.length > 1) return { text: 'Done.', calls: [], finish: 'stop', usage };
          for (let from = 0; from < said.length; from += size)
            delta({ type: 'tool-call', index: 0, name: 'say', text: said.slice(from, from + size) });
          return { text: '', calls: [{ id: 'a', name: 'say', input }], finish: 'tool-calls', usage };
        },
      };
      const say = tool({
        name: 'say',
        description: 'Says it.',
        input: z.object({ text: z.string() }),
        execute: () => 'said',
      });
      const clerk = agent({ name: 'clerk', model, tools: [say] });
      const handle = clerk.stream('go', { secrets: { SHOP: key } });
      let seen = '';
      handle.events$.subscribe((event) => {
        if (event.type === 'model.delta' && event.delta.type === 'tool-call') seen += event.delta.text;
      });
      await handle.result;
      expect(seen, `in pieces of ${size}`).toBe('{"text":"take \\"[redacted SHOP]\\" now"}');
      const published = await agUiResponse(clerk.stream('go', { secrets: { SHOP: key } }), {
        threadId: 't',
        runId: 'r',
      }).text();
      expect(published).toContain('TOOL_CALL_ARGS');
      for (const each of [key, key.slice(0, 9)]) expect(published).not.toContain(each);
    }
  });
});

describe('what a hook reads of requests', () => {
  test('[FIND-52] has no value of a field in it, of what was sent and of what came back', async () => {
    const read: unknown[] = [];
    const model = scriptedModel([{ calls: [{ id: 'a', name: 'login', input: call }] }, `Used ${PASSWORD}.`]);
    await agent({ name: 'clerk', model, tools: [login] }).run('Log in.', {
      hooks: [
        {
          name: 'reader',
          wantsRequests: true,
          handle: (event, { sent }) => {
            if (event.type === 'model.asked') read.push(sent?.requestOf(event.key));
            if (event.type === 'model.answered') read.push(sent?.answerOf(event.key));
          },
        },
      ],
    });
    const text = JSON.stringify(read);
    expect(read).toHaveLength(4);
    expect(text).toContain('[redacted password]');
    for (const each of [PASSWORD, '4711008150']) expect(text).not.toContain(each);
    expect(JSON.stringify(model.requests)).toContain(PASSWORD);
  });
});

describe('words that end as a key begins', () => {
  test('[FIND-37] are shown before the call that comes after them', async () => {
    const model: Model = {
      ...scriptedModel([]),
      provider: 'pieces',
      id: 'pieces',
      answer: (request, { delta }) => {
        const usage = { input: 1, output: 1 };
        if (request.messages.length > 1) return { text: 'Done.', calls: [], finish: 'stop', usage };
        for (const text of ['I use', ' a key']) delta({ type: 'text', text });
        delta({ type: 'tool-call', index: 0, name: 'login', text: '{}' });
        return {
          text: 'I use a key',
          calls: [{ id: 'a', name: 'look', input: {} }],
          finish: 'tool-calls',
          usage,
        };
      },
    };
    const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'seen' });
    const handle = agent({ name: 'clerk', model, tools: [look] }).stream('go');
    const seen: string[] = [];
    handle.events$.subscribe((event) => {
      if (event.type === 'model.delta' && event.delta.type !== 'progress') seen.push(event.delta.text);
    });
    await handle.result;
    expect(seen).toEqual(['I use', ' a ', 'key', '{}']);
  });

  const usage = { input: 1, output: 1 };
  const deltasOf = async (
    answerTo: Model['answer'],
    during?: (handle: { abort(reason: string): void }) => void,
  ): Promise<readonly LiveEvent[]> => {
    const model: Model = { ...scriptedModel([]), provider: 'pieces', id: 'pieces', answer: answerTo };
    const handle = agent({ name: 'clerk', model }).stream('go');
    const seen: LiveEvent[] = [];
    handle.events$.subscribe((event) => {
      seen.push(event);
      if (event.type === 'model.delta') during?.(handle);
    });
    await Promise.allSettled([handle.result]);
    return seen;
  };
  const textsOf = (events: readonly LiveEvent[]): readonly string[] =>
    events.flatMap((event) =>
      event.type === 'model.delta' && event.delta.type !== 'progress'
        ? [`${event.delta.type} ${event.offset}: ${event.delta.text}`]
        : [],
    );

  test('[FIND-37] are shown before words of another kind', async () => {
    const seen = await deltasOf((_, { delta }) => {
      for (const text of ['It', ' was s']) delta({ type: 'reasoning', text });
      delta({ type: 'text', text: 'Yes.' });
      return { text: 'Yes.', calls: [], finish: 'stop', usage };
    });
    expect(textsOf(seen)).toEqual([
      'reasoning 0: It',
      'reasoning 2:  was ',
      'reasoning 7: s',
      'text 0: Yes.',
    ]);
  });

  test('[FIND-37] are shown where nobody waits for the rest any more, also by whoever publishes them', async () => {
    const seen = await deltasOf(
      (_, { delta, signal }) => {
        for (const text of ['It was ', 's']) delta({ type: 'text', text });
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        });
      },
      (handle) => {
        queueMicrotask(() => {
          handle.abort('enough');
        });
      },
    );
    const expected = ['text 0: It was ', 'text 7: s'];
    expect(textsOf(seen)).toEqual(expected);
    expect(seen.at(-1)?.type).toBe('run.ended');
    const published = seen.flatMap(eventRedactor(undefined));
    expect(textsOf(published)).toEqual(expected);
    expect(published.at(-1)?.type).toBe('run.ended');
  });

  test('[FIND-37] are not shown then where they may be the beginning of a secret', async () => {
    const seen = await deltasOf(
      (_, { delta }) => {
        for (const text of ['The key is ', 'sk-abcdefgh']) delta({ type: 'text', text });
        return new Promise(() => undefined);
      },
      (handle) => {
        queueMicrotask(() => {
          handle.abort('enough');
        });
      },
    );
    expect(textsOf(seen)).toEqual(['text 0: The key is ']);
    expect(textsOf(seen.flatMap(eventRedactor(undefined)))).toEqual(['text 0: The key is ']);
  });
});
