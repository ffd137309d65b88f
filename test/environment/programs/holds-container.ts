import { containerEnvironment } from '../../../src/tools/built-in/container/container-environment.ts';

const [, , engine = '', root = '', image = 'box'] = process.argv;
const environment = containerEnvironment({ image, engine, root });
await environment.setup?.({ runId: 'r', path: 'a' });
process.stdout.write('up\n');
setInterval(() => undefined, 1_000_000);
