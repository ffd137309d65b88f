import type { ForkedEvent } from '../../contracts/journals/journal-record.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { StoredRequest } from '../../runtime/journal/letters/requests.ts';
import { openRequestsOf, withAnswers } from '../../runtime/journal/letters/requests.ts';
import { ownTotals, totalsParts } from '../words/ending.ts';
import { traceOf } from '../../inspect/traces/trace.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import { screenOf } from '../terminal/screen.ts';
import { wrappedLine, wrappedParts } from '../terminal/wrapped-text.ts';
import { endText } from '../trace/trace-words.ts';
import type { Notice } from '../words/notice-lines.ts';
import { noticeLines } from '../words/notice-lines.ts';
import { exitCode } from '../exit-code.ts';
import { failureLine } from '../words/failure-line.ts';
import { several } from '../../base/text/number-words.ts';
import type { Session } from '../session.ts';
import { redactor, secretsIn } from '../../policy/redaction.ts';
import type { ShowCommand } from '../usage/commands.ts';
import { callLines, storedCall } from './call-lines.ts';
import { commandOf } from './command-record.ts';
import { findRun } from './find-run.ts';
import type { OpenStore } from './open-store.ts';
import { withStore } from './open-store.ts';
import { answeredWords, waitingNotices } from './request-words.ts';
import { changeableEvents, lastForkPlace } from './forks/fork-places.ts';
import type { LeftStatus } from '../../runtime/journal/resume/left-running.ts';
import { heldRuns, leftRunning, QUEUED } from '../../runtime/journal/resume/left-running.ts';
import type { HeldMark } from '../../runtime/journal/versions/held-marks.ts';
import { heldMark } from '../../runtime/journal/versions/held-marks.ts';
import type { VersionMark } from '../../runtime/journal/versions/version-marks.ts';
import { versionMarks } from '../../runtime/journal/versions/version-marks.ts';
import { leftNotice, moveNotice } from './left-words.ts';
import { jsonLine, statusPaint, timeWords } from './run-words.ts';
import { failedLines, stepDetails, stepLines } from './step-lines.ts';
import type { StepView } from '../../inspect/traces/step-view.ts';
import { failedMembersIn, stepKeyOf, stepsIn } from '../../inspect/traces/step-view.ts';
import type { StoredRun } from '../../runtime/journal/replay/read-stored-run.ts';
import { readStoredRun } from '../../runtime/journal/replay/read-stored-run.ts';

/** `troupe show`: shows a run from its journal; of a damaged one the valid part, with exit code 1. */
export const show = (
  { runId, step, call }: Pick<ShowCommand, 'runId' | 'step' | 'call'>,
  session: Session,
): Promise<number> =>
  withStore(session, async (opened) => {
    const { terminal, settings, sidePaint } = session;
    const run = await readStoredRun(opened.store, await findRun(opened.store, runId));
    if (call !== undefined) return showCall(run, call, session);
    const steps = stepsIn(run.events).filter((view) => step === undefined || view.step === step);
    const requests = await withAnswers(opened.store, run.entry.runId, openRequestsOf(run.records));
    const left = (await leftRunning(opened.store, [run.entry])).get(run.entry.runId);
    const held = await heldMark(opened.store, run.entry);
    const versions = await versionMarks(opened.store, run.entry.runId);
    const shown = { run, steps, requests, left, held, versions };
    if (settings.json) terminal.stdout.write(asJson(shown));
    else terminal.stdout.write(await asText(shown, step !== undefined, opened, session));
    const isMissing = step !== undefined && steps.length === 0;
    if (isMissing)
      terminal.stderr.write(
        `${sidePaint.red('✗')} Cannot show --step ${step} as no agent has reached it: leave it out to see all steps\n`,
      );
    if (run.damage !== undefined) terminal.stderr.write(failureLine(run.damage, sidePaint, settings.debug));
    return isMissing ? exitCode.usage : run.damage === undefined ? exitCode.answered : exitCode.unanswered;
  });

/** Shows one model call: request and answer. */
const showCall = (
  { entry, events, records }: StoredRun,
  wanted: string,
  { terminal, settings, paint }: Session,
): number => {
  const redact = redactor(secretsIn(terminal.environment));
  const call = storedCall({ runId: entry.runId, events, records }, wanted);
  const text = settings.json
    ? jsonLine(call)
    : callLines(call, paint)
        .map((line) => `${line}\n`)
        .join('');
  terminal.stdout.write(redact(text));
  return exitCode.answered;
};

interface Shown {
  readonly run: StoredRun;
  readonly steps: readonly StepView[];
  readonly requests: readonly StoredRequest[];
  /** Set if no process has it before its end. */
  readonly left: LeftStatus | undefined;
  /** The reason why no worker has resumed it. */
  readonly held: HeldMark | undefined;
  /** The versions of its agent that it went on under. */
  readonly versions: readonly VersionMark[];
}

const asJson = ({ run, steps, requests, left, held, versions }: Shown): string => {
  const { entry, began, damage, events } = run;
  const end = endIn(events);
  return jsonLine({
    ...entry,
    ...(left === undefined ? {} : { status: left }),
    ...(left === QUEUED ? { queuedMs: Date.now() - entry.createdAt } : {}),
    ...(held === undefined ? {} : { held }),
    ...(versions.length === 0 ? {} : { versions }),
    ...(began === undefined ? {} : { input: began.input }),
    events: events.length,
    steps,
    failedMembers: failedMembersIn(events),
    requests,
    ...(end === undefined
      ? {}
      : { stopReason: end.stopReason, output: end.output, error: end.error, totals: end.totals }),
    ...(damage === undefined ? {} : { damage: damage.message }),
  });
};

const endIn = (events: readonly RuntimeEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'run.ended' ? last : undefined;
};

/** The events of a step, those of its calls included. */
const eventsOf = (view: StepView, events: readonly RuntimeEvent[]): readonly RuntimeEvent[] =>
  events.filter((event) => stepKeyOf(event) === `${view.path} ${view.step}`);

/** Before the totals of a run that has not ended. */
const SO_FAR = 'so far: ';

/** The origin of a fork: where, by whom and when, and what it has otherwise. */
const forkWords = (from: string, [began]: StoredRun['records']): string => {
  const { path, step, by, at, changed } = (began?.kind === 'began' ? began.fork : undefined) ?? {};
  return [
    `forked from ${oneLine(from)}`,
    step === undefined || path === undefined ? '' : ` at step ${step} of ${oneLine(path)}`,
    by === undefined ? '' : ` by ${oneLine(by, 40)}`,
    at === undefined ? '' : `, ${timeWords(at)}`,
    changed === undefined ? '' : `, with another ${changedWords[changed.type]}`,
  ].join('');
};

const changedWords: Readonly<Record<ForkedEvent['type'], string>> = {
  'model.answered': 'answer of the model',
  'tool.finished': 'result of the tool',
  'message.sent': 'message',
  'agent.reduced': 'state',
  'agent.prepared': 'state',
};

const heldWords = (held: HeldMark | undefined): readonly Notice[] =>
  held === undefined ? [] : [{ words: `Held: ${oneLine(held.message, 300)}` }];

const asText = async (
  { run, steps, requests, left, held, versions }: Shown,
  isDetailed: boolean,
  opened: OpenStore,
  session: Session,
): Promise<string> => {
  const { paint, command } = session;
  const { store, option } = opened;
  const { entry, events } = run;
  const open = requests.filter(({ isAnswered }) => !isAnswered);
  const answered = requests.filter(({ isAnswered }) => isAnswered);
  const { runId, agent, title, createdAt, updatedAt, forkedFrom, thread, dueAt } = entry;
  const status = left ?? entry.status;
  const record = await commandOf(store, runId);
  const code = record === undefined ? ' --agent FILE' : '';
  const begun = record === undefined ? '' : `, by troupe ${record.command}`;
  const screen = screenOf(session);
  const { columns } = screen;
  const facts = [
    `begun ${timeWords(createdAt)}${begun}`,
    `last written ${timeWords(updatedAt)}`,
    ...(forkedFrom === undefined ? [] : [forkWords(forkedFrom, run.records)]),
    ...(thread === undefined ? [] : [`thread ${oneLine(thread)}`]),
    ...versions
      .slice(-1)
      .flatMap(({ version, at }) =>
        version === null ? [] : [`under version '${oneLine(version, 80)}' since ${timeWords(at)}`],
      ),
    ...(dueAt === undefined ? [] : [`is due at ${timeWords(dueAt)}`]),
  ];
  // What is to do with it is to do where it is.
  const elsewhere = entry.status === 'moved' || entry.status === 'arriving' ? entry.status : undefined;
  const onward =
    elsewhere !== undefined
      ? [await moveNotice(store, { runId, status: elsewhere }, session)]
      : left === undefined
        ? heldWords(held)
        : [await leftNotice({ entry: run.entry, left }, opened, session)];
  const head = [
    fittedLine(
      `${paint.bold(oneLine(runId))} · ${oneLine(agent)} · ${statusPaint(status, paint)(status)}`,
      columns,
    ),
    ...wrappedLine(`  ${oneLine(title, 200)}`, columns),
    ...wrappedParts(facts, Math.min(columns, 100) - 2).map((line) => paint.dim(`  ${line}`)),
    ...onward.flatMap((notice) => noticeLines(paint.yellow('!'), notice, columns)),
    '',
  ];
  const body = isDetailed
    ? steps.flatMap((view) => stepDetails(view, changeableEvents(eventsOf(view, events)), screen))
    : [...stepLines(steps, open, screen), ...failedLines(failedMembersIn(events), steps, screen)];
  const taking =
    elsewhere !== undefined ||
    left !== undefined ||
    held !== undefined ||
    answered.length === 0 ||
    (await heldRuns(store)).has(runId)
      ? undefined
      : await leftNotice({ entry, left: 'answered' }, opened, session);
  const waiting = [
    ...(elsewhere === undefined ? waitingNotices(open, runId, option, command) : []),
    ...answered.map((request) => ({ words: answeredWords(request) })),
    ...(taking === undefined ? [] : [taking]),
  ].flatMap((notice) => noticeLines(paint.yellow('!'), notice, columns));
  const text = [...head, ...body, ...(waiting.length === 0 ? [] : ['', ...waiting]), ''].map(
    (line) => `${line}\n`,
  );
  const { account } = traceOf(events);
  const totals = ownTotals(account.totals, forkedFrom === undefined ? undefined : createdAt, updatedAt);
  if (isDetailed) return `${text.join('')}${paint.dim(several(events.length, 'event'))}\n`;
  if (account.stopReason === undefined) {
    const sum = wrappedParts(totalsParts(totals), columns - SO_FAR.length);
    return [
      ...text,
      ...sum.map(
        (line, index) => `${paint.dim(`${index === 0 ? SO_FAR : ' '.repeat(SO_FAR.length)}${line}`)}\n`,
      ),
    ].join('');
  }
  const place =
    account.status === 'completed' || elsewhere !== undefined ? undefined : lastForkPlace(events, steps);
  const again =
    place === undefined
      ? []
      : noticeLines(
          '›',
          {
            words:
              place.member === undefined
                ? 'try again'
                : `try again at ${oneLine(place.member)}, step ${place.step}`,
            command: `${command} fork ${oneLine(runId)} ${place.option}${option}${code}`,
          },
          columns,
          '',
        );
  return [...text, endText({ ...account, totals }, session), ...again.map((line) => `${line}\n`)].join('');
};
