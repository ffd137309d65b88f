import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import { activityOf } from '../../events/progress/activity.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import { foldProgress, noProgress } from '../../events/progress/progress.ts';
import { serialiseEvent } from '../../events/parse-event.ts';
import { oneLine } from '../../base/text/printable.ts';
import { progressTable } from './progress-table.ts';
import { DistinctNames } from './distinct-names.ts';
import { withThousands } from '../../base/text/number-words.ts';
import { foldRows, isAgentAtWork, noRows } from './run-rows.ts';
import type { Session } from '../session.ts';
import { FRAME_MS } from '../terminal/spinner.ts';
import { canRedraw, widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';

/** Shows the progress of a run. */
export interface ProgressView {
  show(event: LiveEvent): void;
  /** Leaves the terminal to others until `resume`. */
  suspend(): void;
  resume(): void;
  /** Shows the final state. An error that will be printed separately is not repeated. */
  end(error?: string): void;
  /** True if anything was shown. */
  readonly hasShown: boolean;
}

/** Selects a view for the session: events as JSON, none, a redrawn block of lines, or one line after the other. */
export const progressView = (session: Session): ProgressView => {
  const { settings, terminal } = session;
  if (settings.json) return jsonView(session);
  if (settings.quiet) return quietView;
  return canRedraw(terminal) ? blockView(session) : lineView(session);
};

const nothing = (): void => undefined;

const quietView: ProgressView = {
  show: nothing,
  suspend: nothing,
  resume: nothing,
  end: nothing,
  hasShown: false,
};

const jsonView = ({ terminal }: Session): ProgressView => ({
  ...quietView,
  show: (event) => {
    if (event.type !== 'model.delta') terminal.stdout.write(serialiseEvent(event));
  },
});

/** Events too frequent to show, or covered by other lines. */
const SILENT: ReadonlySet<string> = new Set(['run.started', 'run.ended', 'model.asked', 'member.engaged']);

/** Checks whether an event has no line: of the ends of members, failures have one. */
const isSilent = (event: LiveEvent): boolean =>
  SILENT.has(event.type) || (event.type === 'member.ended' && event.status !== 'failed');

const lineView = ({ terminal, sidePaint: paint }: Session): ProgressView => {
  const names = new DistinctNames();
  let progress = noProgress;
  let hasShown = false;
  let toldTokens = 0;
  /** The last line of each agent. */
  const last = new Map<string, string>();
  const isSaid = ({ path, error }: EventOf<'member.ended'>): boolean =>
    error !== undefined && last.get(path)?.includes(oneLine(error.message).slice(0, TELLING)) === true;
  /** Errors are held until the next line: the last one is printed at the end. */
  let held = '';
  const flush = (): void => {
    if (held === '') return;
    // On a terminal that cannot redraw there are no colours either.
    terminal.stderr.write(`${wrappedLine(held, widthOf(terminal.stderr)).join('\n')}\n`);
    hasShown = true;
    held = '';
  };
  return {
    ...quietView,
    get hasShown() {
      return hasShown;
    },
    show: (event) => {
      progress = foldProgress(progress, event);
      if (isAgentAtWork(event)) names.add(event.path);
      const activity = isSilent(event) ? undefined : activityOf(event);
      if (activity === undefined) return;
      // The member failed by what was just said of it.
      if (event.type === 'member.ended' && isSaid(event)) return;
      flush();
      const tokens = progress.totals.inputTokens + progress.totals.outputTokens;
      const sum = tokens === toldTokens ? '' : ` ${paint.dim(`(${withThousands(tokens)} tokens so far)`)}`;
      toldTokens = tokens;
      const said = activity.line.slice(activity.name.length);
      held = `  ${names.of(activity.path)}${said}${sum}`;
      last.set(activity.path, held);
      if (!ERRORS.has(event.type)) flush();
    },
    end: (error) => {
      if (error === undefined || !held.includes(oneLine(error).slice(0, TELLING))) flush();
    },
  };
};

const ERRORS: ReadonlySet<string> = new Set(['agent.prepared', 'model.failed']);

/** Number of characters by which an error is recognised. */
const TELLING = 100;

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Disables wrapping: on a narrower terminal than reported, the block still has the expected number of lines. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';

const blockView = ({ terminal, sidePaint: paint, restore }: Session): ProgressView => {
  const { stderr } = terminal;
  const startedAt = performance.now();
  let state = noRows;
  let drawn = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;

  const erased = (): string => (drawn === 0 ? '' : `\r\u001b[${drawn}A\u001b[0J`);
  const draw = (): void => {
    const room = Math.max(4, (stderr.rows ?? 24) - 2);
    const lines = progressTable(state, { paint, passed: performance.now() - startedAt, room, isOver });
    const fitted = lines.map((line) => `${fittedLine(line, widthOf(stderr))}\n`).join('');
    stderr.write(`${HIDE_CURSOR}${erased()}${NO_WRAP}${fitted}${WRAP}`);
    drawn = lines.length;
  };
  const pause = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const resume = (): void => {
    timer ??= setInterval(draw, FRAME_MS);
  };
  const giveBack = (): void => {
    pause();
    stderr.write(`${WRAP}${SHOW_CURSOR}`);
  };
  restore.add(giveBack);
  resume();
  return {
    get hasShown() {
      return state.rows.length > 0;
    },
    show: (event) => {
      state = foldRows(state, event);
    },
    suspend: () => {
      pause();
      stderr.write(`${erased()}${SHOW_CURSOR}`);
      drawn = 0;
    },
    resume,
    end: () => {
      isOver = true;
      if (state.rows.length > 0 || drawn > 0) draw();
      giveBack();
      restore.delete(giveBack);
    },
  };
};
