// Zone rules that nobody released: a directory of compiled zone files (RFC 9636) whose zones change when a spec says.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The offset of a zone from each instant on, hours; the first also before it. */
export type MadeZone = readonly (readonly [from: string, hours: number])[];

/** Writes a TZDATA_DIR of that version; UTC and Etc/UTC are always there. The caller deletes it. */
export async function madeZoneRules(
  version: string,
  zones: Readonly<Record<string, MadeZone>>,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'carillon-zones-'));
  await writeFile(join(directory, '+VERSION'), `${version}\n`);
  const utc: MadeZone = [['1970-01-01T00:00Z', 0]];
  const all: Readonly<Record<string, MadeZone>> = { UTC: utc, 'Etc/UTC': utc, ...zones };
  for (const [name, zone] of Object.entries(all)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, tzifOf(zone));
  }
  return directory;
}

/** Version 2, with an empty 32-bit block; the last offset holds for ever. */
function tzifOf(zone: MadeZone): Buffer {
  const times = Buffer.alloc(zone.length * 8);
  const types = Buffer.alloc(zone.length * 6);
  for (const [index, [from, hours]] of zone.entries()) {
    times.writeBigInt64BE(BigInt(Date.parse(from) / 1_000), index * 8);
    types.writeInt32BE(hours * 3_600, index * 6);
  }
  const hours = zone.at(-1)?.[1] ?? 0;
  const footer = `<${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}>${-hours}`;
  return Buffer.concat([
    header({ times: 0, types: 1 }),
    Buffer.alloc(7),
    header({ times: zone.length, types: zone.length }),
    times,
    Buffer.from(zone.map((_, index) => index)),
    types,
    Buffer.alloc(1),
    Buffer.from(`\n${footer}\n`, 'latin1'),
  ]);
}

function header({ times, types }: { readonly times: number; readonly types: number }): Buffer {
  const bytes = Buffer.alloc(44);
  bytes.write('TZif2', 0, 'latin1');
  for (const [index, count] of [0, 0, 0, times, types, 1].entries())
    bytes.writeUInt32BE(count, 20 + index * 4);
  return bytes;
}
