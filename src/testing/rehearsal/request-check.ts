import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { EventOf } from '../../contracts/events/event.ts';
import type { Arrival, JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { DeterminismError } from '../../runtime/journal/replay/determinism-error.ts';
import { checkPrompted } from '../../runtime/journal/replay/check-prompted.ts';
import type { Pending } from '../../runtime/journal/replay/replay-context.ts';
import type { WholeRequest } from '../../runtime/log/sent-requests.ts';
import { SentRequests } from '../../runtime/log/sent-requests.ts';
import type { Run } from '../../runtime/run/run.ts';
import { isToolset } from '../../tools/define/tool-registry.ts';
import type { AskedRequest } from './asked-request.ts';
import { askedRequest } from './asked-request.ts';
import type { DifferentPart, RunDifference } from './difference.ts';
import { modelCallsIn, neverMade } from './recorded-asks.ts';
import { RecordedBudgets } from './recorded-budgets.ts';

type Asked = EventOf<'model.asked'>;

/** The part of a request that differs, on both sides. */
type Differing = Pick<RunDifference, 'part' | 'recorded' | 'found'>;

/**
 * Compares each request on record with the one that the candidate would send in its place, as the replay comes to it.
 *
 * A call whose request cannot be made without asking anybody is counted as not compared.
 */
export class RequestCheck {
  readonly #runId: string;
  readonly #asked: ReadonlyMap<string, Asked>;
  readonly #sent = new SentRequests();
  /** Comparisons that had to wait, as media are converted. */
  readonly #later: Promise<RunDifference | undefined>[] = [];
  /** Turns that were found to be the same: a conversation is compared turn by turn once. */
  readonly #same = new WeakMap<Turn, Turn>();
  readonly #hasRequests: boolean;
  readonly #budgets: RecordedBudgets;
  /** Tools and models that the run was given while it ran: they are no part of the candidate. */
  readonly #given: { readonly tools: ReadonlySet<string>; readonly models: ReadonlySet<string> };
  #difference: RunDifference | undefined;
  /** Reasons why calls were not compared. */
  readonly unseen: string[] = [];
  /** Keys of the calls that were come to. */
  readonly #met = new Set<string>();

  constructor(runId: string, records: readonly JournalRecord[]) {
    this.#runId = runId;
    this.#asked = modelCallsIn(runId, records);
    this.#budgets = new RecordedBudgets(records);
    this.#given = additionsIn(records);
    this.#hasRequests = records.some((each) => each.kind === 'arrived' && each.arrival.type === 'sent');
    if (!this.#hasRequests && this.#asked.size > 0) this.unseen.push('its journal keeps no requests');
  }

  /** Compares what is read; throws at the first difference. */
  readonly compare = (arrival: Arrival, run: Run, pending: ReadonlyMap<string, Pending>): void => {
    if (arrival.type === 'prompted' && !this.#hasRequests) this.#comparePrompt(arrival, run);
    if (arrival.type !== 'sent') return;
    const key = `${this.#runId}/${arrival.key}`;
    const asked = this.#asked.get(key);
    const recorded = this.#sent.take({
      ...(asked ?? neverMade(key, arrival.path)),
      request: arrival.request,
    });
    if (asked === undefined) return;
    this.#met.add(key);
    const effect = pending.get(arrival.key);
    const found = effect && this.#foundFor(run, effect);
    if (recorded === undefined || effect === undefined || found === undefined) {
      this.unseen.push(`the request of event ${asked.seq} cannot be made again`);
      return;
    }
    const spends = this.#budgets.differenceFor(run, effect.entry.principal);
    const { seq, path, step } = asked;
    if (spends !== undefined) this.#stopAt({ ...spends, seq, path, step });
    const { request } = found;
    const compareWith = (made: ModelRequest): RunDifference | undefined =>
      this.#differenceOf(asked, recorded, found, made, effect);
    if (isThenable(request))
      this.#later.push(
        request.then(compareWith, (thrown: unknown) => {
          this.unseen.push(messageOf(thrown));
          return undefined;
        }),
      );
    else this.#stopAt(compareWith(request));
  };

  /** The earliest difference, once all have been looked for; without one, calls that the replay did not come to are not seen. */
  async earliest(): Promise<RunDifference | undefined> {
    const found = [this.#difference, ...(await Promise.all(this.#later))].filter(
      (each) => each !== undefined,
    );
    if (this.#hasRequests && found.length === 0) this.#noteUnmet();
    return found.toSorted((one, other) => one.seq - other.seq)[0];
  }

  /** A replay answers a call of a tool as a whole, and with it what agents did within it. */
  #noteUnmet(): void {
    const unmet = [...this.#asked.values()].filter(({ key }) => !this.#met.has(key));
    for (const path of new Set(unmet.map((asked) => asked.path)))
      this.unseen.push(`'${path}' asks models within a call, which is answered from the journal as a whole`);
  }

  #comparePrompt(arrival: Extract<Arrival, { type: 'prompted' }>, run: Run): void {
    try {
      checkPrompted(arrival, run);
    } catch (thrown) {
      if (!(thrown instanceof DeterminismError)) throw thrown;
      const { path } = arrival;
      const { expected, found } = thrown.divergence;
      const first = [...this.#asked.values()].find((each) => each.path === path);
      const place = { path, step: first?.step, seq: first?.seq ?? run.log.events.length };
      const part = isAboutTool(expected) ? 'tools' : 'instructions';
      this.#stopAt({ part, ...place, recorded: expected, found });
    }
  }

  #foundFor(run: Run, effect: Pending): AskedRequest | undefined {
    try {
      return askedRequest(run, effect);
    } catch (thrown) {
      this.unseen.push(messageOf(thrown));
      return undefined;
    }
  }

  #differenceOf(
    { seq, path, step, model }: Asked,
    recorded: WholeRequest,
    found: AskedRequest,
    request: ModelRequest,
    { entry }: Pending,
  ): RunDifference | undefined {
    const differing =
      model === found.model || this.#given.models.has(model)
        ? (partThatDiffers(recorded, request, (name) => this.#isGiven(name, entry)) ??
          (found.isSummarised() ? undefined : this.#turnThatDiffers(recorded, request)))
        : { part: 'model' as const, recorded: model, found: found.model };
    if (differing === undefined && found.isSummarised()) this.unseen.push('a part of it is summarised');
    return differing && { ...differing, seq, path, step };
  }

  /** Toolsets that are opened with a run, which a replay does not do, are given to it, too. */
  #isGiven(tool: string, { principal }: Pending['entry']): boolean {
    const items = principal.definition.agent?.tools ?? [];
    const opening = items.filter((item) => isToolset(item) && item.open !== undefined);
    const given = [...this.#given.tools, ...opening.map(({ name }) => name)];
    return given.some((name) => tool === name || tool.startsWith(`${name}.`));
  }

  #turnThatDiffers({ messages }: WholeRequest, request: ModelRequest): Differing | undefined {
    const count = Math.max(messages.length, request.messages.length);
    for (let index = 0; index < count; index += 1) {
      const recorded = messages[index]?.turn;
      const found = request.messages.at(index);
      if (recorded !== undefined && found !== undefined) {
        if (this.#same.get(found) === recorded) continue;
        if (isSame(recorded, found)) {
          this.#same.set(found, recorded);
          continue;
        }
      }
      return { part: 'messages', recorded: toJson(recorded ?? null), found: toJson(found ?? null) };
    }
    return undefined;
  }

  #stopAt(difference: RunDifference | undefined): void {
    if (difference === undefined) return;
    this.#difference = difference;
    const { path, step, recorded: expected, found } = difference;
    throw new DeterminismError({ runId: this.#runId, path, step, expected, found });
  }
}

const isAboutTool = (value: Json): boolean => typeof value === 'object' && value !== null && 'tool' in value;

const PARTS = [
  'instructions',
  'output',
  'settings',
  'toolChoice',
] as const satisfies readonly DifferentPart[];

const partThatDiffers = (
  recorded: WholeRequest,
  found: ModelRequest,
  isGiven: (tool: string) => boolean,
): Differing | undefined => {
  const part = PARTS.find((each) => !isSame(recorded[each], found[each]));
  if (part !== undefined)
    return { part, recorded: toJson(recorded[part] ?? null), found: toJson(found[part] ?? null) };
  const isOwn = ({ name }: ToolSpec): boolean => !isGiven(name);
  const [before, after] = [recorded.tools.filter(isOwn), found.tools.filter(isOwn)];
  if (isSame(before, after)) return undefined;
  const { missing, more } = toolsThatDiffer(before, after);
  return { part: 'tools', recorded: toJson(missing), found: toJson(more) };
};

/** Tools of the record that are not sent any more, and tools that were not sent before; for another order, all of them. */
const toolsThatDiffer = (before: readonly ToolSpec[], after: readonly ToolSpec[]) => {
  const missing = before.filter((tool) => !after.some((each) => isSame(tool, each)));
  const more = after.filter((tool) => !before.some((each) => isSame(tool, each)));
  return missing.length + more.length === 0 ? { missing: before, more: after } : { missing, more };
};

/** Names of what was added to a run while it ran. */
const additionsIn = (records: readonly JournalRecord[]) => {
  const tools = new Set<string>();
  const models = new Set<string>();
  for (const record of records) {
    if (record.kind !== 'event') continue;
    if (record.event.type === 'tool.added') tools.add(record.event.tool);
    if (record.event.type === 'model.swapped') models.add(record.event.to);
  }
  return { tools, models };
};

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || canonical(toJson(one ?? null)) === canonical(toJson(other ?? null));
