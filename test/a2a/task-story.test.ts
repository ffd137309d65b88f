import { expect, test } from 'vitest';
import { STATE } from '../../src/a2a/wire.ts';
import { nextRequest } from '../../src/a2a/server/refusal-to-grant.ts';
import { TaskStory } from '../../src/a2a/server/task-story.ts';
import type { OpenRequest } from '../../src/contracts/people/request.ts';
import { durable } from '../events/sample-events.ts';

const refusalToGrant = (request: OpenRequest): string | undefined =>
  request.kind === 'approval' ? 'it needs another person' : undefined;

const approval = {
  type: 'tool.approval-requested',
  id: 'approval-1',
  callId: 'call_0_0',
  tool: 'pay',
  input: {},
  description: 'Pays',
} as const;
const question = { type: 'person.asked', id: 'question-1', question: 'Which town?' } as const;

const storyOf = (...events: readonly Parameters<typeof durable>[1][]): TaskStory => {
  const story = new TaskStory({
    taskId: 'run',
    contextId: 'context',
    showsActivity: false,
    bytesAt: () => Promise.reject(new Error('no bytes')),
    refusalToGrant,
  });
  for (const [seq, event] of events.entries()) story.hear(durable(seq, event));
  return story;
};

test('a task wants input as long as a request is open that its client may grant, whichever came first', () => {
  expect(storyOf(approval).state).toBe(STATE.authRequired);
  expect(storyOf(approval, question).state).toBe(STATE.inputRequired);
  expect(storyOf(question, approval).state).toBe(STATE.inputRequired);
  const answered = { type: 'person.answered', id: 'question-1', text: 'Bath' } as const;
  expect(storyOf(approval, question, answered).state).toBe(STATE.authRequired);
});

test('the next request is the first that may be granted, else the first', () => {
  const base = { path: 'desk', agent: 'desk', askedAt: 0 };
  const pay = { ...base, ...approval, kind: 'approval' } as const;
  const town = { ...base, ...question, kind: 'question' } as const;
  expect(nextRequest<OpenRequest>([pay, town], refusalToGrant)).toBe(town);
  expect(nextRequest<OpenRequest>([pay], refusalToGrant)).toBe(pay);
  expect(nextRequest<OpenRequest>([], refusalToGrant)).toBeUndefined();
});
