import type * as z from 'zod/mini';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { GivenPart } from '../../contracts/content/part.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ForkChange } from '../journal/resume/resume-options.ts';
import { keyOf } from './http/idempotency-key.ts';
import { readJson } from './http/read-json.ts';
import { refusal } from './http/refusal.ts';
import { jsonReply } from './http/reply.ts';
import type { RouteName } from './http/routes.ts';
import { bodies } from './http/routes.ts';
import { openApi } from './open-api.ts';
import { checkContent } from './runs/check-input.ts';
import type { FoundRun } from './runs/live-run.ts';
import { abortRun, answerRun, holdRun, requestsOf, sendToRun } from './runs/reach-run.ts';
import { answerOf } from './runs/run-people.ts';
import type { Started } from './runs/served-runs.ts';
import type { Admitted, Serving } from './serving.ts';
import { giveBlob, giveEvents, giveResult, limitIn, waitIn, within } from './watching.ts';

type Operation = (serving: Serving, admitted: Admitted) => Promise<Response>;

/** The operations of a server, by name. */
export const operations: Readonly<Record<RouteName, Operation>> = {
  describe: async ({ names, basePath }) => jsonReply(openApi(names.all, basePath)),

  start: async (serving, { request, names, caller }) => {
    const key = keyOf(request);
    const { input, thread, paused } = await bodyIn(serving, request, bodies().start);
    const started = await serving.runs.start(
      nameIn(names, 'agent'),
      caller,
      {
        input: toJson(input),
        ...(thread === undefined ? {} : { thread }),
        ...(paused === undefined ? {} : { paused }),
      },
      key,
    );
    return startedReply(serving, started);
  },

  runs: async ({ finder }, { caller, url }) => jsonReply({ runs: await finder.list(caller, limitIn(url)) }),

  run: async (serving, admitted) => {
    const found = await findRun(serving, admitted);
    return jsonReply(found.live === undefined ? serving.finder.entryOf(found.stored) : found.live.entry);
  },

  events: async (serving, admitted) => giveEvents(serving, admitted, await findRun(serving, admitted)),
  result: async (serving, admitted) => giveResult(serving, admitted, await findRun(serving, admitted)),
  blob: async (serving, admitted) => giveBlob(serving, admitted, await findRun(serving, admitted)),

  requests: async (serving, admitted) =>
    jsonReply({ requests: await requestsOf(serving, await findRun(serving, admitted)) }),

  answer: async (serving, admitted) => {
    const { request, caller, names } = admitted;
    const found = await findRun(serving, admitted);
    const given = await bodyIn(serving, request, bodies().answer);
    const plain =
      'input' in given && given.input !== undefined ? { ...given, input: toJson(given.input) } : given;
    const answer = answerOf(nameIn(names, 'request'), plain as Parameters<typeof answerOf>[1], caller);
    return doneReply(await answerRun(serving, found, answer));
  },

  send: async (serving, admitted) => {
    const { request, caller } = admitted;
    const found = await findRun(serving, admitted);
    const { message, path } = await bodyIn(serving, request, bodies().send);
    const content = toJson(message);
    checkContent(content, 'message');
    return doneReply(await sendToRun(serving, found, { from: caller.who, content, path }));
  },

  pause: (serving, admitted) => hold(serving, admitted, 'pause'),
  resume: (serving, admitted) => hold(serving, admitted, 'resume'),

  step: async (serving, admitted) => {
    const { request, url } = admitted;
    const found = await findRun(serving, admitted);
    const { unit = 'step' } = await bodyIn(serving, request, bodies().step);
    const run = await serving.runs.reach(found);
    const step = run.step(unit);
    return stepReply(await within(step, waitIn(url, serving.limits), serving, request));
  },

  stepped: async (serving, admitted) => {
    const { request, url } = admitted;
    const { live } = await findRun(serving, admitted);
    if (live === undefined) return stepReply(true);
    return stepReply(await within(live.stepped, waitIn(url, serving.limits), serving, request));
  },

  abort: async (serving, admitted) => {
    const found = await findRun(serving, admitted);
    const { reason = `aborted by '${admitted.caller.who}'`, after } = await bodyIn(
      serving,
      admitted.request,
      bodies().abort,
    );
    return doneReply(await abortRun(serving, found, reason, after));
  },

  fork: async (serving, admitted) => {
    const found = await findRun(serving, admitted);
    const { at, change } = await bodyIn(serving, admitted.request, bodies().fork);
    return startedReply(
      serving,
      await serving.runs.fork(found, admitted.caller, {
        ...(at === undefined ? {} : { at }),
        ...(change === undefined ? {} : { change: changeOf(change) }),
      }),
    );
  },

  threads: async ({ runs }, { caller, url }) => {
    const listed = await runs.threadsOf(caller).list({ limit: limitIn(url) });
    return jsonReply({ threads: [...listed] });
  },

  thread: async ({ runs, redactor }, { caller, names }) => {
    const thread = await runs.threadsOf(caller).load(nameIn(names, 'thread'));
    if (thread === undefined)
      throw new TroupeError('thread.unknown', 'Cannot find the thread as there is none of that name');
    // The states of its agents are their own.
    const { states: _states, skipped: _skipped, ...said } = thread;
    return jsonReply(redactor.value(said));
  },
};

const nameIn = (names: Readonly<Record<string, string>>, name: string): string => names[name] ?? '';

const findRun = ({ finder }: Serving, { names, caller }: Admitted): Promise<FoundRun> =>
  finder.find(nameIn(names, 'run'), caller);

/** Reads the body of a request by a schema. @throws {TroupeError} `input.invalid`; those of {@link readJson} */
const bodyIn = async <Body>(
  { limits, clock }: Serving,
  request: Request,
  schema: z.ZodMiniType<Body>,
): Promise<Body> => {
  const { bodyBytes, bodyMs } = limits;
  const read = schema.safeParse(await readJson(request, { bodyBytes, bodyMs, clock }));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'it' : `'${issue.path.join('.')}'`;
  const why = issue === undefined ? 'unknown' : issue.code;
  throw new TroupeError('input.invalid', `Cannot read the body as ${place} does not fit: ${why}`);
};

/** Holds a run, or lets it go on. */
const hold = async (serving: Serving, admitted: Admitted, kind: 'pause' | 'resume'): Promise<Response> => {
  const found = await findRun(serving, admitted);
  await bodyIn(serving, admitted.request, bodies().nothing);
  return doneReply(await holdRun(serving, found, kind));
};

/** 202 for what another process does as soon as it reads its letters. */
const doneReply = (isHere: boolean): Response => jsonReply({ ok: true }, isHere ? 200 : 202);

const stepReply = (isOver: boolean): Response => jsonReply({ ok: isOver }, isOver ? 200 : 202);

const startedReply = ({ basePath }: Serving, { runId, isNew }: Started): Response =>
  jsonReply({ runId, isNew }, isNew ? 201 : 200, {
    location: `${basePath}/runs/${encodeURIComponent(runId)}`,
  });

type GivenChange = NonNullable<z.output<ReturnType<typeof bodies>['fork']>['change']>;

const changeOf = ({ message, text, calls }: GivenChange): ForkChange => {
  const said = message === undefined ? undefined : toJson(message);
  if (said !== undefined) checkContent(said, 'message');
  return {
    // A list of parts, or a text; the run reads what is in the parts.
    ...(said === undefined ? {} : { message: said as string | readonly GivenPart[] }),
    ...(text === undefined ? {} : { text }),
    ...(calls === undefined
      ? {}
      : { calls: calls.map(({ name, input }) => ({ name, input: toJson(input) as Json })) }),
  };
};

/** Refuses a path without an operation. */
export const nothingHere = (): TroupeError => refusal(404, 'there is nothing of that address');
