import type { OriginKeeper, Origins } from '../../contracts/tools/origins.ts';
import { areOrigins, withOrigins } from '../../contracts/tools/origins.ts';
import { isRefusing } from '../../contracts/tools/refusals.ts';

/** The origin of what was recalled from a memory, beside the origins that its records have. */
const FROM_MEMORY = 'memory';

/** The origin of what was observed of an environment. */
const FROM_OBSERVATION = 'observation';

const NONE: readonly never[] = [];

/** Keeps the origins of what actors read: those of an actor begin with those of the one that engaged it. */
export const keepOrigins: OriginKeeper = (before) => new KeptOrigins(before?.names ?? NONE);

class KeptOrigins implements Origins {
  /** The same list until one is new; shared with the actors that it engages. */
  names: readonly string[];

  constructor(names: readonly string[]) {
    this.names = names;
  }

  add(more: readonly string[] = NONE): void {
    this.names = withOrigins(this.names, more);
  }

  hear({ type, output }: Parameters<Origins['hear']>[0]): void {
    if (!isRecord(output)) return;
    this.add(ownOrigins(output));
    if (type === 'answered.act') this.add(originsOfResult(output['result']));
    else if (type === 'answered.observe') this.add(originsOfObserved(output));
  }

  addTurns(turns: readonly unknown[] = NONE): void {
    this.add(turns.flatMap((turn) => [...ownOrigins(turn), ...originsOfTurn(turn)]));
  }

  mark<Value>(value: Value, before: readonly string[] = NONE): Value {
    const { names } = this;
    return !isRecord(value) || names.length === 0 || names === before ? value : { ...value, origins: names };
  }

  markTurns<Said extends { readonly role: string }>(turns: readonly Said[]): readonly Said[] {
    const last = turns.findLastIndex(({ role }) => role === 'assistant');
    return turns.map((turn, index) => (index === last ? this.mark(turn) : turn));
  }
}

/**
 * A call that the runtime refused brought nothing: its text is the runtime's own. The kind `denied` alone does not say so, as a tool that ran may
 * throw `tool.denied` with the text of others; no tool can make `unknown`.
 */
const originsOfResult = (result: unknown): readonly string[] => {
  if (!isRecord(result) || typeof result['tool'] !== 'string') return NONE;
  const { tool, kind, error } = result;
  const isRefused = kind === 'denied' && isRecord(error) && isRefusing(error['operation']);
  return isRefused || kind === 'unknown' ? NONE : [tool];
};

const originsOfObserved = ({ observation, memory }: Fields): readonly string[] => {
  const recalled = isRecord(memory) && Array.isArray(memory['records']) ? memory['records'] : NONE;
  return [
    ...(observation === undefined ? NONE : [FROM_OBSERVATION]),
    ...(recalled.length === 0 ? NONE : [FROM_MEMORY, ...recalled.flatMap(ownOrigins)]),
  ];
};

/** The tool that answered in a turn, or the source that spoke. Invalid turns have none, and are refused elsewhere. */
const originsOfTurn = (turn: unknown): readonly string[] => {
  if (!isRecord(turn)) return NONE;
  const { role, tool, from } = turn;
  if (role === 'tool') return typeof tool === 'string' ? [tool] : NONE;
  return from === FROM_MEMORY || from === FROM_OBSERVATION ? [from] : NONE;
};

const ownOrigins = (value: unknown): readonly string[] =>
  isRecord(value) && areOrigins(value['origins']) ? value['origins'] : NONE;

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
