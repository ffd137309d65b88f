import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/models/model.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { recordsIn } from '../../../src/runtime/journal/resume/stored-run.ts';
import { RecordedEffects, recordingOf } from '../../../src/testing/rehearsal/recorded-effects.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { askPerson } from '../../../src/index.ts';

test('a request that adds to one whose call was never made is answered from the journal', async () => {
  const scripted = scriptedModel([
    calls({ name: 'ask_person', input: { question: 'Where?' } }),
    'Oslo it is.',
  ]);
  const asked: ModelRequest[] = [];
  const model: typeof scripted = {
    ...scripted,
    answer: (request, call) => {
      asked.push(request);
      return scripted.answer(request, call);
    },
  };
  const store = memoryStore();
  const person = { answer: () => 'Oslo' };
  await agent({ name: 'clerk', model, tools: [askPerson] }).run('go', { store, runId: 'run', person });
  const { records } = await recordsIn(store, 'run');
  const second = asked[1];
  if (second === undefined) throw new Error('it was asked once');
  const named = `${model.provider}:${model.id}`;
  expect(new RecordedEffects(recordingOf('run', records)).answer(named, second)?.text).toBe('Oslo it is.');
  // Of the first call its request alone is on record.
  const cut = records.filter(
    (record) => !(record.kind === 'event' && record.event.type === 'model.asked' && record.event.step === 0),
  );
  expect(cut).toHaveLength(records.length - 1);
  expect(new RecordedEffects(recordingOf('run', cut)).answer(named, second)?.text).toBe('Oslo it is.');
});
