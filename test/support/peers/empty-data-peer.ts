// An HTTP/2 server that answers every request with 200 and an empty DATA frame before the one that ends its stream, as some
// proxies do. Written by hand: Node's own server never sends such a frame.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

const PREFACE_BYTES = 24;
const HEADER_BYTES = 9;
const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
const END_STREAM = 0x1;
const ACK = 0x1;
const END_HEADERS = 0x4;
/** `:status: 200`, HPACK's static table. */
const STATUS_200 = Buffer.from([0x88]);

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

function serve(socket: Socket): void {
  let rest = Buffer.alloc(0);
  let skip = PREFACE_BYTES;
  socket.on('error', () => undefined);
  socket.write(frame(SETTINGS, 0, 0));
  socket.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part]);
    for (;;) {
      if (rest.length < skip + HEADER_BYTES) return;
      const header = rest.subarray(skip, skip + HEADER_BYTES);
      const end = skip + HEADER_BYTES + header.readUIntBE(0, 3);
      if (rest.length < end) return;
      rest = rest.subarray(end);
      skip = 0;
      const [type, flags = 0, stream] = [header[3], header[4], header.readUInt32BE(5)];
      if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0));
      if ((type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0)
        socket.write(
          Buffer.concat([
            frame(HEADERS, END_HEADERS, stream, STATUS_200),
            frame(DATA, 0, stream),
            frame(DATA, END_STREAM, stream),
          ]),
        );
    }
  });
}

export interface EmptyDataPeer {
  /** Without TLS. */
  readonly origin: string;
  /** Connections so far. */
  readonly connected: () => number;
  close(): Promise<void>;
}

export async function emptyDataPeer(): Promise<EmptyDataPeer> {
  const sockets = new Set<Socket>();
  let connected = 0;
  const server = createServer((socket) => {
    connected += 1;
    sockets.add(socket);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: () => connected,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
