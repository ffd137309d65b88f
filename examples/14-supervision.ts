// Members fail. The reaction is configured as data: who restarts, how often, after which delay, and when to give up.
//
//   npx tsx examples/14-supervision.ts
//
// When not to use it: the failure itself is informative. Without a policy it is a reply like any other, and the team continues.
import assert from 'node:assert/strict';
import { agent, ofType, TroupeError } from 'troupe';
import { supervisorWorker } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

// The weather service is down on the first call, and answers the second.
const down = new TroupeError('model.unavailable', 'Cannot answer as the service is down: 503', {
  retryable: 'yes',
});
const forecaster = agent({
  name: 'forecaster',
  description: 'Knows the weather.',
  failures: { retry: { attempts: 1 } },
  model: scriptedModel([down, 'Rain until noon.']),
});

// This one gives no usable answer, and restarts with a note that says so; it asks for fewer attempts than the team allows.
const vague = new TroupeError('output.invalid', 'Cannot use the answer as it names no train');
const timetable = agent({
  name: 'timetable',
  description: 'Knows the trains.',
  failures: { asMember: { poisonAfter: 2 } },
  model: scriptedModel([vague, vague]),
});

const desk = supervisorWorker({
  name: 'desk',
  supervisor: {
    model: scriptedModel([
      JSON.stringify({
        assignments: [
          { worker: 'forecaster', task: 'The weather?' },
          { worker: 'timetable', task: 'The next train?' },
        ],
        answer: null,
      }),
    ]),
  },
  workers: { forecaster, timetable },
  concurrency: 1, // one after the other: what happens is in the same order each time
  limits: { memberTimeMs: 60_000 }, // a member that takes longer is stopped, and has failed
  result: 'replies',
  failures: {
    supervision: {
      strategy: 'one-for-one', // or one-for-all, rest-for-one
      restart: 'transient',
      intensity: { restarts: 3, withinMs: 30_000 }, // a fourth restart in 30 s is an escalation: the team fails
      backOff: { leastMs: 10, mostMs: 50 },
    },
  },
});

const handle = desk.stream('Shall I go out?');
handle.events$
  .pipe(ofType('child.supervised'))
  .subscribe(({ member, failure, directive }) => console.log(`${member}: ${failure} → ${directive}`));
const { output, events } = await handle.result;
for (const { member, status, output: said, error } of output ?? [])
  console.log(`${member} ${status}:`, said ?? error);

assert.deepEqual(
  output?.map(({ status }) => status),
  ['completed', 'failed'],
);
assert.deepEqual(
  events.flatMap((event) => (event.type === 'child.restarted' ? [event.member] : [])).toSorted(),
  ['forecaster', 'timetable'],
);
// A task that keeps failing in the same way is given up, and reported.
assert.equal(events.filter(({ type }) => type === 'child.quarantined').length, 1);
