/** The parts of a benchmark run: what each starts, in which order, and what is kept of it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { median } from './measure.mjs';
import { work } from './worker.mjs';

/**
 * CPU µs per step. Each round starts every contender once for every length, in turn, so that a busy minute of the
 * machine hits all of them; ratios are taken within a round.
 */
export const measureSteps = (contenders, lengths, agents, { rounds, say }) => {
  const figures = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const steps of lengths) {
      for (const { name, file, variant = '', dist = '', node } of contenders) {
        const options = { contender: file, variant, steps, agents };
        const { usPerStep, peakMb } = work('step', options, { dist, node });
        say(`round ${round + 1}/${rounds}  ${steps} steps  ${name.padEnd(15)} ${usPerStep.toFixed(2)} µs`);
        figures.push({ round, steps, name, usPerStep, peakMb });
      }
    }
  }
  return figures;
};

/** Whether a step late in a long run costs more than one at its beginning. */
export const measureFlatness = ({ dist, rounds, say }) => {
  say('flatness …');
  return Array.from({ length: rounds }, () => work('flat', { contender: 'troupe' }, { dist }));
};

/** What a table saves: transitions alone, and whole steps, by XState and by the table in turn within one process. */
export const measureTable = ({ dist, rounds, say }) =>
  [10, 100, 1_000].flatMap((steps) => {
    say(`table, ${steps} steps …`);
    return Array.from({ length: rounds }, () => work('table', { steps }, { dist }));
  });

/** Ten thousand agents at once: with a model that answers at once, and with some that take their time. */
export const measureScale = ({ dist, rounds, say }) => {
  say('scale …');
  return [0, 20, 100].flatMap((delayMs) =>
    Array.from({ length: rounds }, () => {
      const delay = delayMs === 0 ? {} : { delayMs };
      return { delayMs, ...work('scale', { agents: 10_000, steps: 5, ...delay }, { dist }) };
    }),
  );
};

/** A hundred thousand agents whose model takes its time, and what each holds while it waits; beside another build in turn. */
export const measureWaiting = ({ dist, against, rounds, say }) => {
  const builds = { troupe: dist, ...(against === undefined ? {} : { against }) };
  return Array.from({ length: rounds }, (_, round) => round).flatMap((round) => {
    say(`waiting, round ${round + 1}/${rounds} …`);
    return Object.entries(builds).map(([name, folder]) => ({
      name,
      ...work('waiting', { agents: 100_000, delayMs: 100 }, { dist: folder }),
    }));
  });
};

/** One supervisor over many workers: whether each costs more where there are more of them. */
export const measureCrowd = ({ dist, rounds, say }) =>
  Array.from({ length: rounds }, (_, round) => round).flatMap((round) => {
    say(`crowd, round ${round + 1}/${rounds} …`);
    return [500, 5_000].map((workers) => ({ round, workers, ...work('crowd', { workers }, { dist }) }));
  });

/** What it costs a run to be recorded, and to be seen by observers that are bad at it. */
export const measureSeeing = ({ dist, rounds, say }) => {
  say('seeing …');
  return Array.from({ length: rounds }, () => work('seeing', {}, { dist }));
};

/** What a policy takes to judge a call, and what it adds to a step. */
export const measurePolicy = ({ dist, rounds, say }) => {
  say('policy …');
  return Array.from({ length: rounds }, () => work('policy', {}, { dist }));
};

/** What a store adds, how a journal grows, and how long it takes to take a run up again. */
export const measureJournal = ({ dist, rounds, say }) =>
  [10, 100, 1_000, 10_000].flatMap((steps) => {
    say(`journal of ${steps} steps …`);
    return Array.from({ length: steps > 1_000 ? 1 : rounds }, () => work('journal', { steps }, { dist }));
  });

/** A million events past an observer that takes 1 ms for each. */
export const measureObserver = ({ dist, rounds, say }) => {
  say('observer …');
  return Array.from({ length: rounds }, () => work('observer', { events: 1_000_000 }, { dist }));
};

const PROCESSES = 11;

/**
 * Importing troupe beside importing what it is made of, in fresh processes, in turn (and another build, `against`); and what it loads.
 */
export const measureImport = ({ dist, against, say }) => {
  say('import …');
  const builds = against === undefined ? { troupe: dist } : { troupe: dist, against };
  const all = Object.fromEntries(['bare', ...Object.keys(builds)].map((name) => [name, []]));
  for (let count = 0; count < PROCESSES; count += 1) {
    all.bare.push(work('import', { modules: 'xstate,rxjs,zod' }, { dist }));
    for (const [name, folder] of Object.entries(builds))
      all[name].push(work('import', { modules: main(folder) }, { dist }));
  }
  const { loaded } = work('import', { modules: main(dist), list: 'yes' }, { dist });
  const middle = (figures) => ({
    cpuMs: median(figures.map(({ cpuMs }) => cpuMs)),
    wallMs: median(figures.map(({ wallMs }) => wallMs)),
  });
  return {
    ...Object.fromEntries(Object.entries(all).map(([name, figures]) => [name, middle(figures)])),
    ...kindsOf(loaded),
  };
};

const main = (folder) => pathToFileURL(join(folder, 'index.js')).href;

/** Loaded modules as packages with their number of files, built-in modules, and files of troupe's own with their size. */
const kindsOf = (loaded) => {
  const packages = {};
  const builtIns = [];
  let [own, bytes] = [0, 0];
  for (const url of loaded) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(url)?.[1];
    if (name !== undefined) packages[name] = (packages[name] ?? 0) + 1;
    else if (url.startsWith('node:')) builtIns.push(url);
    else {
      own += 1;
      bytes += statSync(new URL(url)).size;
    }
  }
  return { packages, builtIns, own, bytes };
};
