// Every route a Fastify application answers, read back from its own router, so that a test can walk them all.

export interface Route {
  readonly method: string;
  readonly path: string;
}

interface Printable {
  printRoutes(options: { commonPrefix: boolean }): string;
}

const LINE = /^((?:│ {3}| {4})*)(?:├── |└── )(\S*)(?: \(([A-Z, ]+)\))?$/;

/** HEAD and OPTIONS, which Fastify adds on its own, are left out. */
export function routesOf(fastify: Printable): Route[] {
  const path: string[] = [];
  const routes: Route[] = [];
  for (const line of fastify.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods = ''] = LINE.exec(line) ?? [];
    if (part === '' && methods === '') continue;
    path.splice(indent.length / 4);
    path.push(part);
    for (const method of methods.split(', ')) {
      if (method !== '' && method !== 'HEAD' && method !== 'OPTIONS')
        routes.push({ method, path: path.join('') });
    }
  }
  return routes;
}
