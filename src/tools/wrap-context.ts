import type { ToolContext } from '../contracts/tool.ts';

/** What is different for a tool that runs within something of somebody's. */
export type ContextChanges = Partial<Pick<ToolContext, 'run' | 'ask' | 'messages' | 'signal'>>;

/** A tool's context, but for what is said of it; like the original, nothing of it is made before it is read. */
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
    return context.ops;
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
  get ask() {
    return changes.ask ?? context.ask;
  },
  get messages() {
    return changes.messages ?? context.messages;
  },
  get run() {
    return changes.run ?? context.run;
  },
});
