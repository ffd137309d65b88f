import type { ToolContext } from '../../contracts/tools/tool.ts';

/** The parts of a tool's context that a wrapper may replace. */
export type ContextChanges = Partial<Pick<ToolContext, 'run' | 'ask' | 'messages' | 'signal' | 'ops'>>;

/** Copies a tool's context with some parts replaced; like the original, it computes nothing before it is read. */
export const wrapContext = (context: ToolContext, changes: ContextChanges): ToolContext => ({
  tool: context.tool,
  callId: context.callId,
  get key() {
    return context.key;
  },
  runId: context.runId,
  get callers() {
    return context.callers;
  },
  path: context.path,
  agent: context.agent,
  step: context.step,
  attempt: context.attempt,
  get state() {
    return context.state;
  },
  get conversation() {
    return context.conversation;
  },
  get delegations() {
    return context.delegations;
  },
  get context() {
    return context.context;
  },
  get ops() {
    return changes.ops ?? context.ops;
  },
  get signal() {
    return changes.signal ?? context.signal;
  },
  get now() {
    return context.now;
  },
  get progress() {
    return context.progress;
  },
  get emit() {
    return context.emit;
  },
  get resumedFrom() {
    return context.resumedFrom;
  },
  get checkpoint() {
    return context.checkpoint;
  },
  get ask() {
    return changes.ask ?? context.ask;
  },
  get messages() {
    return changes.messages ?? context.messages;
  },
  get bytesOf() {
    return context.bytesOf;
  },
  get run() {
    return changes.run ?? context.run;
  },
});
