import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Clock } from '../../../src/base/clock.ts';
import type { DeltaEvent, LiveEvent, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import type { ModelAttempt, ModelItem } from '../../../src/inspect/page/model-calls.ts';
import { lastAttempt } from '../../../src/inspect/page/model-calls.ts';
import { Timeline } from '../../../src/inspect/page/timeline.ts';
import { transcriptOf } from '../../../src/inspect/page/transcript.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { FirstPieces } from '../../../src/inspect/recording/first-pieces.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import type { Recording } from '../../../src/inspect/recording/recording.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import { recordingOf } from '../../../src/inspect/traces/recorded/trace-recording.ts';
import { modelAnswer } from '../../../src/models/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass, settled } from '../../support/runs.ts';

/** One turn of a model: it is silent for a while, speaks, and then breaks off or answers. */
interface Play {
  readonly silentMs?: number;
  readonly says?: readonly string[];
  readonly breaks?: TroupeError;
  readonly answers?: string;
  /** The tool that it calls. */
  readonly calls?: string;
}

const down = (): TroupeError =>
  new TroupeError('model.unavailable', 'Cannot answer as it is down: wait', { retryable: 'yes' });
const gone = (): TroupeError => new TroupeError('model.refused', 'Cannot answer as the account is closed');

const PIECE_MS = 100;

const speaker = (id: string, clock: Clock, plays: Play[]): Model => {
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.setTimeout(resolve, ms);
    });
  return {
    provider: 'example',
    id,
    isLanguageModel: false,
    answer: async (_, call) => {
      const { silentMs = 0, says = [], breaks, answers = says.join(''), calls } = plays.shift() ?? {};
      await rest(silentMs);
      for (const text of says) {
        call.delta({ type: 'text', text });
        await rest(PIECE_MS);
      }
      if (breaks !== undefined) throw breaks;
      const usage = { input: 1_200, output: 300, cached: 800, stored: 200, reasoning: 120 };
      if (calls !== undefined) return modelAnswer({ calls: [{ id: 'c', name: calls, input: {} }] });
      return modelAnswer({ text: answers, usage });
    },
  };
};

type Retry = NonNullable<NonNullable<Parameters<typeof agent>[0]['failures']>['retry']>;

interface Seen {
  readonly recording: Recording;
  readonly events: readonly RuntimeEvent[];
}

const runOf = async (
  models: (clock: Clock) => readonly Model[],
  retry: Partial<Retry> = {},
): Promise<Seen> => {
  const record = recorder();
  const clock = virtualClock(0);
  const writer = agent({
    name: 'writer',
    model: [...models(clock)],
    failures: { retry: { initialWaitMs: 20, ...retry } },
  });
  const handle = writer.stream('Write.', { inspect: record, runId: 'r', clock });
  const { events } = await letTimePass(clock, settled(handle), 10);
  return { recording: record.recording, events };
};

/** The transcript of the agent, as the page puts it together at a place. */
const itemsIn = (recording: Recording, length = Infinity) => {
  const timeline = new Timeline();
  for (const line of recording.from()) timeline.add(JSON.parse(line) as Entry);
  const { published, calls } = timeline.placesOf('r/writer');
  const places = [...published, ...calls].toSorted((one, other) => one - other);
  return transcriptOf(places.filter((n) => n < length).flatMap((n) => timeline.entry(n) ?? []));
};

const callsIn = (recording: Recording, length?: number): readonly ModelItem[] =>
  itemsIn(recording, length).flatMap((item) => (item.kind === 'model' ? [item] : []));

const brief = ({ model, status, error, waitMs }: ModelAttempt) =>
  `${model} ${status}${error === undefined ? '' : ` ${error.code}`}${waitMs === undefined ? '' : ` waits ${waitMs > 0}`}`;

const attemptsIn = (recording: Recording) => callsIn(recording).map(({ attempts }) => attempts.map(brief));

describe('a model call on the page', () => {
  test('that is asked again is one call with its attempts, each with its error and its wait, live and from its events', async () => {
    const { recording, events } = await runOf((clock) => [
      speaker('one', clock, [{ breaks: down() }, { says: ['Hel'], breaks: down() }, { says: ['Hello'] }]),
    ]);
    const expected = [
      [
        'example:one waiting model.unavailable waits true',
        'example:one waiting model.unavailable waits true',
        'example:one answered',
      ],
    ];
    expect(attemptsIn(recording)).toEqual(expected);
    expect(attemptsIn(recordingOf(events))).toEqual(expected);
    const [call] = callsIn(recording);
    expect(call).toMatchObject({ text: 'Hello', attempts: [{}, { broken: 3 }, { durationMs: PIECE_MS }] });
    expect(new Set(call?.attempts.map(({ key }) => key)).size).toBe(3);
    // No part of it stands beside it once more.
    expect(itemsIn(recording).filter(({ kind }) => kind === 'note')).toMatchObject([{ tone: 'good' }]);
  });

  test('that is asked again is one actor below its agent, and so is a tool call', async () => {
    const record = recorder();
    const clock = virtualClock(0);
    let times = 0;
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      retry: { attempts: 2, initialWaitMs: 20 },
      execute: () => {
        times += 1;
        if (times === 1)
          throw new TroupeError('tool.failed', 'Cannot look as it is dark', { retryable: 'yes' });
        return 'seen';
      },
    });
    const plays = [{ breaks: down() }, { breaks: down() }, { calls: 'look' }, { says: ['Hello'] }];
    const writer = agent({
      name: 'writer',
      model: speaker('one', clock, plays),
      tools: [look],
      failures: { retry: { initialWaitMs: 20 } },
    });
    const handle = writer.stream('Write.', { inspect: record, runId: 'r', clock });
    const { events } = await letTimePass(clock, settled(handle), 10);
    for (const recording of [record.recording, recordingOf(events)]) {
      const entries = [...recording.from()].map((line) => JSON.parse(line) as Entry);
      const tableau = new Tableau();
      for (const entry of entries) tableau.apply(entry);
      const effects = [...tableau.actors.values()].filter(({ role }) => role === 'model' || role === 'tool');
      expect(effects.map(({ role, status }) => `${role} ${status}`)).toEqual([
        'model done',
        'tool done',
        'model done',
      ]);
      const movesOf = (role: string) =>
        entries.flatMap((entry) =>
          entry.kind === 'moved' && tableau.actors.get(entry.actor)?.role === role ? entry.states : [],
        );
      expect(movesOf('tool')).toEqual([
        'tool.proposed',
        'tool.running',
        'tool.waitingToRetry',
        'tool.running',
        'tool.finished',
      ]);
      expect(movesOf('model')).toEqual([
        'model.asked',
        'model.waitingToRetry',
        'model.asked',
        'model.waitingToRetry',
        'model.asked',
        'model.answered',
        'model.asked',
        'model.answered',
      ]);
    }
  });

  test('that falls back to another model, at once and after attempts, is one call', async () => {
    const { recording } = await runOf(
      (clock) => [
        speaker('one', clock, [{ breaks: gone() }]),
        speaker('two', clock, [{ breaks: down() }, { breaks: down() }]),
        speaker('three', clock, [{ says: ['At last.'] }]),
      ],
      { attempts: 2 },
    );
    expect(attemptsIn(recording)).toEqual([
      [
        'example:one failed model.refused',
        'example:two waiting model.unavailable waits true',
        'example:two failed model.unavailable',
        'example:three answered',
      ],
    ]);
  });

  test('whose answer was empty is asked again as the same call, and has the figures of both', async () => {
    const { recording } = await runOf((clock) => [
      speaker('one', clock, [{ answers: '' }, { says: ['Now.'] }]),
    ]);
    expect(callsIn(recording)).toMatchObject([
      {
        text: 'Now.',
        attempts: [
          { status: 'waiting', finish: 'stop', error: { code: 'model.empty' } },
          { status: 'answered', finish: 'stop', tokens: { cached: 800, stored: 200, reasoning: 120 } },
        ],
      },
    ]);
  });

  test('that is made again after a crash, under the key that it had, is one call', () => {
    const base = { v: 1 as const, runId: 'r', path: 'writer', agent: 'writer', step: 0, seq: 0 };
    const asked = { ...base, type: 'model.asked' as const, model: 'm', key: 'k', messages: 1, attempt: 1 };
    const rest = { calls: 0, finish: 'stop', usage: { input: 1, output: 1 }, durationMs: 5 };
    const events: readonly LiveEvent[] = [
      { ...asked, at: 0 },
      { ...asked, at: 90 },
      { ...base, ...rest, at: 95, type: 'model.answered', model: 'm', key: 'k', text: 'Hello.' },
      {
        ...base,
        ...rest,
        at: 99,
        type: 'model.answered',
        model: 'm',
        key: 'of old',
        text: 'Its request is lost.',
      },
    ];
    const items = transcriptOf(
      events.map((event, n) => ({ n, at: event.at, kind: 'published', actor: 'r/writer', event })),
    );
    expect(items).toMatchObject([
      {
        n: 0,
        text: 'Hello.',
        attempts: [
          { n: 0, status: 'asked' },
          { n: 1, status: 'answered' },
        ],
      },
      { n: 3, text: 'Its request is lost.', attempts: [{ status: 'answered' }] },
    ]);
  });

  test('stands at each place as it stood then', async () => {
    const { recording } = await runOf((clock) => [
      speaker('one', clock, [{ says: ['Hel'], breaks: down() }, { says: ['Hello'] }]),
    ]);
    const seen = new Set<string>();
    for (let length = 0; length <= recording.length; length += 1)
      for (const call of callsIn(recording, length))
        seen.add(`${call.attempts.length} ${lastAttempt(call).status}`);
    expect([...seen]).toEqual(['1 asked', '1 discarded', '1 waiting', '2 asked', '2 answered']);
  });
});

describe('the time to the first token', () => {
  test('is kept of each attempt whose stream was seen, and is not made up where it was not', async () => {
    const { recording, events } = await runOf((clock) => [
      speaker('one', clock, [
        { silentMs: 320, says: ['Hel', 'lo'], breaks: down() },
        { silentMs: 40, breaks: down() },
        { silentMs: 70, says: ['Hello', ' you'] },
      ]),
    ]);
    const [call] = callsIn(recording);
    expect(call?.attempts.map(({ firstMs }) => firstMs)).toEqual([320, undefined, 70]);
    expect(call?.attempts.at(-1)?.durationMs).toBe(70 + 2 * PIECE_MS);
    for (const { attempts } of callsIn(recordingOf(events)))
      for (const attempt of attempts) expect(attempt.firstMs).toBeUndefined();
    const silent = await runOf((clock) => [speaker('one', clock, [{ silentMs: 50, answers: 'At once.' }])]);
    expect(callsIn(silent.recording)[0]?.attempts[0]?.firstMs).toBeUndefined();
  });

  test('of an answer that is continued is that of what is new in it', async () => {
    const { recording } = await runOf(
      (clock) => [
        speaker('one', clock, [
          { silentMs: 320, says: ['Hello ', 'to '], breaks: down() },
          { silentMs: 110, says: ['you'] },
        ]),
      ],
      { onBreak: 'continue' },
    );
    const [call] = callsIn(recording);
    expect(call?.text).toBe('Hello to you');
    expect(call?.attempts).toMatchObject([
      { status: 'waiting', broken: 9, firstMs: 320 },
      { status: 'answered', firstMs: 110 },
    ]);
  });

  test('is not that of a sign of life, of an empty piece, or of another call', () => {
    const pieces = new FirstPieces();
    const take = (event: LiveEvent): number | undefined => pieces.take(event, event);
    const base = { v: 1 as const, runId: 'r', path: 'a', agent: 'a' };
    const asked = { ...base, type: 'model.asked' as const, seq: 0, model: 'm', messages: 1, attempt: 1 };
    const hear = (key: string, at: number, delta: DeltaEvent['delta']): void => {
      pieces.takeDelta({ ...base, type: 'model.delta', at, key, offset: 0, delta });
    };
    take({ ...asked, at: 100, key: 'one' });
    take({ ...asked, at: 100, key: 'two' });
    hear('one', 110, { type: 'progress' });
    hear('one', 120, { type: 'text', text: '' });
    hear('two', 130, { type: 'reasoning', text: 'Hm' });
    hear('three', 140, { type: 'text', text: 'x' });
    hear('one', 150, { type: 'tool-call', index: 0, name: 'look', text: '{' });
    const discarded = {
      ...base,
      type: 'model.discarded' as const,
      seq: 1,
      at: 200,
      model: 'm',
      characters: 1,
    };
    expect(take({ ...discarded, key: 'one' })).toBe(50);
    expect(take({ ...discarded, key: 'one' })).toBeUndefined();
    expect(take({ ...discarded, key: 'two' })).toBe(30);
    expect(take({ ...discarded, key: 'three' })).toBeUndefined();
  });
});
