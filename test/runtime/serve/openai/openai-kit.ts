import { expect } from 'vitest';
import type { Model, ModelRequest } from '../../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../../src/contracts/models/model.ts';
import { scriptedModel } from '../../../../src/testing/scripted-model.ts';
import { post } from '../serve-kit.ts';

/** A part of an answer of the wire, as a test looks at it. */
export type Wire = { readonly [field: string]: unknown };

/** Sends JSON below `/v1`. */
export const ask = (
  url: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => post(`${url}/v1/${path}`, body, headers);

/** Sends JSON, and reads the JSON of an answer that is one. */
export const said = async (
  url: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Wire> => {
  const response = await ask(url, path, body, headers);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  return JSON.parse(text) as Wire;
};

/** Status, code and parameter of a refusal. */
export const refused = async (response: Response): Promise<readonly unknown[]> => {
  const { error } = JSON.parse(await response.text()) as {
    readonly error?: { readonly code?: unknown; readonly param?: unknown; readonly type?: unknown };
  };
  return [response.status, error?.code, error?.param];
};

/** The data of server-sent events; comments are left out. */
export const eventsIn = (text: string): readonly Wire[] =>
  text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length)) as Wire] : []));

/** The text that the chunks of a completion accumulate to. */
export const textOfChunks = (chunks: readonly Wire[]): string =>
  chunks
    .flatMap(({ choices }) => choices as readonly { readonly delta: { readonly content?: string } }[])
    .map(({ delta }) => delta.content ?? '')
    .join('');

/** The text of the messages of a response. */
export const textOfResponse = ({ output }: Wire): string =>
  (output as readonly { readonly content?: readonly { readonly text?: string }[] }[])
    .flatMap(({ content = [] }) => content.map(({ text = '' }) => text))
    .join('|');

/** A model that waits where its script says so, and sends its text word by word. */
export const slowModel = (): Model & {
  readonly requests: ModelRequest[];
  /** Sends one more piece. */
  readonly say: (piece: string) => void;
  readonly finish: () => void;
  /** Resolves when it is asked. */
  readonly asked: Promise<void>;
} => {
  const requests: ModelRequest[] = [];
  let begun: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let whole = '';
  let say: (piece: string) => void = () => undefined;
  return {
    ...scriptedModel([]),
    requests,
    asked,
    say: (piece) => {
      say(piece);
    },
    finish: () => {
      finish();
    },
    answer: async (request, call) => {
      requests.push(request);
      say = (piece) => {
        whole += piece;
        call.delta({ type: 'text', text: piece });
      };
      begun();
      await Promise.race([
        finished,
        new Promise((_, reject) => {
          call.signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }),
      ]);
      return modelAnswer({ text: whole });
    },
  };
};
