import type { Caller } from './serve-options.ts';
import type { Serving } from './serving.ts';

/** The parts of a service for what answers at other addresses of it: such requests pass its guard and its callers, and reach its runs. */
export interface ServiceParts {
  readonly serving: Serving;
  /** True if a hook tells who calls. */
  readonly hasAuth: boolean;
  readonly onProblem: (error: unknown) => void;
  /** The caller of a request, within their rate. @throws {TroupeError} `server.refused` */
  callerOf(request: Request): Promise<Caller>;
  /** Answers a request that the guard lets pass; never rejects, as errors are responses. */
  answer(request: Request, by: () => Promise<Response>): Promise<Response>;
}

const partsOfServices = new WeakMap<object, ServiceParts>();

/** Registers the parts of a service. */
export const keepParts = (service: object, parts: ServiceParts): void => {
  partsOfServices.set(service, parts);
};

/** The parts of a service; undefined for what `serve` did not make. */
export const partsOf = (service: object): ServiceParts | undefined => partsOfServices.get(service);
