/** The id of a run of a server. */
const RUN = '(?:t[0-9a-f]{24}|run)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** A response: the part of a run from its start, or from the answers to its nth request, until it ends or waits. */
export interface ResponsePlace {
  readonly runId: string;
  /** 0: from the start of the run. */
  readonly part: number;
}

/** The id of a response. */
export const responseIdOf = ({ runId, part }: ResponsePlace): string =>
  `resp_${runId}${part === 0 ? '' : `_${part}`}`;

/** Reads the id of a response; undefined for what is none of this server. */
export const readResponseId = (id: string): ResponsePlace | undefined => placeIn(RESPONSE.exec(id));

/** The id of a call of the client. The runtime's own, `call_STEP_INDEX`, is unique within a run only. */
export const callIdFor = (runId: string, callId: string): string => callId.replace(/^call/, `call_${runId}`);

/** Reads the id of a call of the client; undefined for what is none of this server. */
export const readCallId = (id: string): { readonly runId: string; readonly callId: string } | undefined => {
  const [, runId, rest] = CALL.exec(id) ?? [];
  return runId === undefined || rest === undefined ? undefined : { runId, callId: `call_${rest}` };
};

/** The id of an item for an approval. */
export const approvalIdFor = (runId: string, requestId: string): string => `mcpr_${runId}_${requestId}`;

/** Reads the id of an item for an approval; undefined for what is none of this server. */
export const readApprovalId = (
  id: string,
): { readonly runId: string; readonly requestId: string } | undefined => {
  const [, runId, requestId] = APPROVAL.exec(id) ?? [];
  return runId === undefined || requestId === undefined ? undefined : { runId, requestId };
};

/** The id of a message of a response. */
export const messageIdFor = (place: ResponsePlace, block: number): string =>
  `msg_${place.runId}_${place.part}_${block}`;

/** Reads the id of a message; undefined for what is none of this server. */
export const readMessageId = (id: string): (ResponsePlace & { readonly block: number }) | undefined => {
  const found = MESSAGE.exec(id);
  const place = placeIn(found);
  return place === undefined ? undefined : { ...place, block: Number(found?.[3]) };
};

const placeIn = (found: RegExpExecArray | null): ResponsePlace | undefined => {
  const [, runId, part = '0'] = found ?? [];
  return runId === undefined ? undefined : { runId, part: Number(part) };
};

const RESPONSE = new RegExp(`^resp_(${RUN})(?:_([1-9]\\d{0,4}))?$`);
const CALL = new RegExp(`^call_(${RUN})_(\\d{1,9}_\\d{1,9})$`);
const APPROVAL = new RegExp(`^mcpr_(${RUN})_([^\\s]{1,300})$`);
const MESSAGE = new RegExp(`^msg_(${RUN})_(\\d{1,5})_(\\d{1,6})$`);
