import type { HelpText } from './help-text.ts';

/** Help texts of the commands by which other programs reach agents. */
export const helpOfServing: Readonly<Record<'mcp' | 'serve' | 'worker', HelpText>> = {
  mcp: {
    about: 'serve agents and teams as the tools of an MCP server',
    usage: 'FILE',
    text: `A client starts it, and speaks with it on standard input and output; it ends when its client is gone. Each agent and team that FILE
exports is a tool; each call is a run, stored like any other, and what it asks a person is asked of the client. What tools print goes to
standard error. Needs the package @modelcontextprotocol/server.`,
    options: '      --export NAME    only this export; also FILE#NAME',
    examples: [
      'troupe mcp team.ts',
      'troupe mcp team.ts#desk --store runs.db',
      'claude mcp add desk -- npx troupe mcp team.ts',
    ],
  },
  serve: {
    about: 'serve agents and teams over HTTP',
    usage: 'FILE',
    text: `Each agent and team that FILE exports can be run by POST /agents/NAME/runs, and followed, answered and controlled by its runs; GET
/openapi.json describes all of it, and connect() of troupe/client speaks it. Runs are stored like any other, and those that are due are
resumed when it starts. Until SIGTERM or Ctrl-C; runs that are under way then are suspended.

It listens on the loopback, for programs of this machine. For another --host, set TROUPE_SERVE_TOKEN: each request has to bring it, as
"Authorization: Bearer TOKEN".`,
    options: `      --export NAME    only this export; also FILE#NAME
      --port N         port (default: 8080; 0 for any that is free)
      --host ADDRESS   address to listen on (default: 127.0.0.1)
      --origin LIST    origins whose pages may call it, separated by commas
      --openai         also as models of OpenAI, below /v1, for clients of that
      --enqueue        enter runs in the store, and leave them to troupe worker`,
    examples: [
      'troupe serve team.ts',
      'troupe serve team.ts#desk --port 3000 --origin https://app.example.com',
      'TROUPE_SERVE_TOKEN=… troupe serve team.ts --host 0.0.0.0 --store postgres://db/runs',
    ],
  },
  worker: {
    about: 'execute the runs of a store, beside other workers',
    usage: 'FILE…',
    text: `Executes the runs of the agents and teams that the FILEs export, as they come: those that troupe serve --enqueue enters, those whose
process died, those that are due, and those that were answered. Any number of workers may share a store; each run is executed by one of them.
Tenants take turns, and runs that only wait give way. Of PostgreSQL a worker hears at once of runs; else it looks each second.

Until SIGTERM or Ctrl-C: it takes no more runs then, gives those under way 10 s for the work in flight, and leaves them to the others.
With --port it answers /healthz (it is alive), /readyz (503 while the store cannot be reached, and when it ends) and /metrics (Prometheus).`,
    options: `      --export NAME    only this export; also FILE#NAME
      --concurrency N  runs at once, at most (default: 10)
      --port N         port for probes and metrics (default: none; 0 for any that is free)
      --host ADDRESS   address of that port (default: 127.0.0.1)`,
    examples: [
      'troupe worker team.ts --store postgres://db/runs',
      'troupe worker clerk.ts desk.ts --concurrency 50 --port 9090 --host 0.0.0.0',
    ],
  },
};
