import * as z from 'zod/mini';
import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { packageTool } from './define-tool.ts';

/** Approves calls that a provider runs itself: it is executed once a person has said yes, and changes nothing itself. */
export const approvingTool: Tool = packageTool({
  name: APPROVE_PROVIDER_CALL,
  description: 'Approves.',
  input: () => z.object({ server: z.string(), tool: z.string(), input: z.json() }),
  // What the provider does then may not be undone; to answer it twice does no harm.
  safety: 'danger',
  idempotent: true,
  exclusive: false,
  describe: ({ server, tool, input }) =>
    `Letting the provider call ${tool} of ${server}: ${JSON.stringify(input)}`,
  execute: () => 'Approved.',
});
