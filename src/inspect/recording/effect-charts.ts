import type { ArrowShape, Role, StateShape } from './entry.ts';

/** The kinds of effects that a recording shows as actors. */
export type EffectRole = Extract<Role, 'model' | 'tool' | 'person' | 'wait'>;

type Arrows = Readonly<Record<string, string>>;

/** States by name, each with a description and where events lead from it. */
type Draft = Readonly<Record<string, readonly [description: string, arrows: Arrows]>>;

const drawChart = (name: string, draft: Draft): StateShape => {
  const states = Object.entries(draft).map(([key, [description, arrows]]): StateShape => {
    const id = `${name}.${key}`;
    const ways = Object.entries(arrows).map(([event, target]): ArrowShape => ({
      id: arrowId(id, event),
      event,
      targets: [`${name}.${target}`],
      actions: [],
    }));
    const type = ways.length === 0 ? 'final' : 'atomic';
    return { id, key, type, description, initial: [], states: [], arrows: ways };
  });
  const [first] = states;
  return {
    id: name,
    key: name,
    type: 'compound',
    initial: first === undefined ? [] : [first.id],
    states,
    arrows: [],
  };
};

const arrowId = (state: string, event: string): string => `${state}: ${event} #0`;

/** The charts of effects that are plain work, and have no machine of their own. */
export const effectCharts: Readonly<Record<EffectRole, StateShape>> = {
  model: drawChart('model', {
    asked: [
      'The model is asked, and may be answering.',
      {
        'model.answered': 'answered',
        'model.retrying': 'waitingToRetry',
        'model.failed': 'failed',
      },
    ],
    waitingToRetry: ['It failed, and is asked again.', { 'model.asked': 'asked', 'model.failed': 'failed' }],
    answered: ['The model has answered.', {}],
    failed: ['The model gave no answer.', {}],
  }),
  tool: drawChart('tool', {
    proposed: [
      'An agent has decided on a call, and it is judged: what is allowed begins at once.',
      {
        'tool.started': 'running',
        'tool.approval-requested': 'asked',
        'tool.denied': 'denied',
        'tool.finished': 'finished',
        'tool.failed': 'failed',
        'tool.ambiguous': 'ambiguous',
      },
    ],
    asked: [
      'A person is to say whether it may be made.',
      {
        'tool.approved': 'queued',
        'tool.denied': 'denied',
        'tool.finished': 'finished',
        'tool.failed': 'failed',
      },
    ],
    ambiguous: [
      'It may have been made before a crash: somebody has to tell.',
      {
        'tool.approved': 'queued',
        'tool.denied': 'denied',
        'tool.finished': 'finished',
        'tool.failed': 'failed',
      },
    ],
    queued: [
      'It was approved, and waits for its turn.',
      {
        'tool.started': 'running',
        'tool.denied': 'denied',
        'tool.finished': 'finished',
        'tool.failed': 'failed',
      },
    ],
    running: [
      'The tool is at work.',
      { 'tool.finished': 'finished', 'tool.failed': 'failed', 'tool.retrying': 'waitingToRetry' },
    ],
    waitingToRetry: [
      'It failed, and is called again.',
      { 'tool.started': 'running', 'tool.finished': 'finished', 'tool.failed': 'failed' },
    ],
    denied: ['It may not be made.', { 'tool.finished': 'finished', 'tool.failed': 'failed' }],
    finished: ['The tool has given a result.', {}],
    failed: ['It came to nothing.', {}],
  }),
  person: drawChart('person', {
    asked: [
      'A person is asked.',
      {
        'person.answered': 'answered',
        'tool.approved': 'approved',
        'tool.denied': 'denied',
        'request.withdrawn': 'withdrawn',
      },
    ],
    answered: ['The person has answered.', {}],
    approved: ['The person said yes.', {}],
    denied: ['The person said no, or nobody was asked.', {}],
    withdrawn: ['Nobody waits for an answer any more.', {}],
  }),
  wait: drawChart('wait', {
    waiting: ['The agent waits: for a time, or to be woken.', { 'phase.entered': 'over' }],
    over: ['The agent goes on.', {}],
  }),
};

export const roles: readonly EffectRole[] = ['model', 'tool', 'person', 'wait'];

/** The state in which an effect begins. */
export const firstState = (role: EffectRole): string => effectCharts[role].initial[0] ?? role;

/** An arrow of such a chart, and where it leads. */
interface EffectArrow {
  readonly id: string;
  readonly target: string;
  readonly isEnd: boolean;
}

/** By state and event. */
const arrows = new Map<string, ReadonlyMap<string, EffectArrow>>();

for (const { states } of Object.values(effectCharts))
  for (const { id, arrows: ways } of states) {
    const isEnd = (target: string): boolean => states.find((each) => each.id === target)?.type === 'final';
    const found = ways.map(
      ({ id: way, event, targets: [target = id] }) =>
        [event, { id: way, target, isEnd: isEnd(target) }] as const,
    );
    arrows.set(id, new Map(found));
  }

/** The arrow that an event takes from a state of such a chart, and where to; undefined where it answers to no such event. */
export const effectArrow = (state: string, event: string): EffectArrow | undefined =>
  arrows.get(state)?.get(event);
