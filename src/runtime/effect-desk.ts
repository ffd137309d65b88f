import type { Agent } from '../contracts/agent.ts';
import type { AgentDefinition } from '../actors/agent-definition.ts';
import type { Desk } from '../actors/desk.ts';
import type { EventBody } from '../contracts/event.ts';
import type { Model, ModelDelta } from '../contracts/model.ts';
import type { ApprovalRequest, RunResult } from '../contracts/run.ts';
import type { SafetyStrategy } from '../contracts/safety.ts';
import type { Artifact } from '../contracts/tool.ts';
import type { Ask } from '../machines/asks.ts';
import type { Approval } from '../machines/tool-call-context.ts';
import type { LazyAbort } from '../contracts/lazy-abort.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Actor } from './stage.ts';

/** The desk of one effect: what its actor may use, read off the run when it is read. */
export class EffectDesk implements Desk {
  readonly definition: AgentDefinition;
  readonly abort: LazyAbort;
  readonly #entry: Actor;
  readonly #principal: Actor;
  readonly #ask: Ask;

  constructor(entry: Actor, definition: AgentDefinition, ask: Ask, abort: LazyAbort) {
    this.definition = definition;
    this.abort = abort;
    this.#entry = entry;
    this.#principal = entry.principal;
    this.#ask = ask;
  }

  get clock() {
    return this.#entry.run.clock;
  }
  get tools(): ToolRegistry {
    return this.#entry.run.toolsOf(this.#principal);
  }
  get models(): readonly Model[] {
    return this.#entry.run.modelsOf(this.#principal);
  }
  get safety(): SafetyStrategy | undefined {
    return this.#entry.run.safety;
  }
  get context(): unknown {
    return this.#entry.run.context;
  }
  get isWatched(): boolean {
    return this.#entry.run.log.stream.wantsDeltas;
  }
  random(): number {
    return this.#entry.run.random();
  }
  emit(body: EventBody): void {
    // What comes in after the effect was withdrawn is nobody's any more.
    if (this.abort.isAborted) return;
    this.#entry.run.log.write(body, this.#principal, this.#ask.step, this.#ask.phase);
  }
  delta(delta: ModelDelta): void {
    if (!this.abort.isAborted)
      this.#entry.run.log.delta(this.#ask.key, delta, this.#principal, this.#ask.step);
  }
  keep(artifacts: readonly Artifact[]): void {
    this.#entry.run.artifacts.push(...artifacts);
  }
  async ask(question: string): Promise<string> {
    this.emit({ type: 'person.asked', question });
    const text = await this.#entry.run.person.ask(question, this.abort);
    this.emit({ type: 'person.answered', text });
    return text;
  }
  approve(request: ApprovalRequest): Promise<Approval> {
    return this.#entry.run.person.approve(request, this.abort);
  }
  run<Input, Output>(agent: Agent<Input, Output>, input: Input): Promise<RunResult<Output>> {
    return this.#entry.run.actors.runWithin(this.#entry, agent, input, this.#ask, this.abort);
  }
}
