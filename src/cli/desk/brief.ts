import * as z from 'zod';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { findingSchema, findingsSchema } from './finding.ts';
import type { Finding } from './finding.ts';

/** The input of the writer. */
export const briefSchema = z.object({
  question: z.string(),
  findings: z.array(findingSchema),
  /** Parts of the question that could not be researched, with the reason. */
  gaps: z.array(z.string()).optional(),
});

/** The input of the writer: plain JSON. */
export type Brief = z.infer<typeof briefSchema>;

const repliesSchema = z.array(
  z.object({
    task: z.string(),
    status: z.string(),
    output: z.json(),
    error: z.string().nullable(),
  }),
);

/**
 * Builds the writer's brief: the researchers' findings, each passage once, and the parts that could not be researched.
 * Pure.
 *
 * @throws {TroupeError} `team.invalid` if every researcher failed: there is nothing to write from, and an answer "not
 * found" would be wrong.
 */
export const briefFrom = (replies: Json, question: Json): Brief => {
  const given = repliesSchema.parse(replies);
  const failed = given.filter(({ status }) => status !== 'completed');
  if (failed.length === given.length)
    throw new TroupeError(
      'team.invalid',
      `Cannot write an answer as no researcher came back with anything: ${failed.map(({ error }) => error).join('; ') || 'there was none'}`,
    );
  const findings = given
    .filter(({ status }) => status === 'completed')
    .flatMap(({ output }) => findingsSchema.safeParse(output).data?.findings ?? []);
  const gaps = failed.map(({ task, error }) => `${task} (${error ?? 'not done'})`);
  return {
    question: typeof question === 'string' ? question : JSON.stringify(question),
    findings: once(findings),
    ...(gaps.length === 0 ? {} : { gaps }),
  };
};

const once = (findings: readonly Finding[]): Finding[] =>
  findings.filter(
    ({ text, citation }, index) =>
      findings.findIndex((other) => other.text === text && other.citation === citation) === index,
  );
