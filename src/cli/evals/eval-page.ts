import { several } from '../../base/text/number-words.ts';
import type { Comparison } from '../../testing/evals/comparison.ts';
import type { EvalReport } from '../../testing/evals/eval-report.ts';
import type { GradedCase } from '../../testing/evals/graded-run.ts';
import type { PageCell, PageSection } from '../pages/report-page.ts';
import { reportPage } from '../pages/report-page.ts';
import { briefValue } from '../words/brief-value.ts';
import { measureWords } from './comparison-words.ts';
import { estimateWords, percent, score, signedScore } from './estimate-words.ts';
import { agreementWords, round, sumLines } from './eval-words.ts';

/** The reports of evals, or their comparisons, as one page. */
export const evalPage = (reports: readonly EvalReport[], comparisons: readonly Comparison[]): string => {
  const names = [...reports, ...comparisons].map(({ name }) => name);
  return reportPage({
    title: `Evals: ${names.join(', ')}`,
    verdict: verdictOf(reports, comparisons),
    sections: [...comparisons.flatMap(comparisonSections), ...reports.flatMap(reportSections)],
  });
};

const verdictOf = (reports: readonly EvalReport[], comparisons: readonly Comparison[]): PageCell => {
  const [only] = comparisons;
  if (only !== undefined && comparisons.length === 1)
    return { text: only.summary, tone: TONES[only.finding] };
  const failed = [...reports, ...comparisons.map(({ candidate }) => candidate)].filter(
    ({ verdict }) => verdict === 'failed',
  );
  if (failed.length > 0) return { text: `${several(failed.length, 'eval')} failed`, tone: 'bad' };
  return reports.some(({ verdict }) => verdict === 'passed')
    ? { text: 'passed', tone: 'good' }
    : { text: 'measured, as there are no gates' };
};

const TONES = { better: 'good', worse: 'bad', 'not established': 'uncertain' } as const;

const comparisonSections = (found: Comparison): readonly PageSection[] => {
  const { name, candidates, summary, passes, scores, left, baseline, candidate } = found;
  return [
    {
      title: `${name}: ${candidates.baseline} and ${candidates.candidate}`,
      lines: [
        summary,
        `Both pass ${passes.both}, neither ${passes.neither}, only the baseline ${passes.onlyBaseline}, only the candidate ${passes.onlyCandidate} (exact test of McNemar, p = ${passes.pValue.toPrecision(2)})`,
        ...measureWords(found),
      ],
      table: {
        head: ['evaluator', 'difference of the score', 'finding'],
        rows: scores.map(({ name: evaluator, difference, finding }) => [
          { text: evaluator },
          { text: difference === undefined ? 'too few cases' : estimateWords(difference, signedScore) },
          { text: finding, tone: TONES[finding] },
        ]),
      },
    },
    ...leftSection(left),
    ...reportSections({ ...baseline, name: `${name}, ${candidates.baseline}`, left: [] }),
    ...reportSections({ ...candidate, name: `${name}, ${candidates.candidate}`, left: [] }),
  ];
};

const reportSections = (report: EvalReport): readonly PageSection[] => {
  const sections = sectionsOf(report);
  return sections.filter(({ lines = [], table }) => lines.length > 0 || (table?.rows.length ?? 0) > 0);
};

const sectionsOf = (report: EvalReport): readonly PageSection[] => {
  const { name, dataset, summary, gates, cases, left, stopped } = report;
  return [
    {
      title: name,
      lines: [
        `Cases of ${dataset}`,
        ...sumLines(report),
        ...summary.skipped.map(({ evaluator, reason }) => `${evaluator} was not asked: ${reason}`),
        ...(stopped === undefined ? [] : [`Stopped early as ${stopped}`]),
      ],
      table: {
        head: ['evaluator', 'passes', 'score', 'agrees with people', 'errors'],
        rows: summary.evaluators.map((each) => [
          { text: each.name },
          { text: estimateWords(each.passRate, percent) },
          { text: estimateWords(each.score, score) },
          { text: each.agreement === undefined ? '' : agreementWords(each.agreement) },
          { text: each.errors === 0 ? '' : String(each.errors), tone: 'bad' },
        ]),
      },
    },
    {
      title: 'Gates',
      table: {
        head: ['gate', 'measured', ''],
        rows: gates.map(({ name: gate, measured, passed, reason }) => [
          { text: gate },
          { text: measured === undefined ? (reason ?? 'not measured') : estimateWords(measured, round) },
          passed ? { text: 'passed', tone: 'good' as const } : { text: 'failed', tone: 'bad' as const },
        ]),
      },
    },
    {
      title: 'Cases',
      table: { head: ['case', 'input', 'answer', 'run', ''], rows: cases.flatMap(caseRows) },
    },
    ...leftSection(left),
  ];
};

const caseRows = ({ case: row, tries }: GradedCase): readonly (readonly PageCell[])[] =>
  tries.map(({ runId = '', output, passed, evaluations, error }) => {
    const reasons = evaluations
      .filter((each) => !each.passed)
      .map(({ evaluator, reason, error: broken }) => `${evaluator}: ${broken ?? reason ?? 'not passed'}`);
    return [
      { text: row.id },
      { text: briefValue(row.input) },
      { text: error ?? briefValue(output ?? null) },
      { text: runId, tone: 'faint' },
      passed ? { text: 'passed', tone: 'good' } : { text: reasons.join('; '), tone: 'bad' },
    ];
  });

const leftSection = (left: EvalReport['left']): readonly PageSection[] =>
  left.length === 0
    ? []
    : [
        {
          title: 'Left out',
          table: {
            head: ['run', 'reason'],
            rows: left.map(({ runId, reason }) => [{ text: runId }, { text: reason }]),
          },
        },
      ];
