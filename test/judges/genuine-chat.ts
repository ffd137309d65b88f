import { Chat as ChatOf7 } from '@ai-sdk/react';
import {
  DefaultChatTransport as TransportOf6,
  lastAssistantMessageIsCompleteWithApprovalResponses as approvalsOf6,
  lastAssistantMessageIsCompleteWithToolCalls as callsOf6,
} from 'ai';
import { Chat as ChatOf6 } from 'ai-sdk-react-v3';
import {
  DefaultChatTransport as TransportOf7,
  lastAssistantMessageIsCompleteWithApprovalResponses as approvalsOf7,
  lastAssistantMessageIsCompleteWithToolCalls as callsOf7,
} from 'ai-v7';
import type { RunHandle } from '../../src/index.ts';
import type { UiMessageOptions } from '../../src/inspect/publishing/chat/ui-message.ts';
import type { UiSubmission } from '../../src/inspect/publishing/chat/read-ui-messages.ts';
import { readUiMessages, uiMessageResponse } from '../../src/inspect/index.ts';
import { serveLoopback } from '../inspect/publishing/loopback.ts';

type AnyRun = RunHandle<unknown, unknown>;

/** A part of a message, as a page would look at it. */
export interface ShownPart {
  readonly type: string;
  readonly text?: string;
  readonly state?: string;
  readonly toolCallId?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly data?: unknown;
  readonly approval?: { readonly id: string; readonly approved?: boolean };
}

/** What a page sees of a chat, and does with it: that of either major version. */
export interface GenuineChat {
  readonly id: string;
  readonly status: string;
  readonly error: Error | undefined;
  readonly messages: readonly {
    readonly id: string;
    readonly role: string;
    readonly metadata?: unknown;
    readonly parts: readonly ShownPart[];
  }[];
  sendMessage(message: { readonly text: string }): Promise<void>;
  regenerate(): Promise<void>;
  stop(): Promise<void>;
  resumeStream(): Promise<void>;
  addToolApprovalResponse(answer: { id: string; approved: boolean; reason?: string }): unknown;
  addToolOutput(given: { tool: string; toolCallId: string; output: unknown }): unknown;
}

/** The genuine state machine behind `useChat`, with its genuine transport, as a page has it that answers requests of a run. */
export const genuineChat = (
  sdk: 6 | 7,
  url: string,
  id: string,
  finished: (how: { readonly finishReason?: string | undefined; readonly isAbort: boolean }) => void = () =>
    undefined,
): GenuineChat => {
  const api = `${url}/api/chat`;
  if (sdk === 7)
    return new ChatOf7({
      id,
      transport: new TransportOf7({ api }),
      sendAutomaticallyWhen: (chat) => approvalsOf7(chat) || callsOf7(chat),
      onFinish: finished,
    });
  return new ChatOf6({
    id,
    transport: new TransportOf6({ api }),
    sendAutomaticallyWhen: (chat) => approvalsOf6(chat) || callsOf6(chat),
    onFinish: finished,
  });
};

/** A server as the guide shows it, over loopback HTTP. */
export const serveChat = async (
  begin: (chat: UiSubmission) => AnyRun,
  options: UiMessageOptions & { readonly abortsOnStop?: boolean } = {},
) => {
  const runs = new Map<string, AnyRun>();
  const submissions: UiSubmission[] = [];
  const { abortsOnStop = false, ...rest } = options;
  const server = await serveLoopback(async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET') {
      const id = /^\/api\/chat\/([^/]+)\/stream$/.exec(pathname)?.[1] ?? '';
      return uiMessageResponse(runs.get(id), rest);
    }
    const chat = await readUiMessages(request);
    submissions.push(chat);
    const waiting = runs.get(chat.chatId);
    if (waiting !== undefined && chat.answer(waiting))
      return uiMessageResponse(waiting, { ...rest, continues: chat });
    waiting?.abort('the user went on');
    const run = begin(chat);
    runs.set(chat.chatId, run);
    const over = (): void => {
      if (runs.get(chat.chatId) === run) runs.delete(chat.chatId);
    };
    run.result.then(over, over);
    return uiMessageResponse(run, {
      ...rest,
      ...(abortsOnStop ? { onDisconnect: () => run.abort('stopped by the user') } : {}),
    });
  });
  return { url: server.url, close: () => server.close(), runs, submissions };
};
