// A program: draws as many ports of a range as its argument says, sends them to its parent, and stays while it lives.
import { freePort } from '../../../tools/process/free-port.js';

const [count = '', range = ''] = process.argv.slice(2);
const ports: number[] = [];
while (ports.length < Number(count)) {
  ports.push(await freePort(JSON.parse(range) as { lowest: number; highest: number }));
}
process.once('disconnect', () => process.exit());
process.send?.(ports);
