// sideshow/apns2 beside us (apns2/main.go), a process of its own, where Go is there to build it.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { projectRoot } from '../../tools/project.js';
import { STREAMS, type BareTarget } from './bare-loop.js';
import { APNS, apple, apnsBody, p8 } from './kinds.js';

export class Apns2 {
  readonly #lines: AsyncIterator<string>;

  private constructor(
    private readonly child: ChildProcess,
    lines: Interface,
  ) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Undefined where there is no Go. What is built is left in `dir`. */
  static open({ url, ca }: BareTarget, dir: string, pushes: number): Apns2 | undefined {
    if (spawnSync('go', ['version']).error !== undefined) return undefined;
    const [program, caFile, keyFile] = ['apns2', 'ca.pem', 'key.p8'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    const source = join(projectRoot, 'bench', 'providers', 'apns2');
    execFileSync('go', ['build', '-o', program, '.'], { cwd: source, stdio: 'inherit' });
    writeFileSync(caFile, ca);
    writeFileSync(keyFile, p8, { mode: 0o600 });
    const given = {
      host: url,
      ca: caFile,
      key: keyFile,
      'key-id': apple.keyId,
      'team-id': apple.teamId,
      topic: apple.topic,
      body: apnsBody,
      pushes,
      connections: APNS.connections,
      streams: STREAMS,
    };
    const args = Object.entries(given).map(([name, value]) => `-${name}=${value}`);
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    return new Apns2(child, createInterface({ input: child.stdout }));
  }

  /** Milliseconds for the pushes of a round. */
  async round(): Promise<number> {
    this.child.stdin?.write('go\n');
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('apns2 has ended: what it said stands above');
    return Number(value);
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }
}
