// `npm run helm`: lints the chart and writes deploy/helm/rendered.yaml.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { projectRoot } from '../project.js';
import { findHelm, render, renderedFile } from './chart.js';

const helm = findHelm(true);
if (helm === undefined) {
  process.stderr.write('neither helm nor go is on the path: install one of them\n');
  process.exitCode = 2;
} else {
  writeFileSync(renderedFile, render(helm));
  process.stdout.write(`wrote ${relative(projectRoot, renderedFile)}\n`);
}
