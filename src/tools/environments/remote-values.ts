import * as z from 'zod';

const bytes = z.int().nonnegative();

const kind = z.enum(['file', 'folder', 'link', 'other']);

/** Schemas of a remote environment's responses: a foreign machine is not trusted. */
export const remoteValues = {
  setup: z.object({
    session: z.string().max(200),
    groups: z.array(z.string()).max(100),
    commands: z.array(z.string().max(200)).max(1_000).optional(),
  }),
  health: z.object({ ok: z.boolean(), reason: z.string().optional() }),
  step: z.object({
    observation: z.json().optional(),
    done: z.boolean().optional(),
    reward: z.number().optional(),
    info: z.json().optional(),
    error: z.string().optional(),
  }),
  terminal: z.union([z.boolean(), z.string()]),
  text: z.object({ text: z.string(), bytes, isCut: z.boolean() }),
  written: z.object({ bytes, isNew: z.boolean() }),
  entries: z.array(z.object({ name: z.string(), kind })),
  facts: z.object({ kind, bytes, isWritable: z.boolean() }).nullable(),
  process: z.object({
    exitCode: z.number().nullable(),
    stdout: z.string(),
    stderr: z.string(),
    isCut: z.boolean(),
    isTimedOut: z.boolean(),
  }),
  response: z.object({
    url: z.string(),
    status: z.number(),
    headers: z.record(z.string(), z.string()),
    text: z.string(),
    /** In base64. */
    bytes: z.base64().optional(),
    isCut: z.boolean(),
  }),
};

const path = z.string();

/** Schemas of requests to a remote environment, by method. */
export const remoteRequests = {
  read: z.object({ path, maxBytes: z.number().positive().optional() }),
  write: z.object({ path, text: z.string() }),
  path: z.object({ path }),
  run: z.object({
    command: z.string(),
    args: z.array(z.string()),
    cwd: z.string().optional(),
    input: z.string().optional(),
    timeoutMs: z.number().positive().optional(),
  }),
  http: z.object({
    url: z.string(),
    method: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.union([z.string(), z.object({ base64: z.base64() })]).optional(),
  }),
};
