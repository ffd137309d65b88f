import { canonical } from '../../base/json/canonical.ts';
import type { History } from '../../base/collections/history.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { RawAnswer, SentRequest, SentSource } from '../../contracts/models/sent-request.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/** Number of calls remembered per run: an observer may lag that far behind. */
const REMEMBERED = 1_000;

/** Content that an agent has sent so far. */
interface Sent {
  /** Of the last request, as they hardly ever change. */
  instructions: string | undefined;
  tools: object | undefined;
  /** Hashes of content that was recorded in full. */
  readonly known: Set<string>;
  readonly byTurn: WeakMap<Turn, number>;
  readonly byHash: Map<string, number>;
  /** Turns missing in `byHash`, which only a rebuilt conversation needs. */
  unhashed: Turn[];
  conversation: History<Turn> | undefined;
  numbers: readonly (readonly [from: number, to: number])[];
  count: number;
}

/**
 * Records model requests and responses for observers that want them, and nothing otherwise.
 *
 * I1 A request costs its new content only: a conversation that was appended to is neither copied, hashed nor searched.
 * I2 Requests are recorded in order, so that each can be assembled from those before.
 */
export class SentBook {
  /** Keyed weakly by the agent, so that its content is collected with it. */
  #agents: WeakMap<object, Sent> | undefined;
  #requests: Map<string, SentRequest> | undefined;
  #answers: Map<string, RawAnswer> | undefined;
  #inputs: Map<string, Json> | undefined;
  #outputs: Map<string, Json> | undefined;
  #isKept = false;

  /** Starts recording with the next request. */
  keep(): void {
    this.#isKept = true;
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  /** The request of a call; undefined if it was not recorded, or is too old. */
  requestOf(key: string): SentRequest | undefined {
    return this.#requests?.get(key);
  }

  answerOf(key: string): RawAnswer | undefined {
    return this.#answers?.get(key);
  }

  /** A call may be repeated under its key after a crash: the last request counts. */
  restore(key: string, request: SentRequest): void {
    remember((this.#requests ??= new Map<string, SentRequest>()), key, request);
  }

  answered(key: string, answer: RawAnswer): void {
    remember((this.#answers ??= new Map<string, RawAnswer>()), key, answer);
  }

  inputOf(path: string): Json | undefined {
    return this.#inputs?.get(path);
  }

  outputOf(path: string): Json | undefined {
    return this.#outputs?.get(path);
  }

  /** Records the input of a member. */
  engaged(path: string, input: unknown): void {
    if (this.#isKept && input !== undefined)
      remember((this.#inputs ??= new Map<string, Json>()), path, toJson(input));
  }

  /** Records the output of a member. */
  ended(path: string, output: Json | undefined): void {
    if (this.#isKept && output !== undefined)
      remember((this.#outputs ??= new Map<string, Json>()), path, output);
  }

  /** Records an agent's request; undefined if nothing is recorded. */
  sends(agent: object, key: string, request: ModelRequest): SentRequest | undefined {
    if (!this.#isKept) return undefined;
    const agents = (this.#agents ??= new WeakMap<object, Sent>());
    const known = agents.get(agent);
    const sent = known ?? nothingSent();
    if (known === undefined) agents.set(agent, sent);
    const { instructions, tools, output, toolChoice, settings, messages } = request;
    const recorded: SentRequest = {
      ...(known === undefined ? { isFirst: true } : {}),
      ...(sent.instructions === instructions ? {} : { instructions: ofText(sent, instructions) }),
      ...(sent.tools === tools ? {} : { tools: ofTools(sent, tools) }),
      ...(output === undefined ? {} : { output: ofOutput(sent, output) }),
      ...(toolChoice === undefined ? {} : { toolChoice }),
      ...(settings === undefined ? {} : { settings }),
      ...numberTurns(sent, messages.history),
    };
    sent.instructions = instructions;
    sent.tools = tools;
    this.restore(key, recorded);
    return recorded;
  }
}

/** The same for observers, redacted by the secrets known at the time of reading. */
export const redactedSent = (book: SentBook, redact: <Value>(value: Value) => Value): SentSource => ({
  requestOf: (key) => redact(book.requestOf(key)),
  answerOf: (key) => redact(book.answerOf(key)),
  inputOf: (path) => redact(book.inputOf(path)),
  outputOf: (path) => redact(book.outputOf(path)),
});

const nothingSent = (): Sent => ({
  instructions: undefined,
  tools: undefined,
  known: new Set(),
  byTurn: new WeakMap(),
  byHash: new Map(),
  unhashed: [],
  conversation: undefined,
  numbers: [],
  count: 0,
});

const remember = <Value>(values: Map<string, Value>, key: string, value: Value): void => {
  values.delete(key);
  values.set(key, value);
  for (const oldest of values.keys()) {
    if (values.size <= REMEMBERED) return;
    values.delete(oldest);
  }
};

/** Cached, as turns, tools and schemas are the same objects from call to call. */
const hashes = new WeakMap<object, string>();

const hashOf = (value: object): string => {
  const known = hashes.get(value);
  if (known !== undefined) return known;
  const hash = sha256(canonical(toJson(value)));
  hashes.set(value, hash);
  return hash;
};

const ofText = (sent: Sent, text: string): SentRequest['instructions'] => {
  const hash = sha256(text);
  return isNew(sent, hash) ? { hash, text } : { hash };
};

const ofTools = (sent: Sent, specs: ModelRequest['tools']): SentRequest['tools'] => {
  const hash = hashOf(specs);
  return isNew(sent, hash) ? { hash, specs } : { hash };
};

const ofOutput = (sent: Sent, spec: NonNullable<ModelRequest['output']>): SentRequest['output'] => {
  const hash = hashOf(spec);
  return isNew(sent, hash) ? { hash, spec } : { hash };
};

/** Checks whether content is new, and marks it as known. */
const isNew = ({ known }: Sent, hash: string): boolean => {
  if (known.has(hash)) return false;
  known.add(hash);
  return true;
};

/** Numbers the turns of a conversation, and lists the new ones. */
const numberTurns = (sent: Sent, conversation: History<Turn>): Pick<SentRequest, 'turns' | 'added'> => {
  const before = sent.conversation;
  const shared = before === undefined ? 0 : sharedTurns(before, conversation);
  // Only a rebuilt conversation may contain copies of turns sent before.
  const isAddedTo = before === undefined || shared === before.length;
  const turns = takeNumbers(sent.numbers, shared);
  const added: Turn[] = [];
  const view = new HistoryView(conversation);
  for (let index = shared; index < conversation.length; index += 1) {
    const turn = view.at(index);
    if (turn === undefined) continue;
    let number = sent.byTurn.get(turn) ?? (isAddedTo ? undefined : numberOfEqual(sent, turn));
    if (number === undefined) {
      number = sent.count;
      sent.count += 1;
      sent.unhashed.push(turn);
      added.push(turn);
    }
    sent.byTurn.set(turn, number);
    const last = turns.at(-1);
    if (last !== undefined && last[1] + 1 === number) turns[turns.length - 1] = [last[0], number];
    else turns.push([number, number]);
  }
  sent.conversation = conversation;
  sent.numbers = turns;
  return { turns, added };
};

/** The number of an equal turn. */
const numberOfEqual = (sent: Sent, turn: Turn): number | undefined => {
  for (const earlier of sent.unhashed) {
    const number = sent.byTurn.get(earlier);
    if (number !== undefined) sent.byHash.set(hashOf(earlier), number);
  }
  sent.unhashed = [];
  return sent.byHash.get(hashOf(turn));
};

/** The first `count` numbers. */
const takeNumbers = (
  numbers: readonly (readonly [from: number, to: number])[],
  count: number,
): (readonly [number, number])[] => {
  const kept: (readonly [number, number])[] = [];
  let left = count;
  for (const [from, to] of numbers) {
    if (left <= 0) break;
    const taken = Math.min(left, to - from + 1);
    kept.push([from, from + taken - 1]);
    left -= taken;
  }
  return kept;
};

/** Length of the common prefix of two conversations; chunks are compared by identity. */
const sharedTurns = (before: History<Turn>, after: History<Turn>): number => {
  let chunks = 0;
  if (before.full === after.full) chunks = before.full.length;
  else
    while (
      chunks < Math.min(before.full.length, after.full.length) &&
      before.full[chunks] === after.full[chunks]
    )
      chunks += 1;
  // All chunks have the same length.
  let shared = chunks * (before.full[0]?.length ?? 0);
  const [old, now] = [new HistoryView(before), new HistoryView(after)];
  while (shared < Math.min(before.length, after.length) && old.at(shared) === now.at(shared)) shared += 1;
  return shared;
};
