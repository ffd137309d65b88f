import { freezeJson } from '../../base/json/freeze-json.ts';
import * as z from 'zod/mini';
import type { Critic, Review } from '../../contracts/agents/critic.ts';
import type { Critique, CritiquePatch, SaidCritique } from '../../contracts/agents/critique.ts';
import { effectKey } from '../../contracts/runs/effect.ts';
import { errorData, messageOf, toError, TroupeError } from '../../contracts/errors/error.ts';
import { HistoryView } from '../../base/collections/history.ts';
import { LazyAbort } from '../../base/promises/lazy-abort.ts';
import { onDemand } from '../../base/on-demand.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { ToolTurn } from '../../contracts/conversations/transcript.ts';
import type { AgentContext, Critiqued } from '../../machines/agent/agent-context.ts';
import type { Desk } from '../desk.ts';

const ACCEPT: Critique = { verdict: 'accept' };
const VERDICTS: readonly unknown[] = ['accept', 'revise', 'stop'];
/** In ms. */
const DEFAULT_TIMEOUT_MS = 120_000;

/** Asks the critics in order. The first to stop or revise decides; later ones are not asked. */
export const critique = async (context: AgentContext, desk: Desk): Promise<Critiqued> => {
  const critiques: SaidCritique[] = [];
  for (const critic of desk.definition.critics) {
    if (desk.abort.isAborted) break;
    if (!looksAt(critic, context)) continue;
    const said = await askCritic(critic, context, desk);
    critiques.push(said);
    if (said.verdict !== 'accept') return { critiques, verdict: said };
  }
  return { critiques, verdict: ACCEPT };
};

/** Checks whether a critic applies: all review answers, except those that review certain steps only. */
const looksAt = ({ each, every = 1 }: Critic, { step, review }: AgentContext): boolean =>
  each === 'step' ? step % every === 0 : review.candidate !== null;

/** The critique of a critic; one that throws, answers nonsense or times out is reported, and counts as its `ifBroken` says. */
const askCritic = async (critic: Critic, context: AgentContext, desk: Desk): Promise<SaidCritique> => {
  const abort = new LazyAbort();
  const forget = desk.abort.onAbort((reason) => {
    abort.abort(reason);
  });
  try {
    const said = await inTime(critic, critic.critique(reviewOf(context, desk, abort)), desk, abort);
    return { critic: critic.name, ...plain(said) };
  } catch (thrown) {
    const message = `Cannot use the critic '${critic.name}'`;
    desk.emit({
      type: 'critic.failed',
      critic: critic.name,
      error: errorData(thrown, 'agent.threw', { message, ...placeOf(context) }),
    });
    const note = `nobody could check the answer, as the critic '${critic.name}' failed: ${messageOf(thrown)}`;
    return { critic: critic.name, ...(critic.ifBroken === 'accept' ? ACCEPT : { verdict: 'stop', note }) };
  } finally {
    forget();
  }
};

const placeOf = ({ run: { runId, path }, step }: AgentContext) => {
  const place = { runId, path, step: step - 1, phase: 'CRITIC' };
  return { ...place, operation: 'critique', errorId: effectKey({ ...place, index: 0, attempt: 1 }) };
};

/** Limits the time of a critic; its work is cancelled after that. */
const inTime = (
  { name, timeoutMs = DEFAULT_TIMEOUT_MS }: Critic,
  said: Critique | Promise<Critique>,
  { clock }: Desk,
  abort: LazyAbort,
): Critique | Promise<Critique> => {
  if (!isThenable(said) || timeoutMs === Infinity) return said;
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      abort.abort(
        new TroupeError(
          'agent.threw',
          `Cannot wait for the critic '${name}' as its ${timeoutMs} ms are over`,
        ),
      );
    }, timeoutMs);
    const forget = abort.onAbort((reason) => {
      clock.clearTimeout(timer);
      reject(toError(errorData(reason, 'run.aborted')));
    });
    const settle = <T>(then: (value: T) => void) => {
      return (value: T): void => {
        clock.clearTimeout(timer);
        forget();
        then(value);
      };
    };
    said.then(settle(resolve), settle(reject));
  });
};

/** Validates a critique, which becomes part of contexts and events; unknown fields are dropped. */
const plain = (said: unknown): Critique => {
  if (!isCritique(said))
    throw new TypeError(`it answered ${JSON.stringify(said) ?? String(said)}, which is no critique`);
  const { verdict, note, patch } = said;
  const changes = patch === undefined ? {} : { patch: plainPatch(patch) };
  return verdict === 'accept' && typeof note !== 'string'
    ? { ...ACCEPT, ...changes }
    : { verdict, note: note ?? '', ...changes };
};

const isCritique = (said: unknown): said is Critique =>
  typeof said === 'object' &&
  said !== null &&
  'verdict' in said &&
  VERDICTS.includes(said.verdict) &&
  (said.verdict === 'accept' || ('note' in said && typeof said.note === 'string'));

/** Strict: a silently ignored change would be worse. */
const patchSchema = onDemand(() =>
  inEnglish(
    z.strictObject({
      state: z.optional(z.record(z.string(), z.json())),
      instruction: z.optional(z.string().check(z.trim(), z.minLength(1))),
    }),
  ),
);

const plainPatch = (patch: unknown): CritiquePatch => {
  const parsed = patchSchema().safeParse(patch);
  if (parsed.success) {
    // Throws for a circular value, which the schema accepts.
    JSON.stringify(parsed.data);
    return parsed.data;
  }
  const found = parsed.error.issues.map(({ path, message }) => `${['patch', ...path].join('.')}: ${message}`);
  throw new TypeError(`it answered with a patch that is none: ${found.join('; ')}`);
};

const reviewOf = (context: AgentContext, desk: Desk, abort: LazyAbort): Review => ({
  input: freezeJson(context.input),
  ...(context.review.candidate === null ? {} : { candidate: freezeJson(context.review.candidate.answer) }),
  state: context.state,
  results: freezeJson(context.cycle.results),
  get evidence() {
    return [...new HistoryView(context.history)].filter((turn): turn is ToolTurn => turn.role === 'tool');
  },
  step: context.step - 1,
  rejections: context.review.rejections,
  get authors() {
    if (context.tally.modelCalls === 0) return [];
    return desk.models.map(({ provider, id }) => `${provider}:${id}`);
  },
  context: desk.context,
  get signal() {
    return abort.signal;
  },
  run: (agent, input) => desk.run(agent, input, abort),
});
