import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { storedCall } from '../../../src/cli/stored/call-lines.ts';
import { maxSteps } from '../../../src/index.ts';
import { recordsIn } from '../../../src/runtime/journal/resume/stored-run.ts';
import type { LiveEvent, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import { append, emptyHistory, HistoryView } from '../../../src/base/collections/history.ts';
import type { ModelRequest } from '../../../src/contracts/models/model.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import type { Turn } from '../../../src/contracts/conversations/transcript.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import type { WholeRequest } from '../../../src/runtime/log/sent-requests.ts';
import { SentRequests } from '../../../src/runtime/log/sent-requests.ts';
import { readTrace } from '../../../src/inspect/traces/read-trace.ts';
import { traceFiles } from '../../../src/inspect/traces/trace-files.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { replay } from '../../../src/runtime/journal/replay/replay.ts';
import { SentBook } from '../../../src/runtime/log/sent-book.ts';
import type { ScriptedModel, ScriptedRequest } from '../../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { PlainStore } from '../../support/plain-store.ts';

const add = tool({
  name: 'add',
  description: 'Adds one.',
  input: z.object({ to: z.number() }),
  execute: ({ to }) => to + 1,
});

const clerkOf = (steps: number) => {
  const model = scriptedModel([
    ...Array.from({ length: steps }, (_, to) => calls({ name: 'add', input: { to } })),
    '',
    '{"sum":42}',
  ]);
  const clerk = agent({
    name: 'clerk',
    instructions: 'Count. Answer with the sum.',
    model,
    tools: [add],
    settings: { temperature: 0.5 },
    output: z.object({ sum: z.number() }),
    stop: [maxSteps(300)],
  });
  return { clerk, model };
};

/** What a model was asked, as far as a request says it. */
const essence = ({
  instructions,
  messages,
  tools,
  output,
  settings,
  toolChoice,
}: ScriptedRequest | Whole) => {
  const plain = { instructions, messages, tools, output, settings, toolChoice };
  return JSON.parse(JSON.stringify(plain)) as unknown;
};

type Whole = Omit<WholeRequest, 'messages'> & { readonly messages: readonly Turn[] };

const wholes = (events: Iterable<LiveEvent>): readonly unknown[] => {
  const requests = new SentRequests();
  return [...events].flatMap((event) => {
    const whole = requests.take(event);
    return whole === undefined
      ? []
      : [essence({ ...whole, messages: whole.messages.map(({ turn }) => turn) })];
  });
};

const toldIn = ({ recording }: Recorder): readonly LiveEvent[] =>
  [...recording.from()].flatMap((line) => {
    const entry = JSON.parse(line) as Entry;
    return entry.kind === 'published' ? [entry.event] : [];
  });

const asked = ({ requests }: ScriptedModel): readonly unknown[] => requests.map(essence);

describe('[FIND-71] every model call shows the exact request that it was', () => {
  test('[FIND-71] in the recording of a live run, in its trace, in its journal, and where it is replayed', async () => {
    const { clerk, model } = clerkOf(3);
    const [live, again] = [recorder(), recorder()];
    const store = new PlainStore();
    const folder = mkdtempSync(join(tmpdir(), 'troupe-sent-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const traces = traceFiles({ folder });
    const options: RunOptions = { inspect: live, hooks: [traces], runId: 'r', store };
    const result = await clerk.run('go', options);
    await traces.written();
    expect(result.output).toEqual({ sum: 42 });
    expect(model.requests.length).toBe(5);
    expect(wholes(toldIn(live))).toEqual(asked(model));
    const { events: traced } = await readTrace(traces.fileOf('r') ?? '');
    expect(wholes(traced)).toEqual(asked(model));
    await replay(clerk, 'r', { store, inspect: again });
    expect(wholes(toldIn(again))).toEqual(asked(model));
    const { records } = await recordsIn(store, 'r');
    const stored = { runId: 'r', records, events: result.events };
    const kept = model.requests.map((_, index) => storedCall(stored, String(index + 1)));
    expect(
      kept.map(({ request }) =>
        request === undefined
          ? undefined
          : essence({ ...request, messages: request.messages.map(({ turn }) => turn) }),
      ),
    ).toEqual(asked(model));
    expect(kept[0]?.answer?.raw?.calls).toEqual([expect.objectContaining({ name: 'add', input: { to: 0 } })]);
    expect(kept[2]?.request?.messages.map(({ isNew }) => isNew)).toEqual([false, false, false, true, true]);
  });

  test('[FIND-71] of a run that is only inspected too, and its own log is the same as that of a run that nobody keeps', async () => {
    const [seen, unseen] = [clerkOf(2), clerkOf(2)];
    const record = recorder();
    const kept = await seen.clerk.run('go', { inspect: record, runId: 'r' });
    const bare = await unseen.clerk.run('go', { runId: 'r' });
    expect(wholes(toldIn(record))).toEqual(asked(seen.model));
    const about = (events: readonly RuntimeEvent[]) =>
      events.map((event) => ({ ...event, at: 0, durationMs: 0, waitMs: 0, record: 0, totals: 0 }));
    expect(about(kept.events)).toEqual(about(bare.events));
  });

  test('[FIND-71] costs what is new: the request of step 200 adds as much as that of step 3', async () => {
    const { clerk } = clerkOf(200);
    const record = recorder();
    await clerk.run('go', { inspect: record });
    const sent = toldIn(record).flatMap((event) =>
      event.type === 'model.asked' && event.request !== undefined ? [event.request] : [],
    );
    const sizes = sent.map(({ turns, added }) => ({ turns: turns.length, added: added.length }));
    expect(sizes[3]).toEqual({ turns: 1, added: 2 });
    expect(sizes[199]).toEqual(sizes[3]);
    const written = sent.map((request) => JSON.stringify(request).length);
    expect(written[199]).toBeLessThan((written[3] ?? 0) + 50);
    expect(sent.slice(1).some((request) => 'instructions' in request || 'tools' in request)).toBe(false);
  });

  test('[FIND-71] holds no secret of the environment', async () => {
    const record = recorder({ secrets: { KEY: 'sk-much-too-secret' } });
    const model = scriptedModel(['fine']);
    const clerk = agent({ name: 'clerk', instructions: 'The key is sk-much-too-secret.', model });
    await clerk.run('go', { inspect: record });
    expect(toldIn(record).some((event) => event.type === 'model.asked' && event.request !== undefined)).toBe(
      true,
    );
    expect([...record.recording.from()].join('\n')).not.toContain('much-too-secret');
  });
});

/** What may become of a conversation between two calls. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), texts: fc.array(fc.string(), { maxLength: 90 }) }),
  fc.record({ kind: fc.constant('last' as const), count: fc.nat(150) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(150) }),
  fc.record({ kind: fc.constant('copy' as const) }),
  fc.record({ kind: fc.constant('edit' as const), at: fc.nat(150), text: fc.string() }),
);

test('[FIND-71] whatever becomes of a conversation, what is recorded of it comes to what was sent', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const book = new SentBook();
      book.keep();
      const reader = new SentRequests();
      const who = {};
      let history = emptyHistory<Turn>();
      for (const [index, each] of changes.entries()) {
        const turns = new HistoryView(history).toArray();
        const user = (text: string): Turn => ({ role: 'user', text });
        if (each.kind === 'add') history = append(history, ...each.texts.map(user));
        else {
          const next =
            each.kind === 'last'
              ? turns.slice(-each.count)
              : each.kind === 'cut'
                ? turns.slice(0, each.at)
                : each.kind === 'copy'
                  ? turns.map((turn) => ({ ...turn }))
                  : turns.map((turn, at) => (at === each.at ? user(each.text) : turn));
          history = append(emptyHistory<Turn>(), ...next);
        }
        const request: ModelRequest = { instructions: 'i', messages: new HistoryView(history), tools: [] };
        const key = `k${index}`;
        const sent = book.sends(who, key, request);
        const place = { v: 1, seq: index, at: 0, runId: 'r', path: 'a', agent: 'a' } as const;
        const about = { ...place, key, model: 'm', messages: history.length, attempt: 1 };
        const whole = reader.take({ ...about, type: 'model.asked', request: sent });
        expect(whole?.messages.map(({ turn }) => turn)).toEqual(new HistoryView(history).toArray());
      }
    }),
  );
});

test('what another process had sent before the run was resumed is not new', () => {
  const reader = new SentRequests();
  const said = (...texts: readonly string[]): readonly Turn[] =>
    texts.map((text) => ({ role: 'user', text }));
  const asked = (book: SentBook, who: object, key: string, turns: readonly Turn[]) => {
    const messages = new HistoryView(append(emptyHistory<Turn>(), ...turns));
    const request = book.sends(who, key, { instructions: 'i', messages, tools: [] });
    const place = { v: 1, seq: 0, at: 0, runId: 'r', path: 'a', agent: 'a' } as const;
    const about = { ...place, key, model: 'm', messages: turns.length, attempt: 1 };
    return reader.take({ ...about, type: 'model.asked', request })?.messages.map(({ isNew }) => isNew);
  };
  const [first, second] = [new SentBook(), new SentBook()];
  for (const book of [first, second]) book.keep();
  const [before, after] = [{}, {}];
  expect(asked(first, before, 'one', said('a'))).toEqual([true]);
  expect(asked(first, before, 'two', said('a', 'b', 'c'))).toEqual([false, true, true]);
  // The same call, made again.
  expect(asked(second, after, 'two', said('a', 'b', 'c'))).toEqual([false, false, false]);
  expect(asked(second, after, 'three', said('a', 'b', 'c', 'd', 'e'))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
  expect(asked(second, after, 'four', said('x', 'c'))).toEqual([true, false]);
});
