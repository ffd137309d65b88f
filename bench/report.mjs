/** Figures as a text to read, and what they say about the limits. */
import { median } from './measure.mjs';

const LIMITS = {
  bare: 20,
  aim: 12,
  aheadOfAiSdk: 3,
  flat: 1.2,
  crowd: 1.5,
  seenUs: 50,
  badObservers: 1.1,
  judgedUs: 100,
  cpuS: 4,
  peakMb: 450,
  lagMs: 50,
  waitingBytes: 16_000,
  waitingPeakMb: 2_500,
  import: 2,
  importAim: 1.6,
  resumeMs: 500,
  observerMb: 50,
};
/** What `import 'troupe'` must not load: providers, stores, inspectors. */
const FORBIDDEN = [
  'openai',
  '@anthropic-ai/sdk',
  '@statelyai/inspect',
  'better-sqlite3',
  'pg',
  'node:sqlite',
];

const fixed = (value) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** The whole report, and whether a limit was broken. */
export const report = (found) => {
  const lines = [`Node ${found.node}, ${found.rounds} round(s), ${found.agents} agent(s) at a time`];
  const verdicts = [];
  if (found.steps) stepsReport(found.steps, lines, verdicts);
  if (found.flat) flatReport(found.flat, lines, verdicts);
  if (found.table) tableReport(found.table, lines);
  if (found.scale) scaleReport(found.scale, lines, verdicts);
  if (found.waiting) waitingReport(found.waiting, lines, verdicts);
  if (found.crowd) crowdReport(found.crowd, lines, verdicts);
  if (found.seeing) seeingReport(found.seeing, lines, verdicts);
  if (found.policy) policyReport(found.policy, lines, verdicts);
  if (found.journal) journalReport(found.journal, lines, verdicts);
  if (found.observer) observerReport(found.observer, lines, verdicts);
  if (found.import) importReport(found.import, lines, verdicts);
  if (verdicts.length > 0)
    lines.push('', 'Verdicts', ...verdicts.map(({ verdict, text }) => `  ${verdict.padEnd(7)} ${text}`));
  return {
    text: `${lines.join('\n')}\n`,
    verdicts,
    hasFailed: verdicts.some(({ verdict }) => verdict === 'BROKEN'),
  };
};

const limit = (verdicts, isKept, text) => verdicts.push({ verdict: isKept ? 'kept' : 'BROKEN', text });
const aim = (verdicts, isReached, text) => verdicts.push({ verdict: isReached ? 'reached' : 'missed', text });

const stepsReport = (figures, lines, verdicts) => {
  const names = [...new Set(figures.map(({ name }) => name))];
  const lengths = [...new Set(figures.map(({ steps }) => steps))];
  const of = (name, steps) => figures.filter((figure) => figure.name === name && figure.steps === steps);
  /** The median over the rounds of the ratio within a round. */
  const ratio = (name, to, steps) => {
    const below = of(to, steps);
    const ratios = of(name, steps).flatMap(({ round, usPerStep }) => {
      const other = below.find((figure) => figure.round === round);
      return other === undefined ? [] : [usPerStep / other.usPerStep];
    });
    return ratios.length === 0 ? undefined : median(ratios);
  };
  const bareOf = (name) => (name.endsWith('node20') ? 'bare-node20' : 'bare');
  const table = (title, cell) => {
    const rows = names.flatMap((name) => {
      const cells = lengths.map((steps) => cell(name, steps));
      if (cells.every((value) => value === undefined)) return [];
      const shown = cells.map((value) => (value === undefined ? '–' : fixed(value)).padStart(12));
      return [`  ${name.padEnd(24)}${shown.join('')}`];
    });
    if (rows.length === 0) return;
    const head = lengths.map((steps) => `${steps} steps`.padStart(12)).join('');
    lines.push('', `${title.padEnd(26)}${head}`, ...rows);
  };
  table('CPU µs per step', (name, steps) => median(of(name, steps).map(({ usPerStep }) => usPerStep)));
  table('times the bare loop', (name, steps) => ratio(name, bareOf(name), steps));
  table('times troupe', (name, steps) =>
    name.endsWith('node20') ? undefined : ratio(name, 'troupe', steps),
  );
  table('peak RSS, MB', (name, steps) => median(of(name, steps).map(({ peakMb }) => peakMb)));

  const atHundred = ratio('troupe', 'bare', 100);
  if (atHundred !== undefined) {
    limit(
      verdicts,
      atHundred <= LIMITS.bare,
      `${fixed(atHundred)} × bare at 100 steps (limit ${LIMITS.bare})`,
    );
    aim(verdicts, atHundred <= LIMITS.aim, `${fixed(atHundred)} × bare at 100 steps (aim ${LIMITS.aim})`);
  }
  for (const peer of ['ai-sdk', 'langgraph'])
    for (const steps of lengths) {
      const ahead = ratio(peer, 'troupe', steps);
      if (ahead === undefined) continue;
      const least = peer === 'ai-sdk' && steps === 10 ? LIMITS.aheadOfAiSdk : 1;
      const text = `${peer} at ${steps} steps costs ${fixed(ahead)} × troupe (limit ${least})`;
      limit(verdicts, ahead >= least, text);
    }
};

const flatReport = (rounds, lines, verdicts) => {
  const middle = (read) => median(rounds.map(read));
  const ratio = middle(({ early, late }) => late / early);
  lines.push(
    '',
    'Within a run of 5,000 steps, CPU µs per step (mean, and median over runs)',
    `  steps 100–200      ${fixed(middle(({ early }) => early))}  ${fixed(middle(({ medianEarly }) => medianEarly))}`,
    `  steps 4,900–5,000  ${fixed(middle(({ late }) => late))}  ${fixed(middle(({ medianLate }) => medianLate))}`,
  );
  limit(
    verdicts,
    ratio <= LIMITS.flat,
    `flat: late steps cost ${fixed(ratio)} × early ones (limit ${LIMITS.flat})`,
  );
};

const tableReport = (figures, lines) => {
  lines.push('', 'Machines moved by XState and by their table: CPU µs per step');
  for (const steps of new Set(figures.map((figure) => figure.steps))) {
    for (const part of ['transitions', 'wholeSteps']) {
      const of = (name) =>
        median(figures.filter((each) => each.steps === steps).map((each) => each[part][name]));
      const [xstate, table, ratio] = ['xstateUs', 'tableUs', 'ratio'].map((name) => fixed(of(name)));
      lines.push(`  ${`${steps} steps, ${part}`.padEnd(26)} ${xstate} → ${table}  (${ratio} ×)`);
    }
  }
};

const scaleReport = (rounds, lines, verdicts) => {
  lines.push(
    '',
    '10,000 agents × 5 steps            wall s     CPU s   peak MB   lag p99   own p99   own max',
  );
  for (const delayMs of new Set(rounds.map((round) => round.delayMs))) {
    const middle = (read) => median(rounds.filter((round) => round.delayMs === delayMs).map(read));
    const wallS = middle(({ wallMs }) => wallMs / 1000);
    const cpuS = middle(({ cpuMs }) => cpuMs / 1000);
    const peakMb = middle((round) => round.peakMb);
    const lagMs = middle(({ lagP99Ms }) => lagP99Ms);
    const ownMs = middle(({ ownP99Ms }) => ownP99Ms);
    const ownMaxMs = middle((round) => round.ownMaxMs);
    const model = delayMs === 0 ? 'a model that answers at once' : `a model that takes ${delayMs} ms`;
    const cells = [wallS, cpuS, peakMb, lagMs, ownMs, ownMaxMs].map((value) => fixed(value).padStart(10));
    lines.push(`  ${model.padEnd(29)}${cells.join('')}`);
    const kept = cpuS <= LIMITS.cpuS && peakMb <= LIMITS.peakMb && ownMs <= LIMITS.lagMs;
    const limits = `limits ${LIMITS.cpuS} s, ${LIMITS.peakMb} MB, ${LIMITS.lagMs} ms`;
    limit(
      verdicts,
      kept,
      `scale, ${model}: ${fixed(cpuS)} s of CPU, ${fixed(peakMb)} MB, own lag ${fixed(ownMs)} ms (${limits})`,
    );
  }
};

const waitingReport = (figures, lines, verdicts) => {
  lines.push('', '100,000 agents, a model of 100 ms   bytes each     CPU s   peak MB   own p99   own max');
  const rows = [...new Set(figures.map(({ name }) => name))].map((name) => {
    const middle = (read) => median(figures.filter((each) => each.name === name).map(read));
    const bytes = middle(({ bytesPerAgent }) => bytesPerAgent);
    const cpuS = middle(({ cpuMs }) => cpuMs / 1000);
    const peakMb = middle((each) => each.peakMb);
    const ownMs = middle(({ ownP99Ms }) => ownP99Ms);
    const ownMaxMs = middle((each) => each.ownMaxMs);
    return { name, bytes, cpuS, peakMb, ownMs, cells: [bytes, cpuS, peakMb, ownMs, ownMaxMs] };
  });
  for (const { name, cells } of rows)
    lines.push(`  ${name.padEnd(32)}${cells.map((value) => fixed(value).padStart(10)).join('')}`);
  const [own, other] = rows;
  if (other !== undefined) {
    const ratios = own.cells.map((value, index) => `${fixed(value / other.cells[index])} ×`.padStart(10));
    lines.push(`  ${'of the other build'.padEnd(32)}${ratios.join('')}`);
  }
  const { waitingBytes, waitingPeakMb, lagMs } = LIMITS;
  limit(
    verdicts,
    own.bytes <= waitingBytes && own.peakMb <= waitingPeakMb && own.ownMs <= lagMs,
    `waiting: ${fixed(own.bytes)} bytes each, ${fixed(own.peakMb)} MB, own lag ${fixed(own.ownMs)} ms (limits ${waitingBytes} bytes, ${waitingPeakMb} MB, ${lagMs} ms)`,
  );
};

const crowdReport = (figures, lines, verdicts) => {
  const sizes = [...new Set(figures.map(({ workers }) => workers))];
  const of = (workers) => figures.filter((figure) => figure.workers === workers);
  lines.push('', 'One supervisor over many workers, CPU µs a worker (peak MB)');
  for (const workers of sizes) {
    const us = median(of(workers).map(({ usPerWorker }) => usPerWorker));
    const peakMb = median(of(workers).map((figure) => figure.peakMb));
    lines.push(`  ${`${workers} workers`.padEnd(20)}${fixed(us).padStart(8)} (${fixed(peakMb)})`);
  }
  const [few, many] = sizes;
  const ratios = of(many).map(({ usPerWorker, round }) => {
    const other = of(few).find((figure) => figure.round === round);
    return usPerWorker / other.usPerWorker;
  });
  const ratio = median(ratios);
  limit(
    verdicts,
    ratio <= LIMITS.crowd,
    `each of ${many} workers costs ${fixed(ratio)} × one of ${few} (limit ${LIMITS.crowd})`,
  );
};

const observerReport = (figures, lines, verdicts) => {
  const growthMb = Math.max(...figures.map((figure) => figure.growthMb));
  const dropped = median(figures.map((figure) => figure.dropped));
  lines.push(
    '',
    `A slow observer: of 1,000,000 events it lost ${dropped}; the heap grew by ${fixed(growthMb)} MB at most`,
  );
  limit(
    verdicts,
    growthMb <= LIMITS.observerMb,
    `an observer that takes 1 ms for each of a million events adds ${fixed(growthMb)} MB (limit ${LIMITS.observerMb})`,
  );
  limit(
    verdicts,
    figures.every(({ isRight }) => isRight),
    'what a slow observer lost is counted to the last one, and a fast one beside it lost none',
  );
};

const seeingReport = (rounds, lines, verdicts) => {
  const middle = (read) => median(rounds.map(read));
  const [alone, xstate, recorded, followed] = ['alone', 'xstate', 'recorded', 'followed'].map((name) =>
    middle((round) => round[name]),
  );
  lines.push(
    '',
    'A run that is seen, CPU µs per step',
    `  alone ${fixed(alone)}, an XState inspector that does nothing ${fixed(xstate)}, recorded ${fixed(recorded)}, followed ${fixed(followed)}`,
  );
  const more = middle((round) => round.recorded - round.alone);
  limit(
    verdicts,
    more <= LIMITS.seenUs,
    `a step that is recorded costs ${fixed(more)} µs more (limit ${LIMITS.seenUs})`,
  );
  const slower = middle((round) => round.wallWatchedMs / round.wallAloneMs);
  limit(
    verdicts,
    slower <= LIMITS.badObservers,
    `ten bad observers make a run with a model of 20 ms ${fixed(slower)} × as long (limit ${LIMITS.badObservers})`,
  );
};

const policyReport = (rounds, lines, verdicts) => {
  const middle = (part) =>
    Object.entries(rounds[0][part]).map(([name]) => [name, median(rounds.map((round) => round[part][name]))]);
  const listed = (figures) => figures.map(([name, us]) => `${name} ${fixed(us)}`).join(', ');
  const judged = middle('usPerCall');
  const [first] = rounds;
  lines.push(
    '',
    `A policy of ${first.rules} rules, CPU µs`,
    `  a call judged: ${listed(judged)}`,
    `  a step: ${listed(middle('usPerStep'))}`,
  );
  const most = Math.max(...judged.map(([, us]) => us));
  limit(
    verdicts,
    most <= LIMITS.judgedUs,
    `a call is judged by ${first.rules} rules in ${fixed(most)} µs at most (limit ${LIMITS.judgedUs})`,
  );
};

/** Bytes per step may grow by digits, not by steps. */
const LINEAR = 1.1;

const journalReport = (figures, lines, verdicts) => {
  const lengths = [...new Set(figures.map(({ steps }) => steps))];
  const middle = (steps, read) => median(figures.filter((figure) => figure.steps === steps).map(read));
  lines.push(
    '',
    'Journal (SQLite, synchronous = FULL)  commits  bytes/step  CPU µs/step  plain µs/step   resume ms  (CPU)',
  );
  for (const steps of lengths) {
    const cells = [
      middle(steps, ({ commits }) => commits),
      middle(steps, ({ bytes }) => bytes / steps),
      middle(steps, ({ storedUs }) => storedUs),
      middle(steps, ({ plainUs }) => plainUs),
      middle(steps, ({ resumeMs }) => resumeMs),
      middle(steps, ({ resumeCpuMs }) => resumeCpuMs),
    ].map((value) => fixed(value).padStart(12));
    lines.push(`  ${`${steps} steps`.padEnd(30)}${cells.join('')}`);
    const commits = middle(steps, (figure) => figure.commits);
    // One for how it begins, one for how it ends.
    limit(verdicts, commits <= steps + 2, `${fixed(commits)} commits for ${steps} steps (limit: one a step)`);
  }
  const perStep = (steps) => middle(steps, ({ bytes }) => bytes / steps);
  const growth = perStep(lengths.at(-1)) / perStep(100);
  limit(
    verdicts,
    growth <= LINEAR,
    `a journal of ${lengths.at(-1)} steps has ${fixed(growth)} × the bytes per step of 100`,
  );
  const resumeMs = middle(1_000, (figure) => figure.resumeMs);
  limit(
    verdicts,
    resumeMs <= LIMITS.resumeMs,
    `a run of 1,000 steps is taken up again in ${fixed(resumeMs)} ms (limit ${LIMITS.resumeMs})`,
  );
};

const importReport = ({ bare, troupe, against, packages, builtIns, own, bytes }, lines, verdicts) => {
  const ratio = troupe.cpuMs / bare.cpuMs;
  const names = Object.entries(packages).map(([name, files]) => `${name} (${files})`);
  lines.push(
    '',
    'Import, ms of CPU (wall), median of fresh processes',
    `  xstate + rxjs + zod  ${fixed(bare.cpuMs)} (${fixed(bare.wallMs)})`,
    `  troupe               ${fixed(troupe.cpuMs)} (${fixed(troupe.wallMs)})`,
    ...(against === undefined
      ? []
      : [`  troupe, against      ${fixed(against.cpuMs)} (${fixed(against.wallMs)})`]),
    `  troupe loads ${own} files of its own, ${Math.round(bytes / 1_000)} kB; packages: ${names.join(', ')}; built in: ${builtIns.join(', ') || 'none'}`,
  );
  limit(
    verdicts,
    ratio < LIMITS.import,
    `import costs ${fixed(ratio)} × xstate + rxjs + zod (limit ${LIMITS.import})`,
  );
  aim(verdicts, ratio <= LIMITS.importAim, `import costs at most ${LIMITS.importAim} × xstate + rxjs + zod`);
  const seen = FORBIDDEN.filter((name) => name in packages || builtIns.includes(name));
  limit(
    verdicts,
    seen.length === 0,
    `import loads no provider, store or inspector${seen.map((name) => `: ${name}`).join('')}`,
  );
};
