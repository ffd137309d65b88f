import { expect, test } from 'vitest';
import { agent, replay, type Decision } from '../../src/index.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { PlainStore } from '../support/plain-store.ts';

const stage = (name: string) =>
  agent({
    name,
    decide: ({ step }): Decision =>
      step === 0 ? { kind: 'wait', forMs: 0 } : { kind: 'answer', answer: name },
  });

test('a stored run that is inspected has real actors, and the same journal', async () => {
  const team = pipeline({ name: 'team', stages: [stage('first'), stage('second')] });
  const store = new PlainStore();
  const seen = new Set<string>();
  const result = await team.run('go', {
    store,
    runId: 'r',
    inspect: ({ actorRef }) => {
      if ('id' in actorRef) seen.add(String(actorRef.id));
    },
  });
  expect(result.output).toBe('second');
  expect([...seen]).toEqual(expect.arrayContaining(['team', 'team/first-1', 'team/second-2']));
  const { events } = await replay(team, 'r', { store });
  expect(JSON.stringify(events)).toBe(JSON.stringify(result.events));
});

test('an inspector that fails in the midst of a step does not put its complaint into the midst of it', async () => {
  const team = pipeline({ name: 'team', stages: [stage('first'), stage('second')] });
  for (const type of ['@xstate.event', '@xstate.microstep', '@xstate.snapshot']) {
    const store = new PlainStore();
    const inspect = (event: { readonly type: string }): void => {
      if (event.type === type) throw new Error('no eyes');
    };
    const { output, events } = await team.run('go', { store, runId: 'r', inspect });
    expect(output).toBe('second');
    expect(events.filter((event) => event.type === 'observer.failed')).toHaveLength(1);
    expect(JSON.stringify((await replay(team, 'r', { store })).events)).toBe(JSON.stringify(events));
  }
});
