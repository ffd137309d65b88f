import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  agent,
  codeTool,
  fork,
  replay,
  tool,
  toolset,
  type RunOptions,
  type ToolResult,
} from '../../src/index.ts';
import type { CodeToolOptions } from '../../src/runtime/programs/code-tool.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';
import { ofType, quiet, settled } from '../support/runs.ts';

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.number(),
  execute: ({ a, b }) => a + b,
});

const pay = (paid: number[]) =>
  tool({
    name: 'pay',
    description: 'Pays.',
    safety: 'danger',
    input: z.object({ amount: z.number() }),
    execute: ({ amount }) => {
      paid.push(amount);
      return { amount };
    },
  });

const programmer = (code: string, options: Partial<CodeToolOptions> = {}) =>
  agent({
    name: 'programmer',
    model: scriptedModel([calls({ name: 'run_code', input: { code } }), 'done']),
    tools: [codeTool({ tools: [add], memoryBytes: 24 * 1024 * 1024, ...options })],
  });

const runOf = (code: string, options: Partial<CodeToolOptions> = {}, given: RunOptions = {}) =>
  settled(programmer(code, options).stream('go', given));

/** The program's result, as the model reads it. */
const textOf = async (code: string, options: Partial<CodeToolOptions> = {}): Promise<string> => {
  const { events } = await runOf(code, options);
  return ofType(events, 'tool.finished').find(({ tool: name }) => name === 'run_code')?.text ?? '';
};

describe('a program over tools', () => {
  test('calls them as the run does, alone and together, and gives what it returns', async () => {
    const files = toolset({ name: 'files', tools: [{ ...add, name: 'add-up' }] });
    const code = `
      const [three, seven] = await Promise.all([tools.add({ a: 1, b: 2 }), tools.add({ a: 3, b: 4 })]);
      console.log('so far', { three, seven });
      return { ten: await tools.files['add-up']({ a: three, b: seven }) };`;
    const { events, totals } = await runOf(code, { tools: [add, files] });
    const finished = ofType(events, 'tool.finished');
    expect(finished.map(({ path, tool: name, text }) => [path, name, text])).toEqual([
      ['programmer/run_code-0', 'add', '3'],
      ['programmer/run_code-0', 'add', '7'],
      ['programmer/run_code-0', 'files.add-up', '10'],
      ['programmer', 'run_code', '{"ten":10}\n\nconsole:\nso far {"three":3,"seven":7}'],
    ]);
    expect(totals.toolCalls).toBe(4);
  });

  test('the model reads one typed function for each tool', () => {
    const search = tool({
      name: 'web-search',
      description: 'Searches.',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'Words */ to look for.' },
          kind: { enum: ['page', 'image'] },
          within: { type: 'array', items: { $ref: '#/$defs/place' } },
        },
        required: ['query'],
        $defs: { place: { type: ['string', 'null'] } },
      },
      execute: () => null,
    });
    const { description } = codeTool({ tools: [add, toolset({ name: 'net', tools: [search] })] });
    expect(description).toContain(
      '/** Adds two numbers. */\ntools.add(input: { a: number; b: number }): Promise<number>',
    );
    expect(description).toContain(
      'tools.net["web-search"](input: { /* Words * / to look for. */ query: string; kind?: "page" | "image"; within?: Array<string | null> }): Promise<unknown>',
    );
  });

  test('a call that nobody waits for is made nevertheless', async () => {
    const { events } = await runOf(
      'tools.add({ a: 1, b: 1 }).then((two) => console.log(two)); return "over";',
    );
    expect(ofType(events, 'tool.finished').map(({ text }) => text)).toEqual(['2', 'over\n\nconsole:\n2']);
  });

  test('catches the failure of a call, and goes on', async () => {
    const code = `try { await tools.add({ a: 'one' }); } catch ({ name, code, message, stack }) { return [name, code, message.includes('b:'), stack.includes('program.js:1')]; }`;
    expect(await textOf(code)).toBe('["ToolError","tool.input-invalid",true,true]');
  });
});

describe('what goes wrong in a program', () => {
  test.each([
    [
      'an endless loop',
      'console.log("begun");\nfor (;;) {}',
      /used up its computing time: 200 ms[^]*console:\nbegun/,
    ],
    ['an endless loop of promises', 'for (;;) await null;', /used up its computing time/],
    [
      'a loop that QuickJS cannot interrupt',
      'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1);',
      /used up its computing time/,
    ],
    ['a memory bomb', 'const all = []; for (;;) all.push(new Uint8Array(1e6));', /out of memory/],
    ['deep recursion', 'const f = () => f() + 1;\nreturn f();', /stack overflow[^]*program\.js:1/],
    ['depth that QuickJS does not bound', 'return eval("(".repeat(1e5));', /nests too deeply/],
    [
      'an error of its own',
      '\nconst none = null;\nreturn none.x;',
      /TypeError: cannot read property 'x' of null\n.*program\.js:3/,
    ],
    ['a mistake in its syntax', 'let x = 1;\nlet y = ;', /SyntaxError[^]*program\.js:2/],
    ['a thrown string', 'throw "no";', /Error: no/],
    [
      'a promise that nothing settles',
      'await new Promise(() => {});',
      /waits for a promise that nothing settles/,
    ],
    [
      'more calls than it may make',
      'for (;;) await tools.add({ a: 1, b: 1 });',
      /may make 3 calls of tools[^]*program\.js:1/,
    ],
    ['a result that is no JSON', 'const o = {}; o.o = o; return o;', /TypeError: circular/],
    ['a result without end', 'return "x".repeat(2e6);', /result is too long: 2000002 characters/],
    ['a tool that is none', 'await tools.subtract({});', /TypeError: not a function/],
  ])('%s is a result with its place', async (what, code, text) => {
    const found = await textOf(code, { maxCalls: 3, ...(/loop/.test(what) ? { computeMs: 200 } : {}) });
    expect(found).toMatch(/^The program failed: /);
    expect(found).toMatch(text);
  });

  test('a program that returns nothing says so, and much console is cut', async () => {
    expect(await textOf('1 + 1')).toMatch(/^The program returned nothing/);
    const text = await textOf('for (let i = 0; i < 2000; i += 1) console.log("0123456789"); return 1;');
    expect(text.length).toBeLessThan(17_000);
    expect(text).toContain('the rest of the console is cut');
  });

  test('there is nothing of the process in it, however one asks', async () => {
    const code = `
      const found = (work) => { try { return String(work()); } catch (error) { return error.name; } };
      Object.prototype.polluted = 1;
      await tools.add({ a: 1, b: 2, ...JSON.parse('{"__proto__":{"evil":1}}') });
      return [
        found(() => typeof process + typeof require + typeof fetch + typeof setTimeout + typeof WeakRef + typeof SharedArrayBuffer),
        found(() => this.constructor.constructor('return typeof process')()),
        found(() => tools.add.constructor('return typeof process')()),
        found(() => console.log.constructor('return typeof globalThis.process')()),
        found(() => Object.getPrototypeOf(async () => {}).constructor('return process')),
        await import('node:fs').then(() => 'imported', (error) => error.name),
        await tools.add({}).catch((error) => error.constructor.constructor('return typeof process')()),
      ];`;
    const found = JSON.parse(await textOf(code)) as readonly string[];
    expect(found).toEqual([
      'undefined'.repeat(6),
      'undefined',
      'undefined',
      'undefined',
      expect.stringContaining('function'),
      'ReferenceError',
      'undefined',
    ]);
    expect('polluted' in {} || 'evil' in {}).toBe(false);
  });

  test('options that do not fit, and tools that act on the agent, are refused', () => {
    expect(() => codeTool({ tools: [] })).toThrow(/there are none/);
    expect(() => codeTool({ tools: [add], computeMs: 0 })).toThrow(/computeMs.*not a whole number from 1/);
    expect(() => codeTool({ tools: [{ ...add, category: 'control' }] })).toThrow(
      /'add' acts on the agent itself/,
    );
  });
});

describe('a program in a run', () => {
  const saved = 'try { await tools.pay({ amount: 5 }); } catch (error) { return error.code; } return "paid";';

  test.each([
    [true, [5], 'paid'],
    [false, [], 'tool.denied'],
  ])('a person is asked in the middle, and says %s', async (yes, expected, text) => {
    const paid: number[] = [];
    const { events } = await runOf(saved, { tools: [pay(paid)] }, { person: { approve: () => yes } });
    expect(ofType(events, 'tool.approval-requested').map(({ path, tool: name }) => [path, name])).toEqual([
      ['programmer/run_code-0', 'pay'],
    ]);
    expect(paid).toEqual(expected);
    expect(ofType(events, 'tool.finished').at(-1)?.text).toBe(text);
  });

  test('a policy denies its calls, a budget stops it', async () => {
    const denied = await runOf(
      'return await tools.add({ a: 1, b: 1 }).catch(({ code }) => code);',
      {},
      {
        safety: ({ tool: name }) =>
          name === 'add' ? { verdict: 'deny', reason: 'no sums' } : { verdict: 'allow' },
      },
    );
    expect(ofType(denied.events, 'tool.finished').at(-1)?.text).toBe('tool.denied');
    const many = 'for (let i = 0; i < 9; i += 1) await tools.add({ a: 1, b: 1 });';
    const spent = await runOf(many, {}, { limits: { budget: { toolCalls: 3 } } });
    expect(ofType(spent.events, 'tool.started').filter(({ tool: name }) => name === 'add')).toHaveLength(2);
    expect(ofType(spent.events, 'tool.finished').at(-1)?.text).toBe('The program was stopped: budget');
  });

  test('an abort ends it within its computation', async () => {
    const handle = programmer('for (;;) {}', { computeMs: 60_000 }).stream('go');
    await new Promise<void>((resolve) => {
      handle.events$.subscribe((event) => {
        if (event.type === 'member.engaged') resolve();
      });
    });
    handle.abort('enough');
    expect((await handle.result).stopReason).toEqual({ kind: 'aborted', reason: 'enough' });
  });

  test('it has one moment and random numbers of its own: replayed and forked they are equal', async () => {
    const ran: number[] = [];
    const note = tool({
      name: 'note',
      description: 'Notes.',
      input: z.object({ chance: z.number(), at: z.number() }),
      execute: ({ chance, at }) => {
        ran.push(chance);
        return [chance, at];
      },
    });
    const code = `const at = Date.now(); const first = await tools.note({ chance: Math.random(), at });
      return [first, await tools.note({ chance: Math.random(), at: new Date().getTime() }), new Date(2020, 0, 1).toISOString()];`;
    const made = programmer(code, { tools: [note] });
    const store = new PlainStore();
    const { events } = await made.run('go', { store, runId: 'r' });
    const results = (of: typeof events): readonly ToolResult['text'][] =>
      ofType(of, 'tool.finished').map(({ text }) => text);
    const [[[chance, at], [other, again], day]] = results(events)
      .slice(-1)
      .map((text) => JSON.parse(text)) as [[[number, number], [number, number], string]];
    expect([at === again, chance === other, day]).toEqual([true, false, '2020-01-01T00:00:00.000Z']);
    const replayed = await replay(made, 'r', { store });
    expect(replayed.events).toEqual(events);
    const [, second] = ofType(events, 'tool.started').filter(({ path }) => path.includes('run_code'));
    const forked = await (
      await fork(made, 'r', {
        store,
        runId: 'f',
        at: { seq: second?.seq ?? 0 },
        change: { model: scriptedModel(['done']) },
      })
    ).result;
    expect(results(forked.events)).toEqual(results(events));
    expect(ran).toHaveLength(3);
    await quiet();
  });
});
