// The client that the suite starts for each scenario: it hands its order to the test, at the address that is its first argument, and waits.
import { request } from 'node:http';

const [test = '', url = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const handed = request(test, { method: 'POST' }, (response) => {
  response.pipe(process.stdout);
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
handed.end(JSON.stringify({ url, context }));
