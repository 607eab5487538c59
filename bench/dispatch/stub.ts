// A program: a push service that takes everything at once, for measuring the other side. Prints its URL; ends with its
// standard input.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    const body = JSON.stringify({
      requestId: randomUUID(),
      requestTime: '2027-03-01T09:00:00.000',
      statusCode: '202',
      statusName: 'success',
    });
    response.writeHead(202, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address !== 'string')
    process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
process.stdin.resume().once('end', () => process.exit(0));
