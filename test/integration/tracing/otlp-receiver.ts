// A collector as far as it takes spans: OTLP/HTTP in JSON on a free port, everything it was sent as it came.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}

export interface ReceivedSpan {
  readonly service: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly facts: Readonly<Record<string, string | undefined>>;
}

interface Attribute {
  readonly key: string;
  readonly value: OtlpValue;
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'service' | 'facts'> & {
        readonly attributes: readonly Attribute[];
      })[];
    }[];
  }[];
}

export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** While set, requests are answered with it. */
  refusal: number | undefined;

  private constructor(private readonly server: Server) {}

  static async open(port = 0): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { refusal } = receiver;
        const isRight =
          request.url === '/v1/traces' && request.headers['content-type'] === 'application/json';
        if (isRight && refusal === undefined)
          receiver.#take(Buffer.concat(chunks).toString('utf8'), request.headers);
        response
          .writeHead(refusal ?? (isRight ? 200 : 400), { 'content-type': 'application/json' })
          .end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  ofTrace(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #take(text: string, headers: IncomingHttpHeaders): void {
    this.headers.push(headers);
    for (const { resource, scopeSpans } of (JSON.parse(text) as Body).resourceSpans) {
      const service = factsOf(resource.attributes)['service.name'];
      for (const { attributes, ...span } of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, service, facts: factsOf(attributes) });
    }
  }
}

function factsOf(attributes: readonly Attribute[]): Record<string, string | undefined> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? intValue?.toString()]),
  );
}
