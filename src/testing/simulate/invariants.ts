import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';

/** Something that must not be, found in a run. */
export interface Finding {
  /** The name of the property, or of what every run has to hold. */
  readonly rule: string;
  readonly reason: string;
}

type AnyResult = RunResult<unknown, unknown>;

/** Everything that holds in every run that has ended, whatever its agents do: one end, the last event; a whole log; everything that begins ends, once. */
export const findingsIn = ({ events, effects, status }: AnyResult): readonly Finding[] => [
  ...endFindings(events, status),
  ...orderFindings(events),
  ...pairFindings(events),
  ...effects.flatMap(({ key, state }) =>
    state === 'asked' ? [{ rule: 'no open effect', reason: `${key} was never settled` }] : [],
  ),
  ...twice(effects.map(({ key }) => key)).map((key) => ({
    rule: 'nothing doubled',
    reason: `the effect ${key} is there twice`,
  })),
];

const endFindings = (events: readonly RuntimeEvent[], status: AnyResult['status']): readonly Finding[] => {
  const found = (reason: string): Finding => ({ rule: 'one end', reason });
  const last = events.at(-1);
  const count = (type: RuntimeEvent['type']): number => events.filter((event) => event.type === type).length;
  return [
    ...(events[0]?.type === 'run.started'
      ? []
      : [found(`the log begins with ${events[0]?.type ?? 'nothing'}`)]),
    ...(last?.type === 'run.ended' ? [] : [found(`the log ends with ${last?.type ?? 'nothing'}`)]),
    ...(last?.type === 'run.ended' && last.status !== status
      ? [found(`it is ${last.status} in the log, and ${status} as a result`)]
      : []),
    ...(count('run.started') === 1 && count('run.ended') === 1
      ? []
      : [found(`it starts ${count('run.started')} times, and ends ${count('run.ended')} times`)]),
  ];
};

const orderFindings = (events: readonly RuntimeEvent[]): readonly Finding[] => {
  let before = 0;
  for (const [index, { seq, at }] of events.entries()) {
    if (seq !== index) return [{ rule: 'whole log', reason: `event ${index} has the number ${seq}` }];
    if (at < before) return [{ rule: 'whole log', reason: `time falls at event ${index}` }];
    before = at;
  }
  return [];
};

/** Calls and members end once, and none of them ends that has not begun. */
const pairFindings = (events: readonly RuntimeEvent[]): readonly Finding[] => {
  const findings: Finding[] = [];
  const found = (reason: string): void => void findings.push({ rule: 'everything ends', reason });
  const calls = new Set<string>();
  const members = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool.started') calls.add(`${event.path} ${event.callId}`);
    if (event.type === 'tool.finished' && !calls.delete(`${event.path} ${event.callId}`))
      found(`${event.tool} of ${event.path} finished, and had not started (event ${event.seq})`);
    if (event.type === 'member.engaged') members.add(event.path);
    if (event.type === 'member.ended' && !members.delete(event.path))
      found(`${event.path} ended twice (event ${event.seq})`);
  }
  for (const call of calls) found(`the call ${call} never finished`);
  for (const member of members) found(`${member} never ended`);
  return findings;
};

const twice = (keys: readonly string[]): readonly string[] =>
  keys.filter((key, index) => keys.indexOf(key) !== index);

/** Checks that the log of a resumed run begins with all that was published before. */
export const prefixFindings = (
  earlier: readonly (readonly RuntimeEvent[])[],
  log: readonly RuntimeEvent[],
): readonly Finding[] =>
  earlier.flatMap((seen) => {
    const index = seen.findIndex((event, place) => !isSame(event, log[place]));
    return index < 0
      ? []
      : [
          {
            rule: 'resumed as it was',
            reason: `event ${index} was ${seen[index]?.type ?? ''} before the run was resumed, and is ${log[index]?.type ?? 'none'} after it`,
          },
        ];
  });

const isSame = (one: RuntimeEvent, other: RuntimeEvent | undefined): boolean =>
  other !== undefined && canonical(toJson(one)) === canonical(toJson(other));
