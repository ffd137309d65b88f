import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { Redactor } from '../../../src/contracts/secrets/redactor.ts';
import type { NewEntry } from '../../../src/inspect/recording/entry.ts';
import { packItems } from '../../../src/inspect/recording/packs/pack-items.ts';
import type { Pack } from '../../../src/inspect/recording/packs/pack.ts';
import { changedFields, mergeFields } from '../../../src/inspect/recording/packs/part-changes.ts';
import { LongForms, ShortForms } from '../../../src/inspect/recording/packs/references.ts';
import { unpack } from '../../../src/inspect/recording/packs/unpack.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import type { Recording } from '../../../src/inspect/recording/recording.ts';
import { maxSteps } from '../../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { allScenarios } from '../../parity/all-scenarios.ts';
import type { Scenario } from '../../parity/scenarios.ts';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { sampled } from '../../support/thorough.ts';

/** The lines of all packs from a place on, as a viewer makes them of what it is sent. */
const unpacked = (recording: Recording, from = 0): readonly string[] => {
  const lines: string[] = [];
  for (let pack = recording.packAt(from); pack !== undefined; pack = recording.packAt(pack.next))
    // The recording wrote it.
    for (const entry of unpack(JSON.parse(pack.text) as Pack)) lines.push(JSON.stringify(entry));
  return lines;
};

const played = async ({ make }: Scenario, capacity: number) => {
  const clock = virtualClock(1_000);
  const record = recorder({ capacity });
  const { agent: root, options, play } = make(clock);
  const handle = start(root, 'go', { runId: 'seen', clock, ...options, inspect: record });
  const result = settled(handle);
  await play?.(handle, clock);
  await letTimePass(clock, result, 500);
  return record.recording;
};

const add = tool({
  name: 'add',
  description: 'Adds one.',
  input: z.object({ to: z.number(), why: z.string() }),
  execute: ({ to }) => to + 1,
});

/** An agent that makes a call in each of so many steps. */
const walker = (steps: number, why = 'as it is asked to') =>
  agent({
    name: 'walker',
    model: scriptedModel([
      ...Array.from({ length: steps }, (_, to) => calls({ name: 'add', input: { to, why } })),
      'done',
    ]),
    tools: [add],
    stop: maxSteps(steps + 1),
  });

/** As long as ids of runs are. */
const RUN = 'aa98278d-5a08-4eca-a120-871ce25fa974';

const walked = async (steps: number, why?: string) => {
  const record = recorder();
  await walker(steps, why).run('go', { inspect: record, runId: RUN, clock: virtualClock(1_000) });
  return record.recording;
};

const nothing = new Redactor({});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a pack', () => {
  test.each(
    sampled(
      allScenarios.map((scenario) => [scenario.name, scenario] as const),
      24,
    ),
  )('has the entries of the recording, byte for byte: %s', async (_, scenario) => {
    const recording = await played(scenario, 100_000);
    const lines = [...recording.from()];
    expect(unpacked(recording)).toEqual(lines);
    // Also for who comes in the midst of what is noted as one.
    for (const from of [1, lines.length >> 1, lines.length - 1]) {
      recording.renewLines();
      expect(unpacked(recording, from)).toEqual(lines.slice(from));
    }
    const few = await played(scenario, 7);
    expect(unpacked(few, few.first)).toEqual(lines.slice(few.first));
  });

  test('has no secret in it, known before or learned later, in whatever it is', async () => {
    const secret = 'correct-horse-battery';
    const record = recorder({ secrets: { API_KEY: 'sk-veryverysecret' } });
    const teller = agent({ name: 'teller', decide: () => answer(`${secret} and sk-veryverysecret`) });
    await teller.run(`tell ${secret}`, { inspect: record });
    expect(unpacked(record.recording).join('\n')).toContain(secret);
    await teller.run('go', { inspect: record, secrets: { WORD: secret } });
    const shown = unpacked(record.recording).join('\n');
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain('veryverysecret');
    expect(shown).toContain('[redacted WORD] and [redacted API_KEY]');
  });

  test('has no secret of the process either, where the recorder was given others', async () => {
    vi.stubEnv('PACKED_API_KEY', 'quite-another-secret');
    const record = recorder({ secrets: { WORD: 'swordfish' } });
    const teller = agent({ name: 'teller', decide: () => answer('it is quite-another-secret') });
    await teller.run('go', { inspect: record });
    vi.unstubAllEnvs();
    const told = unpacked(record.recording).filter((line) => line.includes('"type":"agent.decided"'));
    expect(told.join('\n')).toContain('it is [redacted PACKED_API_KEY]');
    expect([...record.recording.from()]).toEqual(unpacked(record.recording));
  });

  test('of what is too long, or is no JSON, has it as it is shown, and what comes next is whole', () => {
    const big = 'x'.repeat(1_100_000);
    const entry = (output: unknown): NewEntry => ({
      kind: 'moved',
      at: 0,
      actor: 'r/ann',
      on: 'go',
      arrows: [],
      states: [],
      patch: { output },
    });
    const items = [entry('short'), entry(big), entry(10n), entry('short')].map(
      (each, n) => [each, n] as const,
    );
    const lines: string[] = [];
    for (let from = 0; from < items.length;) {
      const pack = packItems(items.slice(from), nothing);
      if (pack === undefined) break;
      for (const each of unpack(JSON.parse(pack.text) as Pack)) lines.push(JSON.stringify(each));
      from = pack.next;
    }
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain('characters more');
    expect(lines[2]).toContain('"output":"10"');
    expect(lines[3]).toContain('"output":"short"');
  });
});

describe('what a step costs the process that is watched', () => {
  test('without a viewer: nothing is made text, no secret is looked for, and no event is built', async () => {
    const spies = [
      vi.spyOn(JSON, 'stringify'),
      vi.spyOn(Object, 'freeze'),
      vi.spyOn(Redactor.prototype, 'value'),
    ];
    const counts = (): readonly number[] => spies.map(({ mock }) => mock.calls.length);
    /** What a step adds of each. */
    const added = async (walk: (steps: number) => Promise<unknown>): Promise<readonly number[]> => {
      const begun = counts();
      await walk(20);
      const between = counts();
      await walk(60);
      return counts().map((count, which) => (count - 2 * (between[which] ?? 0) + (begun[which] ?? 0)) / 40);
    };
    const alone = await added((steps) => walker(steps).run('go', { runId: RUN, clock: virtualClock(1_000) }));
    const recorded = await added(walked);
    // Of a dozen events that it would be.
    recorded.forEach((count, which) => {
      expect(count - (alone[which] ?? 0)).toBeLessThan(1);
    });
  });

  test('with one: less than a third of the text of its entries, in less than one piece a step', async () => {
    const steps = 200;
    const recording = await walked(steps);
    const lines = [...recording.from()];
    recording.renewLines();
    const stringify = vi.spyOn(JSON, 'stringify');
    let [length, made] = [0, 0];
    for (let pack = recording.packAt(0); pack !== undefined; pack = recording.packAt(pack.next)) {
      length += pack.text.length;
      made = stringify.mock.calls.length;
    }
    const whole = lines.reduce((sum, line) => sum + line.length, 0);
    expect(length / whole).toBeLessThan(0.3);
    expect(length / steps).toBeLessThan(3_000);
    expect(made / steps).toBeLessThan(1);
    expect(made).toBeGreaterThan(0);
  });

  test('with many: what one reads at a place, all others read', async () => {
    const recording = await walked(20);
    const value = vi.spyOn(Redactor.prototype, 'value');
    const first = unpacked(recording);
    const made = value.mock.calls.length;
    for (let viewer = 0; viewer < 5; viewer += 1) expect(unpacked(recording)).toEqual(first);
    expect(made).toBeGreaterThan(0);
    expect(value.mock.calls).toHaveLength(made);
  });

  test('does not grow with what is said in it several times', async () => {
    const steps = 20;
    const [short, long] = [await walked(steps, 'x'), await walked(steps, 'x'.repeat(2_000))];
    const length = (recording: Recording): number => recording.packAt(0)?.text.length ?? 0;
    const added = (length(long) - length(short)) / (recordedIn(long) * 2_000);
    // The arguments of a call are in a dozen entries.
    expect(added).toBeLessThan(5);
  });
});

/** The steps of the first pack. */
const recordedIn = (recording: Recording): number =>
  (recording.packAt(0)?.text.match(/"step\.ended"/g) ?? []).length;

describe('references', () => {
  /** Values that may look like references, with parts that come again. */
  const values = fc
    .tuple(
      fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(fc.constantFrom('', 'a', 'b', '1'), fc.nat(9)), { maxLength: 12 }),
    )
    .map(([parts, uses]) => {
      const all: object[] = [];
      for (const [name, which] of uses) {
        const part = all[which % (all.length + 1)] ?? parts[which % parts.length] ?? null;
        all.push(which % 3 === 0 ? [part, { [name]: part }] : { [name]: part, more: parts });
      }
      return all;
    });

  test('lead back to what they stand for, whatever that looks like', () => {
    fc.assert(
      fc.property(values, (all) => {
        const [short, long] = [new ShortForms(), new LongForms()];
        for (const each of all) {
          const sent = JSON.stringify(short.write(each));
          expect(JSON.stringify(long.read(JSON.parse(sent) as object))).toBe(JSON.stringify(each));
        }
      }),
    );
  });

  test('are made of what comes again', () => {
    const short = new ShortForms();
    const call = { name: 'add', input: { to: 1 } };
    short.write({ calls: [call] });
    expect(short.write({ call, kept: [call] })).toEqual({ call: { '': 1 }, kept: [{ '': 1 }] });
  });
});

describe('the changed fields of a part', () => {
  const parts = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', '', '0'),
    fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.array(fc.nat(3), { minLength: 4, maxLength: 8 })),
    { maxKeys: 4 },
  );

  test('make it again of what it was, in the same order', () => {
    fc.assert(
      fc.property(parts, parts, fc.nat(9), (before, other, next) => {
        const grown = Object.fromEntries(
          Object.entries(before).map(([name, value]) => [
            name,
            Array.isArray(value) ? [...value.slice(next % 3), next] : (other[name] ?? value),
          ]),
        );
        for (const after of [grown, other]) {
          const changed = changedFields(before, after);
          if (changed === undefined) continue;
          const sent: unknown = JSON.parse(JSON.stringify(changed));
          expect(JSON.stringify(mergeFields(before, sent))).toBe(JSON.stringify(after));
        }
      }),
    );
  });

  test('are those alone, and of a list that moves on the item that came', () => {
    const before = {
      kept: { x: 1 },
      told: 'no',
      prints: [1, 2, 3, 4, 5],
      watch: { loop: null, stage: 'open' },
    };
    const after = { ...before, told: 'yes', prints: [2, 3, 4, 5, 6], watch: { loop: null, stage: 'shut' } };
    expect(changedFields(before, after)).toEqual({
      told: 'yes',
      prints: { '': [1, 6] },
      watch: { '': [{ stage: 'shut' }] },
    });
    expect(changedFields(before, { told: 'yes' })).toBeUndefined();
    expect(changedFields(before, { ...before, told: undefined })).toBeUndefined();
    // In another order it is other text.
    expect(changedFields({ one: 1, two: 2 }, { two: 2, one: 1 })).toBeUndefined();
  });
});

test('an agent without a model is packed as one with a model is', async () => {
  const record = recorder();
  const clerk = agent({
    name: 'clerk',
    tools: [add],
    decide: ({ step }) => (step < 3 ? act({ name: 'add', input: { to: step, why: 'so' } }) : answer('done')),
  });
  await clerk.run('go', { inspect: record });
  expect(unpacked(record.recording)).toEqual([...record.recording.from()]);
});
