import type { ProposedCall } from '../../../src/contracts/tools/safety.ts';
import type { Safety, ToolFacts } from '../../../src/contracts/tools/tool.ts';

type Given = Partial<Omit<ProposedCall, 'facts'>> & {
  readonly safety?: Safety;
  readonly category?: string;
  readonly tags?: readonly string[];
};

/** A call as a policy sees it: by default, of a tool `save` that writes, by the agent `clerk` of `desk`. */
export const proposed = ({
  safety = 'write',
  category = 'general',
  tags = [],
  ...given
}: Given = {}): ProposedCall => ({
  callId: 'call_0_0',
  runId: 'r',
  path: 'desk/clerk-1',
  agent: 'clerk',
  step: 0,
  tool: 'save',
  facts: factsOf(safety, category, tags),
  input: {},
  context: undefined,
  at: Date.UTC(2026, 0, 5, 12),
  environment: undefined,
  above: ['desk'],
  earlier: [],
  origins: [],
  signal: new AbortController().signal,
  ...given,
});

const factsOf = (safety: Safety, category: string, tags: readonly string[]): ToolFacts => ({
  version: '0.0.0',
  category,
  tags,
  safety,
  idempotent: safety === 'read',
  exclusive: safety !== 'read',
  timeoutMs: 60_000,
  retry: { attempts: 1, initialWaitMs: 0, maxWaitMs: 0 },
});
