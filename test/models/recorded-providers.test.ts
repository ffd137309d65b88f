import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject, toJson } from '../../src/base/json/json.ts';
import type { Reply } from '../support/mock-provider.ts';
import {
  inputOf,
  keptRecordings,
  recordedReply,
  type RecordedStream,
  wireEvents,
} from '../support/provider-streams.ts';
import { type RecordedRun, resultOf, runRecorded } from '../support/recorded-runs.ts';
import { ofType } from '../support/runs.ts';
import { sampled } from '../support/thorough.ts';

const all = keptRecordings();
const chats = all.filter(({ kind }) => kind === 'openai-chat');
const calling = chats.filter(({ tool_calls: calls = [] }) => calls.length > 0);

/** The messages of the request that followed the recorded answer. */
const backIn = ({ requests }: RecordedRun): readonly JsonObject[] => {
  const messages = toJson(requests[1]?.body['messages']);
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
};

const callsOf = ({ tool_calls: calls = [] }: RecordedStream) =>
  calls.map(({ name, arguments: text = '' }) => ({ name, input: JSON.parse(text) as unknown }));

it.each(all)('a run with $file comes to what was recorded', async (recorded) => {
  const { result } = await runRecorded(recorded);
  expect(result).toMatchObject({ status: 'completed' });
  const { reasoning, text, usage = { in: 0, out: 0 } } = recorded;
  expect(ofType(result?.events ?? [], 'model.answered')[0]).toMatchObject({
    text,
    ...(reasoning === undefined ? {} : { reasoning }),
    usage: {
      input: inputOf(recorded),
      output: usage.out,
      ...(usage.cached === undefined ? {} : { cached: usage.cached }),
      ...(usage.reasoning === undefined ? {} : { reasoning: usage.reasoning }),
    },
  });
});

it.each(calling)(
  'the calls of $file are carried out, and go back under their ids with their results',
  async (recorded) => {
    const run = await runRecorded(recorded);
    expect(run.executed).toEqual(callsOf(recorded));
    expect(run.result?.output).toBe('Done.');
    const { profile, tool_calls: made = [] } = recorded;
    const [said, ...results] = backIn(run).slice(-1 - made.length);
    const calls = Array.isArray(said?.['tool_calls']) ? said['tool_calls'].filter(isJsonObject) : [];
    const wire = wireEvents(recorded).join('');
    // Mistral takes ids of nine characters only, and Google's older models gave none.
    const isKept = (id: string) => profile !== 'mistral' && wire.includes(`"${id}"`);
    expect(calls).toMatchObject(
      made.map(({ id, name }, index) => ({
        id: isKept(id) ? id : (calls[index]?.['id'] ?? 'an id'),
        type: 'function',
        function: { name },
      })),
    );
    expect(results).toEqual(
      made.map(({ name }, index) => ({
        role: 'tool',
        tool_call_id: calls[index]?.['id'] ?? 'an id',
        content: resultOf(name),
      })),
    );
  },
);

it.each(calling.filter(({ profile, reasoning }) => reasoning !== undefined && profile !== 'groq'))(
  'the thought of $file goes back beside its calls as it came, with what seals it',
  async (recorded) => {
    const said = backIn(await runRecorded(recorded)).find(({ role }) => role === 'assistant');
    const wire = wireEvents(recorded).join('');
    const [, field = 'content'] = /"(reasoning_content|reasoning)": ?"/.exec(wire) ?? [];
    const thought = said?.[field];
    const written = typeof thought === 'string' ? thought.replaceAll(/<\/?think>/g, '').trim() : thought;
    expect(written).toBe(recorded.reasoning);
    const [, signature] = /"signature":"([^"]+)"/.exec(wire) ?? [];
    expect(JSON.stringify(said?.['reasoning_details'] ?? null)).toContain(signature ?? '');
  },
);

it.each(sampled(chats, 3))(
  'a run with $file, cut anywhere, calls nothing and does not complete',
  async (recorded) => {
    const events = wireEvents(recorded);
    const complete = recorded.file.endsWith('.body')
      ? events.length
      : events.findIndex((each) => /"finish_reason":"/.test(each)) + 1;
    expect(complete).toBeGreaterThan(0);
    for (let at = 0; at < complete; at += 1)
      for (const ending of ['end', 'reset'] as const) {
        const reply: Reply = { ...recordedReply(recorded, events.slice(0, at)), ending };
        const { error, executed } = await runRecorded(recorded, { reply });
        const code = ending === 'end' ? 'model.malformed' : 'model.network';
        expect([error?.code, executed], `cut after ${at} by ${ending}`).toEqual([code, []]);
      }
  },
);

const FAILED = { file: '', kind: 'openai-chat', events: 1, verdict: 'throws' } as const;

it.each([
  ['openrouter', 'openrouter-error', 404, 'model.not-found', 'No endpoints found'],
  ['together', 'together-error', 500, 'model.unavailable', 'Internal server error'],
] as const)('what %s refused with (%s, %i) is %s', async (profile, name, status, code, words) => {
  const recorded: RecordedStream = { ...FAILED, file: `recorded/${name}.body`, profile };
  const { error } = await runRecorded(recorded, { reply: { ...recordedReply(recorded), status } });
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) as string });
});

it('an error of OpenRouter after the end by the limit of tokens leaves no answer', async () => {
  const file = 'recorded/openrouter-limit.jsonl';
  const { error, executed } = await runRecorded({ ...FAILED, file, profile: 'openrouter' });
  expect(error).toMatchObject({
    code: 'model.empty',
    message: expect.stringContaining("'length'") as string,
  });
  expect(executed).toEqual([]);
});
