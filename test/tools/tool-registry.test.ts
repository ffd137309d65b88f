import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Toolset } from '../../src/contracts/tools/tool.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { ToolRegistry } from '../../src/tools/define/tool-registry.ts';
import { unknownToolMessage } from '../../src/tools/define/unknown-tool.ts';
import { callOf } from './tool-context.ts';
import { processorTime } from '../support/processor-time.ts';

const named = (name: string) =>
  tool({ name, description: `Does ${name}.`, input: z.object({}), execute: () => name });

const add = named('add');
const read = named('read');
const write = named('write');

const namesOf = (registry: ToolRegistry): string[] => registry.specs().map(({ name }) => name);

describe('the tools of a run', () => {
  test('[QITOS-44] are found by name; those of a set by set.tool', () => {
    const registry = new ToolRegistry([add, toolset({ name: 'files', tools: [read, write] })]);
    expect(namesOf(registry)).toEqual(['add', 'files.read', 'files.write']);
    expect(registry.find('add')).toBe(add);
    expect(registry.find('files.read')).toBe(read);
    expect(registry.find('read')).toBeUndefined();
    expect(registry.find('__proto__')).toBeUndefined();
    expect(registry.names).toEqual(['add', 'files.read', 'files.write']);
    expect(registry.problems).toEqual([]);
  });

  test('[QITOS-43] are described to the model by name, description and parameters', () => {
    expect(new ToolRegistry([add]).specs()).toEqual([
      { name: 'add', description: 'Does add.', parameters: { type: 'object', properties: {} } },
    ]);
  });

  test('[DODO-16] are the very same array until something changes', () => {
    const registry = new ToolRegistry([add]);
    const before = registry.specs();
    expect(registry.specs()).toBe(before);
    registry.add(read);
    expect(registry.specs()).not.toBe(before);
    expect(registry.specs()).toBe(registry.specs());
  });

  test('[DODO-16] [TENEX-48] a tool added or removed during a step counts from the next step on', () => {
    const registry = new ToolRegistry([add]);
    registry.specs();
    registry.add(read);
    registry.remove('add');
    expect(registry.find('read')).toBeUndefined();
    expect(registry.find('add')).toBe(add);
    expect(namesOf(registry)).toEqual(['read']);
    expect(registry.find('read')).toBe(read);
    expect(registry.find('add')).toBeUndefined();
  });

  test('[QITOS-44] a whole set can be taken out by its name', () => {
    const registry = new ToolRegistry([add, { name: 'files', tools: [read, write] }]);
    expect(registry.remove('files')).toBe(true);
    expect(registry.remove('files')).toBe(false);
    expect(namesOf(registry)).toEqual(['add']);
  });
});

describe('what is wrong with tools', () => {
  test('[QITOS-44] two of one name: a problem as data, and the first stays', () => {
    const other = named('add');
    const registry = new ToolRegistry([add, other]);
    expect(registry.problems).toEqual([
      {
        code: 'tool.duplicate',
        message: "Cannot add tool 'add' as its name is taken: two different tools have that name",
        retryable: 'no',
        tool: 'add',
      },
    ]);
    expect(registry.find('add')).toBe(add);
    expect(registry.add(read)).toEqual([]);
    expect(registry.add(add)).toMatchObject([
      { code: 'tool.duplicate', message: expect.stringMatching(/added twice/) },
    ]);
  });

  test('[QITOS-46] is collected, all at once', () => {
    // What another library's schema comes to shows when it is asked.
    const text = Object.assign(z.object({}), {});
    Reflect.set(text, '~standard', {
      version: 1,
      vendor: 'other',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'string' }), output: () => ({ type: 'string' }) },
    });
    const invalid = tool({ name: 'text', description: 'x', input: text, execute: () => 1 });
    const registry = new ToolRegistry([
      add,
      add,
      invalid,
      { name: 'bad name', tools: [] },
      { name: 's'.repeat(60), tools: [named('t'.repeat(200))] },
      Object.assign(named('x'), { name: 'a b' }),
      Object.assign({}, { name: 'hollow' } as typeof add),
    ]);
    expect(registry.problems.map(({ code }) => code)).toEqual([
      'tool.duplicate',
      ...Array<string>(5).fill('tool.invalid'),
    ]);
    expect(namesOf(registry)).toEqual(['add']);
  });
});

describe('a call to a tool that there is not', () => {
  test('[DODO-20] [F17] is answered with the tools there are, and never retried', () => {
    const registry = new ToolRegistry([add, toolset({ name: 'files', tools: [read, write] })]);
    expect(registry.refuse(callOf('Files_Read', {}))).toMatchObject({
      ok: false,
      kind: 'unknown',
      callId: 'call_0_0',
      text: "Cannot call 'Files_Read' as there is no such tool: did you mean 'files.read'? There are: add, files.read, files.write",
      error: { code: 'tool.unknown', retryable: 'no', tool: 'Files_Read' },
    });
  });

  test.each([
    ['ad', 'add'],
    ['ADD', 'add'],
    ['read', 'files.read'],
    ['files-raed', 'files.read'],
    ['functions.add', 'add'],
    ['zebra', undefined],
    ['', undefined],
    ['...', undefined],
    ['x'.repeat(1_000_000), undefined],
  ])('[F17] %.20s probably means %s', (name, meant) => {
    const message = unknownToolMessage(name, ['add', 'files.read']);
    expect(/did you mean '(.*)'/.exec(message)?.[1]).toBe(meant);
    expect(message.length).toBeLessThan(300);
  });

  test('[F17] counts names past the hundredth, and says so if there are none', () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `tool_${index}`);
    expect(unknownToolMessage('nothing', names)).toMatch(/tool_99 and 2900 more$/);
    expect(unknownToolMessage('nothing', [])).toMatch(/there are no tools$/);
    const long = 'x'.repeat(1_000_000);
    expect(processorTime(() => unknownToolMessage(long, names.slice(0, 100)))).toBeLessThan(500);
  });
});

describe('the life of a toolset', () => {
  const recorded = (
    log: string[],
    name: string,
    failing: 'setup' | 'teardown' | 'none' = 'none',
  ): Toolset => ({
    name,
    tools: [named('go')],
    setup: async () => {
      log.push(`${name} up`);
      if (failing === 'setup') throw new Error('no disk');
    },
    teardown: () => {
      log.push(`${name} down`);
      if (failing === 'teardown') throw new Error('stuck');
    },
  });

  test('[QITOS-44] it is set up once, and torn down once, in reverse order', async () => {
    const log: string[] = [];
    const registry = new ToolRegistry([recorded(log, 'one'), recorded(log, 'two')]);
    expect(registry.needsSetup).toBe(true);
    expect(namesOf(registry)).toEqual([]);
    expect(await Promise.all([registry.setup(), registry.setup()])).toEqual([[], []]);
    expect(registry.needsSetup).toBe(false);
    expect(namesOf(registry)).toEqual(['one.go', 'two.go']);
    expect(await registry.teardown()).toEqual([]);
    expect(await registry.teardown()).toEqual([]);
    expect(log).toEqual(['one up', 'two up', 'two down', 'one down']);
  });

  test('[QITOS-46] a set-up that fails is reported; its tools stay hidden, all that was begun is torn down', async () => {
    const log: string[] = [];
    const registry = new ToolRegistry([
      recorded(log, 'one'),
      recorded(log, 'two', 'setup'),
      recorded(log, 'three'),
    ]);
    expect(await registry.setup()).toEqual([
      {
        code: 'tool.setup',
        message: "Cannot set up toolset 'two' as it failed: no disk",
        retryable: 'no',
        cause: { name: 'Error', message: 'no disk' },
        details: { toolset: 'two' },
      },
    ]);
    expect(namesOf(registry)).toEqual(['one.go', 'three.go']);
    await registry.teardown();
    expect(log.slice(3)).toEqual(['three down', 'two down', 'one down']);
  });

  test('[QITOS-46] a teardown that fails is reported, and the others go on', async () => {
    const log: string[] = [];
    const registry = new ToolRegistry([recorded(log, 'one'), recorded(log, 'two', 'teardown')]);
    await registry.setup();
    expect(await registry.teardown()).toMatchObject([
      { code: 'tool.setup', message: expect.stringMatching(/tear down toolset 'two'/) },
    ]);
    expect(log).toEqual(['one up', 'two up', 'two down', 'one down']);
  });

  test('[QITOS-44] what was never set up is never torn down', async () => {
    const log: string[] = [];
    await new ToolRegistry([recorded(log, 'one')]).teardown();
    expect(log).toEqual([]);
  });

  test('what is torn down before its set-up began is not set up any more', async () => {
    const log: string[] = [];
    const registry = new ToolRegistry([recorded(log, 'one'), recorded(log, 'two')]);
    const settingUp = registry.setup();
    expect(registry.wasSetUp).toBe(true);
    expect(await registry.teardown()).toEqual([]);
    expect(await settingUp).toEqual([]);
    expect(log).toEqual([]);
    expect(registry.wasSetUp).toBe(false);
  });

  test('what is torn down while it is set up is torn down when it is', async () => {
    const log: string[] = [];
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let open = (): void => undefined;
    const slow: Toolset = {
      ...recorded(log, 'slow'),
      setup: () =>
        new Promise<void>((resolve) => {
          open = resolve;
          begin();
        }),
    };
    const registry = new ToolRegistry([slow, recorded(log, 'next')]);
    const settingUp = registry.setup();
    await begun;
    const tearingDown = registry.teardown();
    open();
    await Promise.all([settingUp, tearingDown]);
    expect(log).toEqual(['slow down']);
  });

  test('[DODO-16] a set added in mid-run shows once it is set up', async () => {
    const log: string[] = [];
    const registry = new ToolRegistry([add]);
    registry.add(recorded(log, 'late'));
    expect(namesOf(registry)).toEqual(['add']);
    await registry.setup();
    expect(namesOf(registry)).toEqual(['add', 'late.go']);
    await registry.teardown();
    expect(log).toEqual(['late up', 'late down']);
  });
});
