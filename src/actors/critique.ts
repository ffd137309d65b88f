import type { Critic, Critique, Review } from '../contracts/critique.ts';
import { errorData } from '../contracts/error.ts';
import { HistoryView } from '../contracts/history.ts';
import type { ToolTurn } from '../contracts/transcript.ts';
import type { AgentContext, Critiqued } from '../machines/agent-context.ts';
import type { Desk } from './desk.ts';

const ACCEPT: Critique = { verdict: 'accept' };
const VERDICTS: readonly unknown[] = ['accept', 'revise', 'stop'];

/** Asks the critics in order; the first that stops or revises wins, and those after it are not asked. */
export const critique = async (context: AgentContext, desk: Desk): Promise<Critiqued> => {
  const critiques: Critique[] = [];
  for (const critic of desk.definition.critics) {
    if (desk.abort.isAborted) break;
    if (context.review.candidate === null && critic.each !== 'step') continue;
    const said = await heard(critic, context, desk);
    critiques.push(said);
    if (said.verdict !== 'accept') return { critiques, verdict: said };
  }
  return { critiques, verdict: ACCEPT };
};

/** What a critic says; one that throws or talks nonsense is reported and counts as content. */
const heard = async (critic: Critic, context: AgentContext, desk: Desk): Promise<Critique> => {
  try {
    const said = await critic.critique(reviewOf(context, desk));
    if (isCritique(said)) return plain(said);
    throw new TypeError(`it answered ${JSON.stringify(said) ?? String(said)}, which is no critique`);
  } catch (thrown) {
    const message = `Cannot use the critic '${critic.name}'`;
    desk.emit({
      type: 'critic.failed',
      critic: critic.name,
      error: errorData(thrown, 'agent.threw', { message }),
    });
    return ACCEPT;
  }
};

/** What a critic says becomes part of contexts and events: no more of it than is asked for. */
const plain = ({ verdict, note }: Critique): Critique =>
  verdict === 'accept' && typeof note !== 'string' ? ACCEPT : { verdict, note: note ?? '' };

const isCritique = (said: unknown): said is Critique =>
  typeof said === 'object' &&
  said !== null &&
  'verdict' in said &&
  VERDICTS.includes(said.verdict) &&
  (said.verdict === 'accept' || ('note' in said && typeof said.note === 'string'));

const reviewOf = (context: AgentContext, desk: Desk): Review => ({
  input: context.input,
  ...(context.review.candidate === null ? {} : { candidate: context.review.candidate.answer }),
  state: context.state,
  results: context.cycle.results,
  get evidence() {
    return [...new HistoryView(context.history)].filter((turn): turn is ToolTurn => turn.role === 'tool');
  },
  step: context.step - 1,
  rejections: context.review.rejections,
  context: desk.context,
  get signal() {
    return desk.abort.signal;
  },
  run: (agent, input) => desk.run(agent, input),
});
