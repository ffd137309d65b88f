import { HistoryView, append, emptyHistory } from '../../base/collections/history.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { Turn, UserTurn } from '../../contracts/conversations/transcript.ts';
import { guardValue } from './apply-guards.ts';
import { blockedError, type Border } from './border.ts';
import type { TrustedGuard } from './consult-guard.ts';

/** Judges the turns that a model is sent, each once however often it is sent. */
export class InputGuards {
  readonly #before: readonly TrustedGuard[];
  readonly #parallel: readonly TrustedGuard[];
  readonly #passed = new WeakMap<Turn, Turn>();
  readonly #passedInParallel = new WeakSet<Turn>();

  constructor(guards: readonly TrustedGuard[]) {
    this.#parallel = guards.filter(({ timing }) => timing === 'parallel');
    this.#before = guards.filter(({ timing }) => timing !== 'parallel');
  }

  get areParallel(): boolean {
    return this.#parallel.length > 0;
  }

  /** The request as the guards before it let it pass. */
  async request(request: ModelRequest, border: Border): Promise<ModelRequest> {
    if (this.#before.length === 0) return request;
    const turns: Turn[] = [];
    for (const turn of request.messages) turns.push(await this.#turn(turn, border));
    return { ...request, messages: new HistoryView(append(emptyHistory<Turn>(), ...turns)) };
  }

  /** Settles once the parallel guards have passed what is sent. */
  async attend({ messages }: ModelRequest, border: Border): Promise<void> {
    for (const turn of messages) {
      if (turn.role !== 'user' || this.#passedInParallel.has(turn)) continue;
      const passed = await guardTurn(this.#parallel, turn, border);
      if (passed !== turn) {
        const names = this.#parallel.map(({ name }) => name).join(', ');
        throw blockedError(names, border, 'the model has seen already what is to be changed');
      }
      this.#passedInParallel.add(turn);
    }
  }

  async #turn(turn: Turn, border: Border): Promise<Turn> {
    if (turn.role !== 'user') return turn;
    const known = this.#passed.get(turn);
    if (known !== undefined) return known;
    const passed = await guardTurn(this.#before, turn, border);
    this.#passed.set(turn, passed);
    return passed;
  }
}

/** A message as its guards let it pass; the same if nothing changes. */
const guardTurn = async (
  guards: readonly TrustedGuard[],
  turn: UserTurn,
  border: Border,
): Promise<UserTurn> => {
  const { text, parts } = turn;
  if (parts === undefined) {
    const passed = await guardValue(guards, text, border);
    return passed === text ? turn : { ...turn, text: String(passed) };
  }
  const given = { text, parts };
  const passed = await guardValue(guards, given, border);
  // Guards change the texts of a value only, so the type is the same.
  return passed === given ? turn : { ...turn, ...(passed as typeof given) };
};
