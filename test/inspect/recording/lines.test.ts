import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NewEntry } from '../../../src/inspect/recording/entry.ts';
import { RecentTexts } from '../../../src/base/collections/recent-texts.ts';
import { Redactor } from '../../../src/contracts/secrets/redactor.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { Recording } from '../../../src/inspect/recording/recording.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { answer } from '../../../src/contracts/agents/decision.ts';

/** A recording that counts what it makes text of. */
const counting = (capacity = 1_000) => {
  const made: unknown[] = [];
  class CountingRedactor extends Redactor {
    override value<Value>(value: Value): Value {
      made.push(value);
      return super.value(value);
    }
  }
  let found = new CountingRedactor({});
  const recording = new Recording({ capacity, secrets: () => found, onFailure: () => undefined });
  const learn = (text: string): void => {
    found = new CountingRedactor({ WORD: text });
    recording.renewLines();
  };
  return { made, recording, learn };
};

const entry = (text: string): NewEntry => ({
  kind: 'gone',
  at: 0,
  actor: 'r/ann',
  status: 'done',
  output: text,
});

describe('the lines of a recording', () => {
  test('are not made of entries that nobody reads, also where somebody is told that there are more', () => {
    const { made, recording } = counting();
    let grown = 0;
    recording.follow({ grew: () => (grown += 1) });
    for (let count = 0; count < 50; count += 1) recording.add(entry(`${count}`));
    expect([grown, made.length]).toEqual([50, 0]);
  });

  test('are made once for all who read them', () => {
    const { made, recording } = counting();
    for (let count = 0; count < 50; count += 1) recording.add(entry(`${count}`));
    const read = (): readonly (string | undefined)[] =>
      Array.from({ length: 50 }, (_, place) => recording.lineAt(place));
    const first = read();
    expect(read()).toEqual(first);
    expect([...recording.from()]).toEqual(first);
    expect(made).toHaveLength(50);
  });

  test('are made anew once there is another secret', () => {
    const { recording, learn } = counting();
    recording.add(entry('it is swordfish'));
    expect(recording.lineAt(0)).toContain('swordfish');
    learn('swordfish');
    expect(recording.lineAt(0)).toContain('it is [redacted WORD]');
  });

  test('are those of the places, in whatever order these are read, within a bound', () => {
    const places = fc.array(fc.nat({ max: 40 }), { maxLength: 80 });
    fc.assert(
      fc.property(places, (all) => {
        const lines = new RecentTexts();
        for (const place of all) expect(lines.at(place, () => `line ${place}`)).toBe(`line ${place}`);
      }),
    );
    const lines = new RecentTexts();
    const long = 'x'.repeat(100_000);
    let made = 0;
    const read = (place: number): string => lines.at(place, () => ((made += 1), `${place} ${long}`));
    for (let place = 0; place < 20; place += 1) read(place);
    for (let place = 0; place < 20; place += 1) expect(read(place).startsWith(`${place} `)).toBe(true);
    // What was made last is still there, and the rest is not.
    expect(made).toBeGreaterThan(30);
    expect(made).toBeLessThan(40);
  });

  test('of a recorder are redacted by what its runs learn, also where they were read before', async () => {
    const secret = 'correct-horse';
    const record = recorder();
    const teller = agent({ name: 'teller', decide: () => answer(secret) });
    await teller.run('go', { inspect: record });
    expect([...record.recording.from()].join('\n')).toContain(secret);
    await teller.run('go', { inspect: record, secrets: { WORD: secret } });
    expect([...record.recording.from()].join('\n')).not.toContain(secret);
  });
});
