import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { Cursors } from '../../memory/processors/perspective.ts';
import { onDemand } from '../../base/on-demand.ts';
import { saidJson } from '../../coordination/round/said-json.ts';
import type { Heard } from '../../coordination/round/talk.ts';
import type { TeamContext } from '../../coordination/round/team-context.ts';
import type { PhaseMap } from './work-phases.ts';
import { mayFollow } from './work-phases.ts';

/** The member that decides who goes on, whose name no other may have. */
export const ORCHESTRATOR = 'orchestrator';

/** The target that ends the conversation: nobody after it is asked any more. */
export const END = 'END';

/** A decision of the orchestrator: who goes on, in which phase, and why. */
export const routeSchema = onDemand(() =>
  z.object({
    agents: z
      .array(z.string().trim().min(1))
      .min(1)
      .describe(`Who goes on, in order; ${END} ends the conversation.`),
    phase: z
      .string()
      .trim()
      .min(1)
      .nullish()
      .describe('The phase that the work is in from now on, if it changes.'),
    reason: z.string().trim().min(1).describe('Why, in a sentence.'),
    message: z.string().nullish().describe('What those who go on have to know or do.'),
  }),
);

/** The members, the phases, and the bounds. */
export type OrchestratorOptions = {
  readonly members: Readonly<Record<string, string>>;
  /** Members with their own conversation; the others are sent everything in one text. */
  readonly listeners: readonly string[];
  readonly phases: PhaseMap;
  readonly start: string;
  readonly maxRounds: number;
  readonly isParallel: boolean;
};

/** The part of one agent in a turn. */
export type Completion = {
  readonly member: string;
  readonly status: RunStatus;
  readonly output: Json;
  readonly error: string | null;
};

/** One decision, and its completions. */
export type OrchestratorTurn = {
  readonly phase: string;
  readonly members: readonly string[];
  readonly reason: string;
  readonly completions: readonly Completion[];
};

/** A change of phase; a turn that stays in its phase is a handoff, and on record, too. */
export type PhaseTransition = {
  readonly from: string;
  readonly to: string;
  readonly members: readonly string[];
  readonly reason: string;
  readonly message: string | null;
  readonly at: number;
};

export type Route = {
  readonly members: readonly string[];
  readonly phase: string;
  readonly reason: string;
  readonly message: string | null;
  readonly ends: boolean;
};

/** The state of an orchestrated run. */
export type OrchestratorState = {
  readonly phase: string;
  /** When the phase began, in ms since 1970; a handoff within it does not restart it. */
  readonly phaseStartedAt: number;
  readonly turns: readonly OrchestratorTurn[];
  readonly transitions: readonly PhaseTransition[];
  /** The number of times that work went back from verification to be done again. */
  readonly rework: number;
  /** The part of the conversation that each member was shown when its turn came last. */
  readonly cursors: Cursors;
};

/** The state of an orchestrator's team. */
export type OrchestratorOwn = OrchestratorState & {
  readonly route: Route | null;
  /** The problem with the decision before. */
  readonly note: string | null;
  readonly corrections: number;
  readonly heard: readonly Heard[];
};
export type OrchestratorContext = TeamContext<OrchestratorOwn, OrchestratorOptions>;

/** The route; or what is wrong with it, in words that the orchestrator can mend it by. */
export const readRoute = ({ options, own }: OrchestratorContext, said: Json): Route | string => {
  const parsed = routeSchema().safeParse(saidJson(said));
  if (!parsed.success)
    return `That was no decision: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}.`;
  const { agents, phase, reason, message } = parsed.data;
  const end = agents.indexOf(END);
  const named = [...new Set(end < 0 ? agents : agents.slice(0, end))];
  const unknown = named.filter((name) => !Object.hasOwn(options.members, name));
  if (unknown.length > 0)
    return `There is nobody called ${unknown.map((name) => `'${name}'`).join(', ')}. The agents are: ${Object.keys(options.members).join(', ')}, or ${END}.`;
  const to = phase ?? own.phase;
  if (!mayFollow(options.phases, own.phase, to))
    return `The phase '${to}' may not follow '${own.phase}'. It may stay, or become: ${(options.phases[own.phase] ?? []).join(', ')}.`;
  return { members: named, phase: to, reason, message: message ?? null, ends: end >= 0 };
};

/** Before the first decision. */
export const startOf = (phase: string, at: number): OrchestratorOwn => ({
  phase,
  phaseStartedAt: at,
  turns: [],
  transitions: [],
  rework: 0,
  cursors: {},
  route: null,
  note: null,
  corrections: 0,
  heard: [],
});
