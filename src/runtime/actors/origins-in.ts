import { areOrigins, FROM_MEMORY, FROM_OBSERVATION } from '../../contracts/tools/origins.ts';
import type { Envelope } from '../turn/envelope.ts';

const NONE: readonly never[] = [];

/** Origins of the text that an envelope brings to an agent: the tool of a result, and what was recalled and observed. */
export const originsIn = ({ type, output }: Envelope): readonly string[] => {
  if (type === 'answered.act') return isRecord(output) ? originsOfResult(output['result']) : NONE;
  if (type !== 'answered.observe' || !isRecord(output)) return NONE;
  const { observation, memory } = output;
  const recalled = isRecord(memory) && Array.isArray(memory['records']) ? memory['records'] : NONE;
  return [
    ...(observation === undefined ? NONE : [FROM_OBSERVATION]),
    ...(recalled.length === 0 ? NONE : [FROM_MEMORY, ...recalled.flatMap(ownOrigins)]),
  ];
};

/** Origins of a conversation: those that its turns name, and the tools that answered in it. Invalid turns have none, and are refused elsewhere. */
export const originsOfTurns = (turns: readonly unknown[]): readonly string[] => [
  ...new Set(turns.flatMap((turn) => [...ownOrigins(turn), ...speakerOf(turn)])),
];

const speakerOf = (turn: unknown): readonly string[] => {
  if (!isRecord(turn)) return NONE;
  const { role, tool, from } = turn;
  if (role === 'tool') return typeof tool === 'string' ? [tool] : NONE;
  return from === FROM_MEMORY || from === FROM_OBSERVATION ? [from] : NONE;
};

const ownOrigins = (value: unknown): readonly string[] =>
  isRecord(value) && areOrigins(value['origins']) ? value['origins'] : NONE;

/** A call that was not made brought nothing: its text is the runtime's own. */
const originsOfResult = (result: unknown): readonly string[] => {
  if (!isRecord(result) || typeof result['tool'] !== 'string') return NONE;
  return result['kind'] === 'denied' || result['kind'] === 'unknown' ? NONE : [result['tool']];
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
