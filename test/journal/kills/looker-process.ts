import { lookTwice, type LookerOrder } from './looker.ts';

// Only its parent gives it orders.
const order = JSON.parse(process.argv[2] ?? '') as LookerOrder;
process.stdout.write(`${JSON.stringify(await lookTwice(order))}\n`);
