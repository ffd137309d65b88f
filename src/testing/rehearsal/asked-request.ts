import type { AgentDefinition, CompactionDefinition } from '../../actors/agent-definition.ts';
import { nameOf } from '../../actors/deciding/model-events.ts';
import { modelRequest } from '../../actors/deciding/model-request.ts';
import { systemPrompt } from '../../actors/deciding/prompt-facts.ts';
import { fitContent } from '../../actors/deciding/fit-content.ts';
import { showConversation } from '../../actors/deciding/show-conversation.ts';
import { LazyAbort } from '../../base/promises/lazy-abort.ts';
import { andThen } from '../../base/promises/thenable.ts';
import type { Model, ModelRequest } from '../../contracts/models/model.ts';
import type { Actor } from '../../runtime/actors/actor.ts';
import { EffectDesk } from '../../runtime/effects/effect-desk.ts';
import type { Pending } from '../../runtime/journal/replay/replay-context.ts';
import type { Run } from '../../runtime/run/run.ts';

/** The request that a candidate would send a model. */
export interface AskedRequest {
  readonly model: string;
  readonly request: ModelRequest | Promise<ModelRequest>;
  /** True if a part of it is a summary, which another model call would have to write. */
  readonly isSummarised: () => boolean;
}

/** Makes the request of a model call that is pending in a replay, and asks nobody. Undefined for an effect that is no model call. */
export const askedRequest = (run: Run, { entry, ask }: Pending): AskedRequest | undefined => {
  if (ask.port !== 'decide' && ask.port !== 'model') return undefined;
  const { principal } = entry;
  const { agent } = principal.definition;
  if (agent === undefined) return undefined;
  const context = ask.port === 'decide' ? ask.input : ask.input.context;
  const attempt = ask.port === 'decide' ? FIRST : ask.input;
  // Before the desk would put it on record.
  principal.systemPrompt ??= systemPrompt(agent, principal.tools.specs());
  let isSummarised = false;
  const definition = withoutSummaries(agent, () => {
    isSummarised = true;
  });
  const desk = quietDesk(run, entry, definition, ask);
  const model = modelAt(principal.models, attempt.model);
  const shown = andThen(showConversation(context, model, desk), (sent) => fitContent(sent, model, desk));
  return {
    model: nameOf(model),
    request: andThen(shown, ({ history }) => modelRequest(history, context, attempt, desk)),
    isSummarised: () => isSummarised,
  };
};

const FIRST = { model: 0, nudge: null } as const;

const modelAt = (models: readonly Model[], index: number): Model => {
  const model = models[index] ?? models.at(-1);
  if (model === undefined) throw new TypeError('the agent has no model');
  return model;
};

/** A desk whose events nobody sees: those of an effect that is withdrawn are dropped. */
const quietDesk = (run: Run, entry: Actor, agent: AgentDefinition, ask: Pending['ask']): EffectDesk => {
  const { key, port, path } = ask;
  const record = { key, port, path, askedAt: run.log.now(), state: 'withdrawn' as const };
  const effect = { abort: new LazyAbort(), slot: undefined, ask, isResumed: false, origins: [], record };
  return new EffectDesk(run, entry, agent, ask, effect);
};

/** The same agent, which says that it would summarise in place of it. */
const withoutSummaries = (agent: AgentDefinition, onSummary: () => void): AgentDefinition => {
  const { compaction } = agent;
  if (compaction === undefined || compaction.summariser === false) return agent;
  const summariser: CompactionDefinition['summariser'] = {
    name: compaction.summariser?.name ?? 'none',
    summarise: () => {
      onSummary();
      return { text: '' };
    },
  };
  return { ...agent, compaction: { ...compaction, summariser } };
};
