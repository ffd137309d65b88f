import { scan } from 'rxjs';
import { expect, test } from 'vitest';
import type { EventBody } from '../../src/contracts/events/event.ts';
import type { Progress } from '../../src/events/progress/progress.ts';
import { foldProgress, noProgress, progressLine } from '../../src/events/progress/progress.ts';
import { working$ } from '../../src/events/progress/working.ts';
import { noTotals, sampleRun } from './sample-events.ts';

const entered = (phase: string): EventBody => ({ type: 'phase.entered', phase });
const started = (callId: string, description: string): EventBody => ({
  type: 'tool.started',
  callId,
  tool: 'read',
  input: {},
  description,
  attempt: 1,
});
const finished = (callId: string): EventBody => ({
  type: 'tool.finished',
  callId,
  tool: 'read',
  ok: true,
  text: '',
  durationMs: 1,
});
const ended = (status: 'completed' | 'failed'): EventBody => ({
  type: 'run.ended',
  status,
  stopReason: { kind: status === 'failed' ? 'failed' : 'answered' },
  totals: { ...noTotals, steps: 3, inputTokens: 1_200, outputTokens: 34 },
});
const record = {
  step: 0,
  path: 'desk/a',
  agent: 'a',
  results: [],
  critiques: [],
  diff: {},
  startedAt: 0,
  endedAt: 1,
};
const usage = { input: 1_000, output: 200 };

const watched = () => {
  const run = sampleRun();
  let progress: Progress = noProgress;
  run.stream.events$.pipe(scan(foldProgress, noProgress)).subscribe((next) => (progress = next));
  const working: string[] = [];
  working$(run.stream.events$).subscribe({
    next: ({ path, isWorking }) => working.push(`${isWorking ? 'start' : 'stop'} ${path}`),
    complete: () => working.push('over'),
  });
  return { ...run, working, line: () => progressLine(progress), progress: () => progress };
};

test('[M53] a line says who is in which phase, at what, and what it took so far', () => {
  const { tell, line } = watched();
  expect(line()).toBe('0 steps, 0 tokens');
  tell(entered('OBSERVE'), 'desk/a');
  tell(entered('DECIDE'), 'desk/a');
  tell({ type: 'model.asked', model: 'm', key: 'k', messages: 1, attempt: 1 }, 'desk/a', 'DECIDE');
  expect(line()).toBe('a · DECIDE · Thinking | 0 steps, 0 tokens');
  tell(
    {
      type: 'model.answered',
      model: 'm',
      key: 'k',
      text: '',
      calls: 2,
      finish: 'stop',
      usage,
      durationMs: 1,
    },
    'desk/a',
  );
  tell(entered('ACT'), 'desk/a');
  tell(started('c1', 'Reading one'), 'desk/a', 'ACT');
  tell(started('c2', 'Reading two'), 'desk/a', 'ACT');
  expect(line()).toBe('a · ACT · Reading one, Reading two | 0 steps, 1,200 tokens');
  tell(finished('c1'), 'desk/a', 'ACT');
  expect(line()).toBe('a · ACT · Reading two | 0 steps, 1,200 tokens');
  tell({ type: 'step.ended', record }, 'desk/a');
  tell({ type: 'run.paused' });
  expect(line()).toBe('paused | a · ACT · Reading two | 1 steps, 1,200 tokens');
});

test('[M53] once a run has ended nobody works, whatever was left open', () => {
  const { tell, line, progress } = watched();
  tell(entered('ACT'), 'desk/a');
  tell(started('c1', 'Reading one'), 'desk/a', 'ACT');
  tell(ended('failed'));
  expect(line()).toBe('failed | 3 steps, 1,234 tokens');
  expect(progress().agents['desk/a']).toMatchObject({ isWorking: false, tools: {} });
});

test('[M53] more agents than a line has room for are counted', () => {
  const { tell, line } = watched();
  for (let count = 1; count <= 6; count += 1) tell(entered('DECIDE'), `desk/a${count}`);
  expect(line()).toContain('a4 · DECIDE | 2 more | ');
});

test('[M53] an event that changes nothing gives the same progress', () => {
  const { tell, progress } = watched();
  tell(entered('DECIDE'));
  const before = progress();
  tell({ type: 'agent.acted', ok: 1, failed: 0 });
  tell({ type: 'observer.dropped', observer: 'x', count: 1 });
  expect(progress()).toBe(before);
});

test('[TENEX-13] an agent starts before its work and stops once it waits or ends', () => {
  const { tell, working } = watched();
  tell(entered('preparing'), 'desk');
  expect(working).toEqual([]);
  tell(entered('OBSERVE'), 'desk');
  tell(entered('DECIDE'), 'desk');
  tell(entered('waiting'), 'desk');
  tell(entered('OBSERVE'), 'desk');
  tell(entered('completed'), 'desk');
  expect(working).toEqual(['start desk', 'stop desk', 'start desk', 'stop desk']);
});

test("[TENEX-13] a team's supervisor is never shown as working, its members are", () => {
  const { tell, working } = watched();
  tell(entered('polling'), 'desk');
  tell(entered('DECIDE'), 'desk/a');
  tell(entered('counting'), 'desk');
  tell(ended('completed'), 'desk');
  expect(working).toEqual(['start desk/a', 'stop desk/a']);
});

test('[TENEX-13] a run that fails, and a stream that breaks off, end with a stop for everybody', () => {
  const failing = watched();
  failing.tell(entered('ACT'), 'desk/a');
  failing.tell(ended('failed'), 'desk');
  failing.stream.close();
  expect(failing.working).toEqual(['start desk/a', 'stop desk/a', 'over']);
  const broken = watched();
  broken.tell(entered('ACT'), 'desk/a');
  broken.tell(entered('ACT'), 'desk/b');
  broken.stream.close();
  expect(broken.working).toEqual(['start desk/a', 'start desk/b', 'stop desk/a', 'stop desk/b', 'over']);
});
