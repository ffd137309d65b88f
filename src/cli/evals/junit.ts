import type { EvalReport } from '../../testing/evals/eval-report.ts';
import type { GateResult } from '../../testing/evals/gate.ts';
import type { GradedCase, GradedRun } from '../../testing/evals/graded-run.ts';
import { estimateWords } from './estimate-words.ts';
import { round } from './eval-words.ts';

/**
 * The reports of evals as JUnit's XML, which servers of continuous integration read: a suite for each eval, a test for each case and each gate.
 * A case fails if one of its runs does.
 */
export const junitText = (reports: readonly EvalReport[]): string =>
  ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...reports.map(suite), '</testsuites>', ''].join(
    '\n',
  );

const suite = ({ name, cases, gates, left, stopped }: EvalReport): string => {
  const tests = [
    ...cases.map((each) => caseTest(name, each)),
    ...gates.map((gate) => gateTest(name, gate)),
    ...left.map(({ runId, reason }) => test(name, runId, 0, problem('error', reason))),
    ...(stopped === undefined ? [] : [test(name, 'all cases', 0, problem('error', stopped))]),
  ];
  const count = (tag: string): number => tests.filter((text) => text.includes(`<${tag} `)).length;
  const time = cases.flatMap(({ tries }) => tries).reduce((sum, run) => sum + secondsOf(run), 0);
  const facts = `tests="${tests.length}" failures="${count('failure')}" errors="${count('error')}" time="${time.toFixed(3)}"`;
  return [`  <testsuite name="${escapeXml(name)}" ${facts}>`, ...tests, '  </testsuite>'].join('\n');
};

const caseTest = (suiteName: string, { case: row, tries }: GradedCase): string => {
  const time = tries.reduce((sum, run) => sum + secondsOf(run), 0);
  const unstarted = tries.find(({ error }) => error !== undefined)?.error;
  const failed = tries.filter(({ passed }) => !passed);
  const reasons = failed.flatMap(({ runId, evaluations }) =>
    evaluations
      .filter(({ passed }) => !passed)
      .map(
        ({ evaluator, reason, error }) =>
          `${runId ?? row.id}: ${evaluator}: ${error ?? reason ?? 'not passed'}`,
      ),
  );
  if (unstarted !== undefined) return test(suiteName, row.id, time, problem('error', unstarted));
  if (failed.length === 0) return test(suiteName, row.id, time);
  const words = `${tries.length - failed.length} of ${tries.length} runs pass`;
  return test(suiteName, row.id, time, problem('failure', words, reasons.join('\n')));
};

const gateTest = (suiteName: string, { name, passed, measured, reason }: GateResult): string => {
  const found = measured === undefined ? (reason ?? 'not measured') : estimateWords(measured, round);
  return test(suiteName, `gate: ${name}`, 0, passed ? undefined : problem('failure', found));
};

const test = (suiteName: string, name: string, seconds: number, inner?: string): string => {
  const open = `    <testcase classname="${escapeXml(suiteName)}" name="${escapeXml(name)}" time="${seconds.toFixed(3)}"`;
  return inner === undefined ? `${open}/>` : `${open}>\n${inner}\n    </testcase>`;
};

const problem = (tag: 'failure' | 'error', message: string, text = message): string =>
  `      <${tag} message="${escapeXml(message)}">${escapeXml(text)}</${tag}>`;

const secondsOf = ({ metrics }: GradedRun): number => (metrics?.durationMs ?? 0) / 1_000;

/** Characters that XML 1.0 cannot have, even escaped: controls, half pairs, and two that are none. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const escapeXml = (text: string): string =>
  text
    .replaceAll(NOT_XML, '\u{fffd}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
