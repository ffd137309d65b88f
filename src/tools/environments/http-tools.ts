import * as z from 'zod';
import type { HttpOps } from '../../contracts/environments/operations.ts';
import type { Toolset } from '../../contracts/tools/tool.ts';
import { tool } from '../define/define-tool.ts';
import { dual } from '../calls/tool-result.ts';
import { opsOf, requiring } from './requiring.ts';

/** Options of the HTTP tools. */
export interface HttpToolsOptions {
  /** Default: those of the run's environment. */
  readonly ops?: HttpOps | undefined;
  /** Methods beside GET and HEAD; if there are any, the tool counts as a writing one. Default: none. */
  readonly methods?: readonly string[] | undefined;
}

/**
 * The toolset `http`: `http.request`, in the environment of the run, which decides which addresses are reachable.
 *
 * A status of 400 and more is an ordinary result: the model reads it and decides.
 */
export const httpTools = ({ ops, methods = [] }: HttpToolsOptions = {}): Toolset => {
  const allowed = ['GET', 'HEAD', ...methods.map((method) => method.toUpperCase())];
  const request = tool({
    name: 'request',
    description: `Makes an HTTP request (${allowed.join(', ')}) to the public internet and gives status and text.`,
    category: 'http',
    safety: methods.length === 0 ? 'read' : 'write',
    input: z.object({
      url: z.string().min(1).describe('http or https'),
      method: z.enum(allowed).default('GET'),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.string().optional(),
    }),
    describe: ({ url, method }) => `${method} ${withoutQuery(url)}`,
    execute: async ({ url, method, headers, body }, context) => {
      const { signal } = context;
      const response = await opsOf(context, 'http', ops).request({ url, method, headers, body, signal });
      const note = response.isCut ? '\n[cut here: the answer is longer]' : '';
      return dual({ text: `${response.status} ${response.url}\n${response.text}${note}`, value: response });
    },
  });
  return { name: 'http', tools: [ops === undefined ? requiring(request, 'http') : request] };
};

/** Queries carry keys: people who watch need not see them. */
const withoutQuery = (url: string): string => url.replace(/[?#][^]*/, '').slice(0, 200);
