import { describe, expect, test } from 'vitest';
import type { SpokenText } from '../../src/events/stream/select.ts';
import { ofType, text$, totals$, under } from '../../src/events/stream/select.ts';
import { noted, noTotals, sampleRun } from './sample-events.ts';

const usage = { input: 10, output: 2, cached: 4 };
const answered = (key: string, text: string) =>
  ({
    type: 'model.answered',
    model: 'm',
    key,
    text,
    calls: 0,
    finish: 'stop',
    usage,
    durationMs: 5,
  }) as const;

describe('[M47] choosing', () => {
  test('by type', () => {
    const { stream, tell } = sampleRun();
    const texts: string[] = [];
    stream.events$.pipe(ofType('team.noted')).subscribe(({ text }) => texts.push(text));
    tell({ type: 'run.paused' });
    tell(noted('x'));
    expect(texts).toEqual(['x']);
  });

  test('by path: an actor and all below it, not its namesakes', () => {
    const { stream, tell } = sampleRun();
    const paths: string[] = [];
    stream.events$.pipe(under('desk/a')).subscribe(({ path }) => paths.push(path));
    for (const path of ['desk', 'desk/a', 'desk/a/b', 'desk/ab']) tell(noted('x'), path);
    expect(paths).toEqual(['desk/a', 'desk/a/b']);
  });
});

describe('[DODO-41] text as it streams', () => {
  const spoken = (path?: string) => {
    const run = sampleRun();
    const seen: string[] = [];
    const show = ({ key, text, isComplete }: SpokenText) =>
      seen.push(`${key}:${text}${isComplete ? '.' : ''}`);
    text$(run.stream.events$, path).subscribe(show);
    return { ...run, seen };
  };

  test('grows by each delta and ends as the model answered', () => {
    const { tell, delta, seen } = spoken();
    delta('Hel', 'k1');
    delta('', 'k1');
    delta('lo', 'k1');
    tell(answered('k1', 'Hello'));
    expect(seen).toEqual(['k1:Hel', 'k1:Hello', 'k1:Hello.']);
  });

  test('what is discarded is taken back, and the next attempt begins anew', () => {
    const { tell, delta, seen } = spoken();
    delta('Hel', 'k1');
    tell({ type: 'model.discarded', model: 'm', key: 'k1', characters: 3 });
    delta('Ho', 'k1');
    tell({
      type: 'model.failed',
      model: 'm',
      key: 'k1',
      error: { code: 'model.failed', message: 'x', retryable: 'no' },
    });
    tell({
      type: 'model.failed',
      model: 'm',
      key: 'k2',
      error: { code: 'model.failed', message: 'x', retryable: 'no' },
    });
    expect(seen).toEqual(['k1:Hel', 'k1:', 'k1:Ho', 'k1:']);
  });

  test('calls at once keep apart, and a path chooses one agent', () => {
    const { delta, seen } = spoken('desk/a');
    delta('A', 'k1', 'desk/a');
    delta('B', 'k2', 'desk/b');
    delta('a', 'k3', 'desk/a');
    delta('A', 'k1', 'desk/a');
    expect(seen).toEqual(['k1:A', 'k3:a', 'k1:AA']);
  });

  test('two who watch the same do not share what they remember', () => {
    const { stream, delta } = sampleRun();
    const spoken$ = text$(stream.events$);
    const seen: string[] = [];
    spoken$.subscribe(({ text }) => seen.push(text));
    spoken$.subscribe(({ text }) => seen.push(text));
    delta('x', 'k');
    expect(seen).toEqual(['x', 'x']);
  });
});

test("[M47] totals grow with the run, and the last is the runtime's own", () => {
  const { stream, tell } = sampleRun();
  const seen: unknown[] = [];
  totals$(stream.events$).subscribe((totals) => seen.push(totals));
  tell({ type: 'run.started', input: 'x' });
  tell({ type: 'model.asked', model: 'm', key: 'k', messages: 1, attempt: 1 });
  tell(answered('k', 'x'));
  tell({ type: 'tool.finished', callId: 'c', tool: 't', ok: true, text: '', durationMs: 1 });
  const totals = { ...noTotals, modelCalls: 7 };
  tell({ type: 'run.ended', status: 'completed', stopReason: { kind: 'answered' }, totals });
  const asked = { ...noTotals, modelCalls: 1, durationMs: 1 };
  // Of a model without a known price nobody can say what all of it costs.
  const unknown = { costUsd: undefined, unpriced: ['m'] };
  const first = { ...asked, inputTokens: 10, outputTokens: 2, cachedTokens: 4, durationMs: 2, ...unknown };
  expect(seen).toEqual([asked, first, { ...first, toolCalls: 1, durationMs: 3 }, totals]);
});
