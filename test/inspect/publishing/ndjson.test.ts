import { expect, test } from 'vitest';
import { parseEvent } from '../../../src/events/parse-event.ts';
import { ndjson } from '../../../src/inspect/publishing/ndjson.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { deferred, echo } from '../../support/runs.ts';
import { textOf } from './loopback.ts';

const writer = () =>
  agent({
    name: 'writer',
    tools: [echo],
    model: scriptedModel([calls({ name: 'echo', input: { text: 'a' } }), 'there']),
  });

test('[DODO-61] a run is lines of JSON, one event each, that read back as its log', async () => {
  const handle = writer().stream('go');
  const text = await textOf(ndjson(handle, { deltas: false, secrets: {} }));
  expect(text.endsWith('\n')).toBe(true);
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => parseEvent(JSON.parse(line)));
  expect(events).toEqual((await handle.result).events);
});

test('[DODO-61] a golden transcript of what a client sees, deltas included', async () => {
  const isSeen = deferred<void>();
  const model = scriptedModel([calls({ name: 'echo', input: { text: 'a' } }), 'there']);
  const handle = agent({
    name: 'writer',
    tools: [echo],
    model: {
      ...model,
      // Ends as soon as its first piece was read, so that what a client sees does not depend on the speed of this machine.
      answer: async (request, call) => {
        const answer = await model.answer(request, { ...call, delta: () => {} });
        if (answer.text !== 'there') return answer;
        call.delta({ type: 'text', text: 'th' });
        await isSeen.promise;
        return answer;
      },
    },
  }).stream('go', { runId: 'r1', clock: virtualClock(1_000) });
  const lines: Record<string, unknown>[] = [];
  const decoder = new TextDecoderStream();
  let text = '';
  for await (const piece of ndjson(handle, { secrets: {} }).pipeThrough(decoder)) {
    text += piece;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      lines.push(JSON.parse(text.slice(0, end)) as Record<string, unknown>);
      text = text.slice(end + 1);
      if (lines.at(-1)?.['type'] === 'model.delta') isSeen.resolve();
    }
  }
  expect(lines.map(({ type, phase }) => (type === 'phase.entered' ? phase : type))).toMatchInlineSnapshot(`
    [
      "run.started",
      "preparing",
      "agent.prepared",
      "OBSERVE",
      "agent.observed",
      "DECIDE",
      "model.asked",
      "model.answered",
      "agent.decided",
      "ACT",
      "tool.requested",
      "tool.started",
      "tool.finished",
      "agent.acted",
      "REDUCE",
      "agent.reduced",
      "CHECK_STOP",
      "agent.checked",
      "step.ended",
      "OBSERVE",
      "agent.observed",
      "DECIDE",
      "model.asked",
      "model.delta",
      "model.answered",
      "agent.decided",
      "REDUCE",
      "agent.reduced",
      "CHECK_STOP",
      "agent.checked",
      "step.ended",
      "completed",
      "run.ended",
    ]
  `);
});

test('[DODO-41] a reader that takes its time misses no event, and one that leaves is let go of', async () => {
  const handle = writer().stream('go');
  const reader = ndjson(handle, { deltas: false, secrets: {} }).getReader();
  const { events } = await handle.result;
  const seen: unknown[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read())
    seen.push(JSON.parse(new TextDecoder().decode(next.value)));
  expect(seen).toEqual(JSON.parse(JSON.stringify(events)));
  const left = ndjson(writer().stream('go'), { secrets: {} }).getReader();
  await left.cancel();
  expect((await left.read()).done).toBe(true);
});
