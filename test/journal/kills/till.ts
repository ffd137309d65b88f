import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import type { Model } from '../../../src/contracts/models/model.ts';
import { sha256 } from '../../../src/base/sha256.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import type { Killer } from './kill-point.ts';

/** Seals the fields of the run. */
export const TILL_KEY = 'ab'.repeat(32);
export const ANOTHER_KEY = 'cd'.repeat(32);

/** What a till is given and comes to know, and nobody else may read. */
export const KEY_OF_INPUT = 'till-key "of" Ada/Kx8';
export const PASSWORD = 'correct-horse/battery Ü';
export const PIN = 580413;
export const CVC = '§7';
export const TOKEN = 'session-of-ada-Qx7Lp2';
export const TYPED = 'typed-by-grace-Vn4';
export const CODE = 'pickup-Zr93-Wq';

/** Each of them as it may stand in a file, in a page or on a terminal: as it is, in JSON, in an address, and in base64. */
export const secretForms: readonly string[] = [KEY_OF_INPUT, PASSWORD, TOKEN, TYPED, CODE]
  .flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1),
    Buffer.from(value).toString('hex'),
  ])
  .concat(CVC);

/** The digits of the PIN where they stand apart: times and digests hold any. */
export const secretDigits = new RegExp(`(?<![\\w+/.:-])${PIN}(?![\\w+/])`);

const secret = () => z.string().meta({ writeOnly: true });

/** What a till uses of the world. */
export interface TillWorld {
  /** Where its tools write down what they were called with, as a digest. */
  readonly ledger: string;
  readonly killer: Killer;
}

/** The digest of what a call got. */
export const digestOf = (input: unknown): string => sha256(JSON.stringify(input));

export const LOGIN = { user: 'ada', password: PASSWORD, pin: PIN, cvc: CVC };
export const PAYMENT = { token: TOKEN, amount: 42 };
export const RECEIPT = { receipt: `paid by ${PASSWORD}, as ${TYPED} said`, code: CODE };

/** Says the same after the same turns, in whichever process it is asked. */
const teller: Model = {
  ...scriptedModel([]),
  answer: async (request, call) => {
    const turns = request.messages.toArray();
    const asked = turns.findLastIndex(({ role }) => role === 'user');
    const turn = turns.slice(asked).filter(({ role }) => role === 'assistant').length;
    const said = [
      { ...calls({ name: 'login', input: LOGIN }), text: `I log in by ${PASSWORD}.` },
      calls({ name: 'ask_password', input: {} }),
      { ...calls({ name: 'pay', input: PAYMENT }), text: `I pay by ${TOKEN}, as ${TYPED} said.` },
    ][turn];
    return scriptedModel([said ?? JSON.stringify(RECEIPT)]).answer(request, call);
  },
};

/** An agent of which nearly everything is secret: its input, its answer, its state, what its tools get, give and ask. */
export const till = ({ ledger, killer }: TillWorld) => {
  const note = (name: string, input: unknown): void => {
    killer.at('before the effect', '');
    appendFileSync(ledger, `${name} ${digestOf(input)}\n`);
    killer.at('after the effect', '');
  };
  const tools = [
    tool({
      name: 'login',
      description: 'Logs in.',
      input: z.object({
        user: z.string(),
        password: secret(),
        pin: z.number().meta({ writeOnly: true }),
        cvc: z.string().meta({ format: 'password' }),
      }),
      output: z.object({ user: z.string(), token: secret() }),
      execute: (input) => {
        note('login', input);
        return { user: input.user, token: TOKEN };
      },
    }),
    tool({
      name: 'ask_password',
      description: 'Asks for the password.',
      input: z.object({}),
      output: secret(),
      execute: (_, context) => context.ask('Your password?'),
    }),
    tool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ token: secret(), amount: z.number() }),
      safety: 'write',
      idempotent: true,
      execute: (input) => {
        note('pay', input);
        return `paid by ${input.token}`;
      },
    }),
  ];
  return agent({
    name: 'till',
    model: teller,
    tools,
    input: z.object({ key: secret(), order: z.string() }),
    output: z.object({ receipt: z.string(), code: secret() }),
    state: { seen: [] as readonly string[] },
    reduce: ({ state, results }) => ({ seen: [...state.seen, ...results.map(({ text }) => text)] }),
  });
};

export const INPUT = { key: KEY_OF_INPUT, order: 'Two coffees.' };
